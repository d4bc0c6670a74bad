/// What LMDB's pages look like in the map.
///
/// The form is that of LMDB's data version 1, the only one that ``DataFileInspection`` lets an environment open with. All
/// numbers are in this machine's byte order. A page begins with its number (8 bytes), has flags at 10, and at 12 where the list
/// of its entries ends, which begins at 16: an offset in the page for each, in the order of the keys. An entry has its key's
/// length at 6 and its key at 8. Before that a branch has the number of the page that the entry leads to (6 bytes), a leaf the
/// value's length (4) and flags (2); the value follows the key. A branch's first entry has no key: it stands for all that comes
/// before the second. A value that is large lies on pages of its own, one behind the other: their first has flags at 10, how
/// many they are at 12 (4 bytes), and the value from 16 on; the leaf has that page's number (8 bytes) for a value.
///
/// Nothing here trusts a page: what does not lie inside of it is nil.
enum MappedPage {
    static let size = 4_096
    static let branchFlags: UInt16 = 0x01
    static let leafFlags: UInt16 = 0x02
    static let headerByteCount = 16
    static let entryByteCount = 8
    private static let ownPagesFlags: UInt16 = 0x04
    /// The flags of a leaf's entry whose value lies on pages of its own.
    private static let ownPagesEntryFlags: UInt16 = 0x01

    /// How many entries a page has; nil where it is not of a kind, or has none.
    @inline(__always)
    static func entryCount(_ page: UnsafeRawPointer, _ flags: UInt16) -> Int? {
        let end = Int(unsafe page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        guard unsafe page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == flags, end > headerByteCount,
            end <= size
        else { return nil }
        return (end - headerByteCount) >> 1
    }

    /// The entry whose offset is at a place; nil where it does not lie in the page.
    @inline(__always)
    static func entry(_ slot: UnsafeRawPointer, of page: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = Int(unsafe slot.loadUnaligned(as: UInt16.self))
        guard offset <= size - entryByteCount else { return nil }
        let entry = unsafe page + offset
        return unsafe offset + entryByteCount + keyCount(entry) <= size ? entry : nil
    }

    /// The entry with a number below the page's ``entryCount(_:_:)``.
    @inline(__always)
    static func entry(_ number: Int, of page: UnsafeRawPointer) -> UnsafeRawPointer? {
        unsafe entry(page + headerByteCount + 2 * number, of: page)
    }

    /// The key of an entry.
    @inline(__always)
    static func key(_ entry: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: entry + entryByteCount, count: keyCount(entry))
    }

    @inline(__always)
    static func keyCount(_ entry: UnsafeRawPointer) -> Int {
        Int(unsafe entry.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
    }

    /// The number of the page that an entry of a branch leads to.
    @inline(__always)
    static func child(_ entry: UnsafeRawPointer) -> UInt64 {
        let low = unsafe entry.loadUnaligned(as: UInt32.self)
        let high = unsafe entry.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        return UInt64(low) | UInt64(high) << 32
    }

    /// The value of an entry of a leaf; nil where it does not lie in it.
    @inline(__always)
    static func value(_ entry: UnsafeRawPointer, of page: UnsafeRawPointer) -> UnsafeRawBufferPointer? {
        let value = unsafe valueStart(entry)
        let count = Int(unsafe entry.loadUnaligned(as: UInt32.self))
        guard unsafe entry.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0, unsafe value - page + count <= size
        else { return nil }
        return unsafe UnsafeRawBufferPointer(start: value, count: count)
    }

    /// The number of the first of a value's own pages; nil where it has none.
    static func ownPage(_ entry: UnsafeRawPointer, of page: UnsafeRawPointer) -> UInt64? {
        let value = unsafe valueStart(entry)
        guard unsafe entry.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == ownPagesEntryFlags,
            unsafe value - page + MemoryLayout<UInt64>.size <= size
        else { return nil }
        return unsafe value.loadUnaligned(as: UInt64.self)
    }

    /// The value of an entry on pages of its own; nil where there is none.
    ///
    /// - Parameters:
    ///   - first: the first of these pages.
    ///   - limit: how many pages are there from `first` on.
    static func value(
        _ entry: UnsafeRawPointer, onPages first: UnsafeRawPointer, limit: UInt64
    )
        -> UnsafeRawBufferPointer?
    {
        let count = Int(unsafe entry.loadUnaligned(as: UInt32.self))
        let pageCount = unsafe first.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        guard unsafe first.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == ownPagesFlags,
            UInt64(pageCount) <= limit, headerByteCount + count <= Int(pageCount) * size
        else { return nil }
        return unsafe UnsafeRawBufferPointer(start: first + headerByteCount, count: count)
    }

    @inline(__always)
    private static func valueStart(_ entry: UnsafeRawPointer) -> UnsafeRawPointer {
        unsafe entry + entryByteCount + keyCount(entry)
    }
}
