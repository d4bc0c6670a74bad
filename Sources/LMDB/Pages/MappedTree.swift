internal import CLMDB
internal import Glibc

/// A database's tree in the map, as one snapshot has it.
///
/// It reads the pages without LMDB, which trusts them: a damaged page would end the process. Here, each access is checked, and a
/// page with an unexpected layout is reported as damaged.
///
/// A lookup waits for memory at nearly each entry that it compares, and the comparison determines the next entry. Successive
/// lookups therefore add up their waits. In a joint search, several keys descend the tree together, and each prefetches its next
/// entry before any key is compared: their waits overlap. Its comparisons use arithmetic, because the processor would mispredict
/// a branch half the time. For a single key, ``find(_:)`` takes less time, because branch prediction loads the likely memory
/// early. Rows 9a, 9e and 10 of the benchmarks measure the gain.
///
/// A joint search returns a value only if a leaf entry has exactly the requested key. Everything else is left to ``find(_:)``: a
/// missing key, a value on pages of its own, or a damaged page.
///
/// ``MappedPage`` describes the layout of pages.
///
/// Overlapping searches: O. Kocberber, B. Falsafi, B. Grot, "Asynchronous Memory Access Chaining", VLDB 2015. Search without
/// branches: P.-V. Khuong, P. Morin, "Array Layouts for Comparison-Based Searching", ACM JEA 2017.
@safe
struct MappedTree {
    /// How many leaves ahead a search may begin without a descent from the root.
    private static let reach = 4

    /// The beginning of the map.
    private let base: UnsafeRawPointer
    let pageSize: Int
    /// The page number of the root, which differs between snapshots of a changed tree.
    let root: UInt64
    /// How many pages lead to an entry, including the root and the leaf; 0 if the tree is empty.
    let depth: Int
    /// Pages with this number and later ones are not in the file.
    private let limit: UInt64
    let record: TreeRecord

    /// An empty tree of no snapshot.
    init() { self.init(TreeRecord(), SnapshotPages()) }

    /// - Parameter record: a sound record of the snapshot that has these pages.
    init(_ record: TreeRecord, _ pages: SnapshotPages) {
        unsafe base = pages.base
        pageSize = pages.pageSize
        limit = pages.limit
        root = record.root
        depth = record.depth
        self.record = record
    }

    /// The state of the search for one key.
    @safe
    struct Search {
        fileprivate let key: UnsafeRawPointer
        fileprivate let keyCount: Int
        /// The first bytes of the key.
        fileprivate let word: UInt64
        /// The page to search; nil if this search cannot find the key.
        fileprivate var page: UnsafeRawPointer?
        /// The first of the candidate offsets, and their number.
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

    /// Descends to the leaves with all searches together. Each search prefetches its next entry before any search reads its own,
    /// so that their waits for memory overlap.
    ///
    /// - Parameter slot: the entry of the branch above the leaf through which an earlier search of this tree went. Keys that
    ///   follow closely, in order, begin at their leaves from there. Afterwards it is the entry of the last search.
    func goDown(_ searches: UnsafeMutablePointer<Search>, _ count: Int, from slot: inout MappedPageSlot?) {
        var near = 0
        if var branch = slot {
            while near < count, unsafe begin(&searches[near], from: &branch) { near += 1 }
            slot = branch
        }
        for number in near..<count { unsafe goTo(root, &searches[number]) }
        // If all searches began at their leaves, no search is at the branches.
        for level in (near == count ? depth : 1)...depth {
            let first = level == depth ? 0 : near
            let flags = self.flags(ofLevel: level)
            var longest = 1
            for number in first..<count { longest = max(longest, unsafe enter(&searches[number], flags)) }
            while longest > 1 {
                for number in first..<count where unsafe searches[number].count > 1 {
                    unsafe halve(&searches[number])
                }
                longest -= longest >> 1
            }
            if level == depth { return }
            if level == depth - 1 { slot = unsafe self.slot(searches[count - 1], flags) }
            for number in first..<count { unsafe follow(&searches[number]) }
        }
    }

    /// Begins a search at its leaf.
    ///
    /// - Parameter branch: the branch entry of a leaf before the call, and of the key's leaf after it.
    /// - Returns: false, without a change, if the key belongs to a leaf further away, or to another branch.
    @inline(__always)
    private func begin(_ search: inout Search, from branch: inout MappedPageSlot) -> Bool {
        // The first entry of a branch has no key.
        guard branch.number > 0, var entry = unsafe MappedPage.entry(branch.number, of: branch.page, size: pageSize),
            unsafe Self.mask(whereNotAfter: entry, search) != 0
        else { return false }
        var slot = branch
        for _ in 0...Self.reach {
            guard slot.move(by: 1), let next = unsafe MappedPage.entry(slot.number, of: slot.page, size: pageSize)
            else {
                return false
            }
            if unsafe Self.mask(whereNotAfter: next, search) == 0 {
                goTo(unsafe MappedPage.child(entry), &search)
                branch.number = slot.number - 1
                return true
            }
            unsafe entry = next
        }
        return false
    }

    /// Returns the current entry of a search in its page.
    private func slot(_ search: Search, _ flags: UInt16) -> MappedPageSlot? {
        guard let page = unsafe search.page, let count = unsafe MappedPage.entryCount(page, flags, size: pageSize)
        else { return nil }
        return unsafe slot(search, in: page, count)
    }

    private func slot(_ search: Search, in page: UnsafeRawPointer, _ count: Int) -> MappedPageSlot {
        unsafe MappedPageSlot(page: page, number: (search.first - page - MappedPage.headerByteCount) >> 1, count: count)
    }

    /// Returns the value under the key of a search that has reached a leaf; nil if only ``find(_:)`` can say.
    @inline(__always)
    func value(_ search: Search) -> UnsafeRawBufferPointer? {
        guard let page = unsafe search.page,
            let entry = unsafe MappedPage.entry(at: search.first, of: page, size: pageSize),
            let value = unsafe MappedPage.value(entry, of: page, size: pageSize)
        else { return nil }
        let key = unsafe MappedPage.key(entry)
        guard key.count == search.keyCount,
            unsafe memcmp(key.baseAddress.unsafelyUnwrapped, search.key, search.keyCount) == 0
        else { return nil }
        return unsafe value
    }

    /// Returns a page of the map; nil if no page has this number.
    @inline(__always)
    func page(_ number: UInt64) -> UnsafeRawPointer? {
        unsafe number < limit ? base + Int(number) * pageSize : nil
    }

    /// Returns the value of a leaf entry that is on pages of its own; nil if a page has an unexpected layout.
    @inline(never)
    func valueOnOwnPages(_ entry: UnsafeRawPointer, of leaf: UnsafeRawPointer) -> UnsafeRawBufferPointer? {
        guard let number = unsafe MappedPage.ownPage(entry, of: leaf, size: pageSize), let first = unsafe page(number)
        else {
            return nil
        }
        return unsafe MappedPage.value(entry, onPages: first, limit: limit - number, size: pageSize)
    }

    func flags(ofLevel level: Int) -> UInt16 { level == depth ? MappedPage.leafFlags : MappedPage.branchFlags }

    @inline(__always)
    private func goTo(_ number: UInt64, _ search: inout Search) {
        unsafe search.page = page(number)
        guard let page = unsafe search.page else { return }
        // For most pages, a search reads the header and the offsets before any entry.
        for line in 0..<4 { Calls.prefetch(address: UInt(bitPattern: page) + UInt(line) * 64) }
    }

    /// Moves to the page that a branch entry leads to.
    @inline(__always)
    private func follow(_ search: inout Search) {
        guard let page = unsafe search.page,
            let entry = unsafe MappedPage.entry(at: search.first, of: page, size: pageSize)
        else {
            return unsafe search.page = nil
        }
        goTo(unsafe MappedPage.child(entry), &search)
    }

    /// Begins with a page, and returns its number of entries.
    @inline(__always)
    private func enter(_ search: inout Search, _ flags: UInt16) -> Int {
        guard let page = unsafe search.page else { return 0 }
        guard let count = unsafe MappedPage.entryCount(page, flags, size: pageSize) else {
            unsafe search.page = nil
            return 0
        }
        unsafe search.first = page + MappedPage.headerByteCount
        search.count = count
        unsafe askForMiddle(search, page)
        return count
    }

    /// Continues with the half that contains the last entry that is not after the key.
    @inline(__always)
    private func halve(_ search: inout Search) {
        guard let page = unsafe search.page else { return }
        let half = search.count >> 1
        guard let entry = unsafe MappedPage.entry(at: search.first + 2 * half, of: page, size: pageSize) else {
            search.count = 0
            return unsafe search.page = nil
        }
        unsafe search.first += Self.mask(whereNotAfter: entry, search) & (2 * half)
        search.count &-= half
        unsafe askForMiddle(search, page)
    }

    /// Prefetches the entry that is compared next.
    @inline(__always)
    private func askForMiddle(_ search: Search, _ page: UnsafeRawPointer) {
        let offset = unsafe (search.first + 2 * (search.count >> 1)).loadUnaligned(as: UInt16.self)
        Calls.prefetch(address: UInt(bitPattern: page) + UInt(offset))
    }

    /// Returns all bits set if an entry is not after a key, and zero otherwise.
    @inline(__always)
    private static func mask(whereNotAfter entry: UnsafeRawPointer, _ search: Search) -> Int {
        let (key, keyCount, word) = unsafe (search.key, search.keyCount, search.word)
        let other = unsafe MappedPage.key(entry)
        let (start, count) = unsafe (other.baseAddress.unsafelyUnwrapped, other.count)
        let otherWord = unsafe self.word(start, count)
        // Keys of eight bytes, such as those of integers, differ only in this word.
        if count != 8 || keyCount != 8, otherWord == word {
            return unsafe isTailAfter(start, count, key, keyCount) ? 0 : -1
        }
        // The borrow of a subtraction, because a comparison would compile to a branch.
        let borrow = (~word & otherWord) | (~(word ^ otherWord) & (word &- otherWord))
        return ~(Int(truncatingIfNeeded: borrow) >> 63)
    }

    @inline(never)
    private static func isTailAfter(
        _ other: UnsafeRawPointer, _ otherCount: Int, _ key: UnsafeRawPointer, _ count: Int
    ) -> Bool {
        let order = unsafe memcmp(other, key, min(count, otherCount))
        return order == 0 ? otherCount > count : order > 0
    }

    /// Returns the first bytes of a key as a number with the same order.
    @inline(__always)
    fileprivate static func word(_ key: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count >= 8 { return UInt64(bigEndian: unsafe key.loadUnaligned(as: UInt64.self)) }
        var word: UInt64 = 0
        for offset in 0..<count {
            word |= UInt64(unsafe key.loadUnaligned(fromByteOffset: offset, as: UInt8.self)) << UInt64(56 - 8 * offset)
        }
        return word
    }
}
