/// A data file, read page by page.
struct DataFilePages {
    let descriptor: Int32
    let pageSize: Int
    let byteCount: Int

    var pageCount: UInt64 { UInt64(byteCount / pageSize) }

    /// Reads a run of whole pages; nil if the file does not contain them.
    func read(_ page: UInt64, count: UInt64 = 1) -> [UInt8]? {
        guard page < pageCount, count <= pageCount - page else { return nil }
        let bytes = SystemCalls.read(descriptor, at: Int(page) * pageSize, count: Int(count) * pageSize)
        return bytes?.count == Int(count) * pageSize ? bytes : nil
    }
}

/// Distinguishes a data file with a missing end from one whose last pages were never written.
///
/// LMDB numbers a page when it allocates it, and does not write it if the same transaction frees it again (a large value stored
/// and deleted). Such a file ends before its last used page, and is intact: all pages behind its end are in its free list. This
/// type reads the tree of that list from the file.
enum FreePages {
    private static let invalidPage = UInt64.max
    private static let branchFlag: UInt16 = 0x01
    private static let leafFlag: UInt16 = 0x02
    private static let overflowFlag: UInt16 = 0x04
    private static let bigDataFlag: UInt16 = 0x01
    private static let headerSize = 16
    private static let nodeHeaderSize = 8

    /// Returns whether the free list contains every page from the end of the file up to the last page.
    static func cover(lastPage: UInt64, root: UInt64, of file: DataFilePages) -> Bool {
        guard root != invalidPage, lastPage >= file.pageCount else { return false }
        var missing: Set<UInt64> = []
        var pending = [root]
        var visited = 0
        while let number = pending.popLast() {
            visited += 1
            guard visited <= Int(file.pageCount), let page = file.read(number), let nodes = nodes(of: page) else {
                return false
            }
            let flags = page.integer(at: 10, as: UInt16.self)
            for node in nodes {
                if flags & branchFlag != 0 {
                    pending.append(child(at: node, in: page))
                } else if flags & leafFlag != 0 {
                    guard let list = list(at: node, in: page, of: file) else { return false }
                    for free in list where free >= file.pageCount && free <= lastPage { missing.insert(free) }
                } else {
                    return false
                }
            }
        }
        return UInt64(missing.count) == lastPage - file.pageCount + 1
    }

    /// Returns the offsets of a page's nodes.
    private static func nodes(of page: [UInt8]) -> [Int]? {
        let lower = Int(page.integer(at: 12, as: UInt16.self))
        guard lower >= headerSize, lower <= page.count else { return nil }
        let offsets = stride(from: headerSize, to: lower, by: 2).map { Int(page.integer(at: $0, as: UInt16.self)) }
        return offsets.allSatisfy { $0 >= lower && $0 + nodeHeaderSize <= page.count } ? offsets : nil
    }

    /// Reads a branch node: it has 48 bits of page number where a leaf node has its size and flags.
    private static func child(at node: Int, in page: [UInt8]) -> UInt64 {
        (0..<3).reduce(0) { $0 | UInt64(page.integer(at: node + 2 * $1, as: UInt16.self)) << (16 * $1) }
    }

    /// Reads a leaf node's value: a count and as many page numbers, in the node or on overflow pages.
    private static func list(at node: Int, in page: [UInt8], of file: DataFilePages) -> [UInt64]? {
        let size = Int(page.integer(at: node, as: UInt16.self)) | Int(page.integer(at: node + 2, as: UInt16.self)) << 16
        let flags = page.integer(at: node + 4, as: UInt16.self)
        let start = node + nodeHeaderSize + Int(page.integer(at: node + 6, as: UInt16.self))
        guard flags & bigDataFlag != 0 else {
            return start + size <= page.count ? list(in: page, at: start, size: size) : nil
        }
        guard start + 8 <= page.count else { return nil }
        let first = page.integer(at: start, as: UInt64.self)
        let count = UInt64((headerSize + size + file.pageSize - 1) / file.pageSize)
        guard let run = file.read(first, count: count), run.integer(at: 10, as: UInt16.self) & overflowFlag != 0 else {
            return nil
        }
        return list(in: run, at: headerSize, size: size)
    }

    private static func list(in bytes: [UInt8], at start: Int, size: Int) -> [UInt64]? {
        guard size >= 8, start + size <= bytes.count else { return nil }
        let count = bytes.integer(at: start, as: UInt64.self)
        guard count <= UInt64((size - 8) / 8) else { return nil }
        return (0..<Int(count)).map { bytes.integer(at: start + 8 + 8 * $0, as: UInt64.self) }
    }
}
