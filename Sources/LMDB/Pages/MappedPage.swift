/// The layout of LMDB's pages in the map.
///
/// The layout is that of LMDB's data version 1, the only one with which ``DataFileInspection`` lets an environment open. All
/// numbers are in this machine's byte order.
///
/// - A page begins with its number (8 bytes). At 10 are its flags, and at 12 the end of the list of entries. The list begins at
///   16: for each entry its offset in the page, in the order of the keys.
/// - An entry has the length of its key at 6, and the key at 8. The first 6 bytes are, in a branch, the number of the child page.
///   In a leaf, they are the length of the value (4 bytes) and flags (2 bytes), and the value follows the key.
/// - The first entry of a branch has no key: it leads to all keys before the second entry.
/// - A large value is on consecutive pages of its own. The first of them has flags at 10, the number of these pages at 12 (4
///   bytes), and the value from 16 on. The leaf contains the number of this first page (8 bytes) instead of the value.
///
/// No function here trusts a page: data that is not inside the page gives nil. `size` is always the size of a page.
enum MappedPage {
    /// The number that stands for no page.
    static let none = UInt64.max
    static let branchFlags: UInt16 = 0x01
    static let leafFlags: UInt16 = 0x02
    static let headerByteCount = 16
    static let entryByteCount = 8
    static let ownPagesFlags: UInt16 = 0x04
    /// The flag of a leaf entry whose value is on pages of its own.
    static let ownPagesEntryFlag: UInt16 = 0x01
    /// The flag of a leaf entry whose value is the record of a database.
    static let databaseEntryFlag: UInt16 = 0x02

    /// The most entries of a page.
    static func mostEntries(size: Int) -> Int { size / entryByteCount }

    /// Returns the number of entries of a page; nil if the page is of another kind or has no entries.
    @inline(__always)
    static func entryCount(_ page: UnsafeRawPointer, _ flags: UInt16, size: Int) -> Int? {
        let end = Int(unsafe page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        guard unsafe page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == flags, end > headerByteCount,
            end <= size
        else { return nil }
        return (end - headerByteCount) >> 1
    }

    /// Returns the entry whose offset is stored at `slot`; nil if it is not inside the page.
    @inline(__always)
    static func entry(at slot: UnsafeRawPointer, of page: UnsafeRawPointer, size: Int) -> UnsafeRawPointer? {
        let offset = Int(unsafe slot.loadUnaligned(as: UInt16.self))
        guard offset <= size - entryByteCount else { return nil }
        let entry = unsafe page + offset
        return unsafe offset + entryByteCount + keyCount(entry) <= size ? entry : nil
    }

    /// Returns the entry with an index below the page's ``entryCount(_:_:)``.
    @inline(__always)
    static func entry(_ number: Int, of page: UnsafeRawPointer, size: Int) -> UnsafeRawPointer? {
        unsafe entry(at: page + headerByteCount + 2 * number, of: page, size: size)
    }

    /// Returns the key of an entry.
    @inline(__always)
    static func key(_ entry: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: entry + entryByteCount, count: keyCount(entry))
    }

    @inline(__always)
    static func keyCount(_ entry: UnsafeRawPointer) -> Int {
        Int(unsafe entry.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    }

    /// Returns the number of the page that a branch entry leads to.
    @inline(__always)
    static func child(_ entry: UnsafeRawPointer) -> UInt64 {
        let low = unsafe entry.loadUnaligned(as: UInt32.self)
        let high = unsafe entry.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        return UInt64(low) | UInt64(high) << 32
    }

    /// Returns the value of a leaf entry; nil if it is not inside the page.
    @inline(__always)
    static func value(_ entry: UnsafeRawPointer, of page: UnsafeRawPointer, size: Int) -> UnsafeRawBufferPointer? {
        let value = unsafe valueStart(entry)
        let count = unsafe valueCount(entry)
        guard unsafe entryFlags(entry) & ~databaseEntryFlag == 0, unsafe value - page + count <= size else {
            return nil
        }
        return unsafe UnsafeRawBufferPointer(start: value, count: count)
    }

    /// Returns the number of the first page of a value on pages of its own; nil for other values.
    static func ownPage(_ entry: UnsafeRawPointer, of page: UnsafeRawPointer, size: Int) -> UInt64? {
        let value = unsafe valueStart(entry)
        guard unsafe entryFlags(entry) == ownPagesEntryFlag, unsafe value - page + MemoryLayout<UInt64>.size <= size
        else {
            return nil
        }
        return unsafe value.loadUnaligned(as: UInt64.self)
    }

    /// Returns the value of an entry on pages of its own; nil if there is none.
    ///
    /// - Parameters:
    ///   - first: the first of these pages.
    ///   - limit: how many pages the map contains from `first` on.
    static func value(
        _ entry: UnsafeRawPointer, onPages first: UnsafeRawPointer, limit: UInt64, size: Int
    ) -> UnsafeRawBufferPointer? {
        let count = unsafe valueCount(entry)
        let pageCount = unsafe first.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        guard unsafe first.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == ownPagesFlags,
            UInt64(pageCount) <= limit, headerByteCount + count <= Int(pageCount) * size
        else { return nil }
        return unsafe UnsafeRawBufferPointer(start: first + headerByteCount, count: count)
    }

    /// Returns the length of a leaf entry's value.
    @inline(__always)
    static func valueCount(_ entry: UnsafeRawPointer) -> Int { Int(unsafe entry.loadUnaligned(as: UInt32.self)) }

    @inline(__always)
    static func entryFlags(_ entry: UnsafeRawPointer) -> UInt16 {
        unsafe entry.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
    }

    @inline(__always)
    private static func valueStart(_ entry: UnsafeRawPointer) -> UnsafeRawPointer {
        unsafe entry + entryByteCount + keyCount(entry)
    }
}
