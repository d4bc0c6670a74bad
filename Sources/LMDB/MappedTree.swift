internal import CLMDB
internal import Glibc

/// A database's tree in the map, as one read transaction sees it: finds several entries in less time than `mdb_get` takes for
/// one after the other.
///
/// A lookup waits for memory at nearly each entry that it compares with, and which one is next depends on the comparison. So
/// lookups one after the other wait one after the other. Here some keys go down the tree at once, and each asks memory for
/// its next entry before any looks at its own: they wait together. A comparison is arithmetic, as a branch would be guessed
/// wrong half the time. For one key alone `mdb_get` takes less time: what it guesses is asked of memory early. Rows 9a, 9e and
/// 10 of the benchmarks show what this saves.
///
/// What is found is taken where an entry of a leaf has the very key that is asked for, which makes it the answer: the pages of
/// a snapshot do not change while a transaction reads it. Everything else, such as a key that is not there, a value on pages
/// of its own, or a page of a form that is not expected, is left to LMDB.
///
/// The form of the pages is that of LMDB's data version 1, the only one that ``DataFileInspection`` lets an environment open
/// with. All numbers are in this machine's byte order. A page begins with its number (8 bytes), has flags at 10, and at 12
/// where the list of its entries ends, which begins at 16: an offset in the page for each, in the order of the keys. An entry
/// has its key's length at 6 and its key at 8. Before that a branch has the number of the page that the entry leads to (6
/// bytes), a leaf the value's length (4) and flags (2); the value follows the key. A branch's first entry has no key: it
/// stands for all that comes before the second.
///
/// Searches that wait together: O. Kocberber, B. Falsafi, B. Grot, "Asynchronous Memory Access Chaining", VLDB 2015. The
/// search without branches: P.-V. Khuong, P. Morin, "Array Layouts for Comparison-Based Searching", ACM JEA 2017.
@safe
struct MappedTree {
    private static let pageSize = 4_096
    private static let branchFlags: UInt16 = 0x01
    private static let leafFlags: UInt16 = 0x02
    private static let headerByteCount = 16
    private static let entryByteCount = 8
    /// What the main database has for a tree: flags at 4, the depth at 6, the root's number at 40.
    private static let recordByteCount = 48

    /// Where the map begins.
    private let base: UnsafeRawPointer
    /// The root's number.
    private let root: UInt64
    /// How many pages lead to an entry, the root and the leaf with it.
    private let depth: Int
    /// The number of the last page in use.
    private let lastPage: UInt64

    /// - Parameters:
    ///   - record: the main database's entry for the tree, in the map.
    ///   - info: the environment's size.
    /// - Returns: nil where the tree is empty, is in an order other than that of bytes, or has pages of another size.
    init?(record: MDB_val, info: LMDBInfo) {
        guard info.pageSize == Self.pageSize, unsafe record.mv_size == Self.recordByteCount,
            let bytes = unsafe UnsafeRawPointer(record.mv_data)
        else { return nil }
        depth = Int(unsafe bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        root = unsafe bytes.loadUnaligned(fromByteOffset: 40, as: UInt64.self)
        lastPage = UInt64(info.lastPage)
        // A page's place in the map follows from its own number.
        let offset = Int(bitPattern: bytes) & (Self.pageSize - 1)
        let page = unsafe bytes - offset
        let number = unsafe page.loadUnaligned(as: UInt64.self)
        guard unsafe bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0, depth > 0, root <= lastPage,
            number <= lastPage
        else { return nil }
        unsafe base = page - Int(number) * Self.pageSize
    }

    /// Where the search for one key has come to.
    @safe
    struct Search {
        fileprivate let key: UnsafeRawPointer
        fileprivate let keyCount: Int
        /// The first bytes of the key.
        fileprivate let word: UInt64
        /// The page that is searched; nil where LMDB is to be asked.
        fileprivate var page: UnsafeRawPointer?
        /// The first of the offsets among which the entry is, and how many they are.
        fileprivate var first: UnsafeRawPointer
        fileprivate var count = 0

        /// Begins a search for a key of at least one byte.
        init(_ key: UnsafeRawBufferPointer) {
            unsafe self.key = key.baseAddress.unsafelyUnwrapped
            keyCount = key.count
            word = unsafe MappedTree.word(self.key, keyCount)
            unsafe first = self.key
        }
    }

    /// Goes down to the leaves with all searches at once, so that they wait for memory together: each asks for its next entry
    /// before any looks at its own.
    func goDown(_ searches: UnsafeMutablePointer<Search>, _ count: Int) {
        for number in 0..<count { unsafe goTo(root, &searches[number]) }
        for level in 1...depth {
            let flags = level == depth ? Self.leafFlags : Self.branchFlags
            var longest = 1
            for number in 0..<count { longest = max(longest, unsafe Self.enter(&searches[number], flags)) }
            while longest > 1 {
                for number in 0..<count where unsafe searches[number].count > 1 { unsafe Self.halve(&searches[number]) }
                longest -= longest >> 1
            }
            if level == depth { return }
            for number in 0..<count { unsafe follow(&searches[number]) }
        }
    }

    /// The value under the key of a search that has come to a leaf; nil where that is for LMDB to tell.
    @inline(__always)
    func value(_ search: Search) -> UnsafeRawBufferPointer? {
        guard let page = unsafe search.page, let entry = unsafe Self.entry(search.first, of: page) else { return nil }
        let keyCount = Int(unsafe entry.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        let valueCount = Int(unsafe entry.loadUnaligned(as: UInt32.self))
        let value = unsafe entry + Self.entryByteCount + keyCount
        guard keyCount == search.keyCount, unsafe entry.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == 0,
            unsafe value - page + valueCount <= Self.pageSize,
            unsafe memcmp(entry + Self.entryByteCount, search.key, keyCount) == 0
        else { return nil }
        return unsafe UnsafeRawBufferPointer(start: value, count: valueCount)
    }

    @inline(__always)
    private func goTo(_ number: UInt64, _ search: inout Search) {
        guard number <= lastPage else { return unsafe search.page = nil }
        let page = unsafe base + Int(number) * Self.pageSize
        unsafe search.page = page
        // What is read of most pages before an entry is: the header and the offsets.
        for line in 0..<4 { Calls.prefetch(address: UInt(bitPattern: page) + UInt(line) * 64) }
    }

    /// Goes to the page that the entry of a branch leads to.
    @inline(__always)
    private func follow(_ search: inout Search) {
        guard let page = unsafe search.page, let entry = unsafe Self.entry(search.first, of: page) else {
            return unsafe search.page = nil
        }
        let low = unsafe entry.loadUnaligned(as: UInt32.self)
        let high = unsafe entry.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        goTo(UInt64(low) | UInt64(high) << 32, &search)
    }

    /// Begins with a page: how many entries it has.
    @inline(__always)
    private static func enter(_ search: inout Search, _ flags: UInt16) -> Int {
        guard let page = unsafe search.page else { return 0 }
        let end = Int(unsafe page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        guard unsafe page.loadUnaligned(fromByteOffset: 10, as: UInt16.self) == flags, end > headerByteCount,
            end <= pageSize
        else {
            unsafe search.page = nil
            return 0
        }
        unsafe search.first = page + headerByteCount
        search.count = (end - headerByteCount) >> 1
        unsafe askForMiddle(search, page)
        return search.count
    }

    /// Goes on with the half that has the last entry that is not after the key.
    @inline(__always)
    private static func halve(_ search: inout Search) {
        guard let page = unsafe search.page else { return }
        let half = search.count >> 1
        guard let entry = unsafe entry(search.first + 2 * half, of: page) else {
            search.count = 0
            return unsafe search.page = nil
        }
        unsafe search.first += mask(whereNotAfter: entry, search) & (2 * half)
        search.count &-= half
        unsafe askForMiddle(search, page)
    }

    /// Asks memory for the entry that is looked at next.
    @inline(__always)
    private static func askForMiddle(_ search: Search, _ page: UnsafeRawPointer) {
        let offset = unsafe (search.first + 2 * (search.count >> 1)).loadUnaligned(as: UInt16.self)
        Calls.prefetch(address: UInt(bitPattern: page) + UInt(offset))
    }

    /// The entry whose offset is at a place; nil where it does not lie in the page.
    @inline(__always)
    private static func entry(_ place: UnsafeRawPointer, of page: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = Int(unsafe place.loadUnaligned(as: UInt16.self))
        guard offset <= pageSize - entryByteCount else { return nil }
        let entry = unsafe page + offset
        let keyCount = Int(unsafe entry.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        return offset + entryByteCount + keyCount <= pageSize ? unsafe entry : nil
    }

    /// All bits where an entry does not come after a key, else none.
    @inline(__always)
    private static func mask(whereNotAfter entry: UnsafeRawPointer, _ search: Search) -> Int {
        let (key, keyCount, word) = unsafe (search.key, search.keyCount, search.word)
        let count = Int(unsafe entry.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        let other = unsafe self.word(entry + entryByteCount, count)
        // Keys of eight bytes, as integers have, are told apart by these alone.
        if count != 8 || keyCount != 8, other == word {
            return unsafe isTailAfter(entry + entryByteCount, count, key, keyCount) ? 0 : -1
        }
        // The borrow of a subtraction: a comparison would be compiled to a branch.
        let borrow = (~word & other) | (~(word ^ other) & (word &- other))
        return ~(Int(truncatingIfNeeded: borrow) >> 63)
    }

    @inline(never)
    private static func isTailAfter(
        _ other: UnsafeRawPointer, _ otherCount: Int, _ key: UnsafeRawPointer, _ count: Int
    ) -> Bool {
        let order = unsafe memcmp(other, key, min(count, otherCount))
        return order == 0 ? otherCount > count : order > 0
    }

    /// The first bytes of a key as a number that orders as they do.
    @inline(__always)
    fileprivate static func word(_ key: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count >= 8 { return UInt64(bigEndian: unsafe key.loadUnaligned(as: UInt64.self)) }
        var word: UInt64 = 0
        for place in 0..<count {
            word |= UInt64(unsafe key.loadUnaligned(fromByteOffset: place, as: UInt8.self)) << UInt64(56 - 8 * place)
        }
        return word
    }
}
