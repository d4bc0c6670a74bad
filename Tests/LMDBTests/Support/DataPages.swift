import Foundation
import Testing

/// The pages of a closed environment's data file, for tests that damage one of them in a chosen way.
struct DataPages {
    static let pageSize = 4_096
    private static let headerSize = 16
    private static let entryHeaderSize = 8
    private static let leafFlags = 0x02

    private let file: URL
    private var bytes: [UInt8]

    init(_ path: String) throws {
        file = URL(filePath: path + "/data.mdb")
        bytes = [UInt8](try Data(contentsOf: file))
    }

    func write() throws { try Data(bytes).write(to: file) }

    /// Returns the number of the leaf whose entries include a key. Freed pages must not have it.
    func leaf(of key: String) throws -> Int {
        let leaves = (2..<bytes.count / Self.pageSize).filter { page in
            number(at: page * Self.pageSize + 10, size: 2) == Self.leafFlags
                && (0..<entryCount(of: page)).contains { self.key(of: entry($0, of: page)) == Array(key.utf8) }
        }
        try #require(leaves.count == 1, "\(key) is in the leaves \(leaves)")
        return leaves[0]
    }

    /// The beginning of the meta page of the newest commit.
    private var newestMeta: Int { [0, Self.pageSize].max { number(at: $0 + 144) < number(at: $1 + 144) } ?? 0 }

    /// Returns the root of the tree of free pages in the newest commit.
    var freeRoot: Int { number(at: newestMeta + 80) }

    /// Sets how many leaves the record of a database names. The root of the main tree must be a leaf.
    mutating func setLeafCount(ofDatabase name: String, to count: Int) throws {
        let root = number(at: newestMeta + 128)
        let entries = (0..<entryCount(of: root)).map { entry($0, of: root) }
        let found = try #require(entries.first { key(of: $0) == Array(name.utf8) })
        set(count, at: found + Self.entryHeaderSize + name.utf8.count + 16, size: 8)
    }

    func entryCount(of page: Int) -> Int { (endOfList(of: page) - Self.headerSize) / 2 }

    /// Removes the last entry of a page from its list, and leaves its bytes.
    mutating func dropLastEntry(of page: Int) { set(endOfList(of: page) - 2, at: page * Self.pageSize + 12, size: 2) }

    /// Changes a byte of the last key of a page.
    mutating func setLastKey(of page: Int, byte: UInt8, at offset: Int) {
        bytes[entry(entryCount(of: page) - 1, of: page) + Self.entryHeaderSize + offset] = byte
    }

    mutating func setNumber(of page: Int, to number: Int) { set(number, at: page * Self.pageSize, size: 8) }

    mutating func setFlags(of page: Int, to flags: Int) { set(flags, at: page * Self.pageSize + 10, size: 2) }

    /// Sets what both meta pages say of the kind of the free list's keys.
    mutating func setFreeListFlags(to flags: Int) {
        for meta in 0...1 { set(flags, at: meta * Self.pageSize + 44, size: 2) }
    }

    /// Replaces the first occurrence of a text by another text of the same length.
    mutating func replace(_ old: String, by new: String) throws {
        let range = try #require(Data(bytes).range(of: Data(old.utf8)))
        bytes.replaceSubrange(range, with: Array(new.utf8))
    }

    /// Lets an entry of the tree of free pages name one page only.
    mutating func setFreePage(_ page: Int, inEntry index: Int) {
        let value = entry(index, of: freeRoot) + Self.entryHeaderSize + 8
        set(1, at: value, size: 8)
        set(page, at: value + 8, size: 8)
    }

    /// The first page that an entry of the tree of free pages names.
    func freePage(inEntry index: Int) -> Int { number(at: entry(index, of: freeRoot) + Self.entryHeaderSize + 16) }

    private func endOfList(of page: Int) -> Int { number(at: page * Self.pageSize + 12, size: 2) }

    private func key(of entry: Int) -> [UInt8] {
        let start = entry + Self.entryHeaderSize
        return Array(bytes[start..<start + number(at: entry + 6, size: 2)])
    }

    private func entry(_ index: Int, of page: Int) -> Int {
        let start = page * Self.pageSize
        return start + number(at: start + Self.headerSize + 2 * index, size: 2)
    }

    private func number(at offset: Int, size: Int = 8) -> Int {
        (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }

    private mutating func set(_ number: Int, at offset: Int, size: Int) {
        for index in 0..<size { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
    }
}
