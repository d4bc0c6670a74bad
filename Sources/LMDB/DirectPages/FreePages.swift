/// A data file as pages that are read one by one.
struct DataFilePages {
    let descriptor: Int32
    let pageSize: Int
    let byteCount: Int

    var pageCount: UInt64 { UInt64(byteCount / pageSize) }

    /// A run of whole pages; nil if the file does not have them.
    func read(_ page: UInt64, count: UInt64 = 1) -> [UInt8]? {
        guard page < pageCount, count <= pageCount - page else { return nil }
        let bytes = SystemCalls.read(descriptor, at: Int(page) * pageSize, count: Int(count) * pageSize)
        return bytes?.count == Int(count) * pageSize ? bytes : nil
    }
}

/// Tells a file whose end is missing from one whose last pages were never written.
///
/// LMDB gives a page a number when it is allocated, and forgets to write it when the same transaction frees it again
/// (a large value stored and deleted). Such a file ends before its last used page, and is sound: all pages behind its
/// end are in its free list, whose tree this reads from the file.
enum FreePages {
    private static let invalidPage = UInt64.max
    private static let branchFlag: UInt16 = 0x01
    private static let leafFlag: UInt16 = 0x02
    private static let overflowFlag: UInt16 = 0x04
    private static let bigDataFlag: UInt16 = 0x01
    private static let headerSize = 16
    private static let nodeHeaderSize = 8

    /// Whether every page from the end of the file up to the last one is in the free list.
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

    /// Where a page's nodes start.
    private static func nodes(of page: [UInt8]) -> [Int]? {
        let lower = Int(page.integer(at: 12, as: UInt16.self))
        guard lower >= headerSize, lower <= page.count else { return nil }
        let offsets = stride(from: headerSize, to: lower, by: 2).map { Int(page.integer(at: $0, as: UInt16.self)) }
        return offsets.allSatisfy { $0 >= lower && $0 + nodeHeaderSize <= page.count } ? offsets : nil
    }

    /// A branch node: 48 bits of page number where a leaf keeps its size and flags.
    private static func child(at node: Int, in page: [UInt8]) -> UInt64 {
        (0..<3).reduce(0) { $0 | UInt64(page.integer(at: node + 2 * $1, as: UInt16.self)) << (16 * $1) }
    }

    /// A leaf node's value: a count and so many page numbers, in the node or on overflow pages of its own.
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
