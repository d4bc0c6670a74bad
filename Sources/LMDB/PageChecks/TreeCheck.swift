internal import CLMDB

/// Checks pages of a tree so far that LMDB can read and change them without ending the process.
///
/// LMDB trusts its pages: it follows offsets and page numbers, moves entries within a page, and stops the process where two pages
/// contradict each other. A page is sound if all of this holds:
///
/// - It has its own number, and the kind that its level needs.
/// - Its entries fill exactly the space between the list of entries and the end of the page.
/// - Its keys ascend, and are within the bounds that the branch above sets. So no page can be in a tree twice.
/// - The pages of its large values are in the file.
@safe
struct TreeCheck {
    /// The kind of the entries of a tree.
    enum Content {
        case records
        /// The main database: records, and the records of databases.
        case databases
        /// The free list: numbers of transactions, and pages.
        case freePages
    }

    private static let longestKey = 511

    let pages: SnapshotPages
    let content: Content

    private var size: Int { pages.pageSize }

    // MARK: Trees

    /// Throws unless all pages of a tree are sound.
    ///
    /// - Parameters:
    ///   - leaf: called with each leaf; throws or returns false for an unexpected content.
    ///   - sound: called with each page.
    static func requireWhole(
        _ record: TreeRecord, of content: Content, in pages: SnapshotPages, _ environment: LMDBEnvironment,
        _ operation: StaticString, leaf: (UnsafeRawPointer, Int) -> Bool = { _, _ in true },
        sound: (UInt64) -> Bool = { _ in true }
    ) throws(LMDBError) {
        switch unsafe damage(record, of: content, in: pages, leaf: leaf, sound: sound) {
        case nil: return
        case .record: throw environment.damaged(nil, operation)
        case .page(let page): throw environment.damaged(page, operation)
        }
    }

    /// A part of a tree that is not sound.
    enum Damage {
        case record
        case page(UInt64)
    }

    /// Returns the first damage of a tree; nil if all its pages are sound.
    ///
    /// - Parameters:
    ///   - leaf: called with each leaf; throws or returns false for an unexpected content.
    ///   - sound: called with each page.
    static func damage(
        _ record: TreeRecord, of content: Content, in pages: SnapshotPages,
        leaf: (UnsafeRawPointer, Int) -> Bool = { _, _ in true }, sound: (UInt64) -> Bool = { _ in true }
    ) -> Damage? {
        guard record.isSound(in: pages) else { return .record }
        guard record.root != MappedPage.none else { return nil }
        let check = TreeCheck(pages: pages, content: content)
        return unsafe check.damage(below: record.root, levels: record.depth, .all, leaf: leaf, sound: sound)
            .map { .page($0) }
    }

    /// Returns the first damage among the branches of a tree, which are a hundredth of its pages. The leaves must be in the file,
    /// and are not read.
    static func damageOfBranches(_ record: TreeRecord, of content: Content, in pages: SnapshotPages) -> Damage? {
        guard record.isSound(in: pages) else { return .record }
        guard record.root != MappedPage.none else { return nil }
        let check = TreeCheck(pages: pages, content: content)
        return check.damageOfBranches(below: record.root, levels: record.depth, .all).map { .page($0) }
    }

    private func damageOfBranches(below number: UInt64, levels: Int, _ bounds: KeyBounds) -> UInt64? {
        guard levels > 1 else { return number > 1 && number < pages.limit ? nil : number }
        guard isSound(number, isLeaf: false, bounds), let page = unsafe pages.page(number),
            let count = unsafe MappedPage.entryCount(page, MappedPage.branchFlags, size: size)
        else { return number }
        for index in 0..<count {
            guard let (child, inner) = unsafe child(index, of: page, count, bounds) else { return number }
            if let damage = damageOfBranches(below: child, levels: levels - 1, inner) { return damage }
        }
        return nil
    }

    /// Returns the number of the first damaged page; nil if all are sound.
    private func damage(
        below number: UInt64, levels: Int, _ bounds: KeyBounds, leaf: (UnsafeRawPointer, Int) -> Bool,
        sound: (UInt64) -> Bool
    ) -> UInt64? {
        guard isSound(number, isLeaf: levels == 1, bounds), sound(number),
            let page = unsafe pages.page(number),
            let count = unsafe MappedPage.entryCount(
                page, levels == 1 ? MappedPage.leafFlags : MappedPage.branchFlags, size: size)
        else { return number }
        if levels == 1 { return unsafe leaf(page, count) ? nil : number }
        for index in 0..<count {
            guard let (child, inner) = unsafe child(index, of: page, count, bounds) else { return number }
            let damage = unsafe damage(
                below: child, levels: levels - 1, inner, leaf: leaf, sound: sound)
            if let damage { return damage }
        }
        return nil
    }

    /// Returns the page that an entry of a sound branch leads to, and the bounds of the keys there.
    @inline(__always)
    func child(
        _ index: Int, of page: UnsafeRawPointer, _ count: Int, _ bounds: KeyBounds
    ) -> (page: UInt64, bounds: KeyBounds)? {
        guard let entry = unsafe MappedPage.entry(index, of: page, size: size) else { return nil }
        var inner = bounds
        if index > 0 { unsafe inner.low = MappedPage.key(entry) }
        if index + 1 < count {
            guard let next = unsafe MappedPage.entry(index + 1, of: page, size: size) else { return nil }
            unsafe inner.high = MappedPage.key(next)
        }
        return unsafe (MappedPage.child(entry), inner)
    }

    // MARK: Pages

    /// Returns whether a page is sound.
    func isSound(_ number: UInt64, isLeaf: Bool, _ bounds: KeyBounds) -> Bool {
        guard number > 1, let page = unsafe pages.page(number),
            unsafe page.loadUnaligned(as: UInt64.self) == number,
            let count = unsafe MappedPage.entryCount(
                page, isLeaf ? MappedPage.leafFlags : MappedPage.branchFlags, size: size)
        else { return false }
        // LMDB requires two entries of a branch, except in the free list.
        guard isLeaf || count > 1 || content == .freePages else { return false }
        let listEnd = Int(unsafe page.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        let spaceEnd = Int(unsafe page.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        guard listEnd & 1 == 0, listEnd <= spaceEnd, spaceEnd <= size, spaceEnd & 1 == 0 else { return false }
        return unsafe fillsSpace(page, count, from: spaceEnd, isLeaf: isLeaf) && ascends(page, count, isLeaf, bounds)
    }

    /// Returns whether the entries of a page fill the space from an offset to the end of the page, without gaps and overlaps.
    ///
    /// Each begins at an offset of its own, and ends where the next one begins or at the end of the page. Together they have the
    /// size of the space. Then the chain from the first of them to the end contains all.
    private func fillsSpace(_ page: UnsafeRawPointer, _ count: Int, from start: Int, isLeaf: Bool) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: size / 128) { begins in
            unsafe begins.initialize(repeating: 0)
            var total = 0
            for index in 0..<count {
                guard let entry = unsafe MappedPage.entry(index, of: page, size: size),
                    let length = unsafe length(entry, of: page, isLeaf: isLeaf)
                else { return false }
                let offset = unsafe entry - page
                guard offset >= start, offset & 1 == 0, offset + length <= size else { return false }
                let bit = UInt64(1) << UInt64(offset >> 1 & 63)
                guard unsafe begins[offset >> 7] & bit == 0 else { return false }
                unsafe begins[offset >> 7] |= bit
                total += length
            }
            guard total == size - start else { return false }
            for index in 0..<count {
                guard let entry = unsafe MappedPage.entry(index, of: page, size: size),
                    let length = unsafe length(entry, of: page, isLeaf: isLeaf)
                else { return false }
                let end = unsafe entry - page + length
                guard unsafe end == size || begins[end >> 7] & UInt64(1) << UInt64(end >> 1 & 63) != 0 else {
                    return false
                }
            }
            return true
        }
    }

    /// Returns the bytes of an entry, with those that make it even; nil if it cannot be an entry of the tree.
    @inline(__always)
    private func length(_ entry: UnsafeRawPointer, of page: UnsafeRawPointer, isLeaf: Bool) -> Int? {
        let keyCount = unsafe MappedPage.keyCount(entry)
        guard keyCount <= Self.longestKey else { return nil }
        var length = MappedPage.entryByteCount + keyCount
        if isLeaf {
            let flags = unsafe MappedPage.entryFlags(entry)
            let count = unsafe MappedPage.valueCount(entry)
            if flags == MappedPage.ownPagesEntryFlag {
                guard unsafe hasOwnPages(entry, of: page) else { return nil }
                length += MemoryLayout<UInt64>.size
            } else {
                let isDatabase = flags == MappedPage.databaseEntryFlag
                guard flags == 0 || isDatabase && content == .databases && count == TreeRecord.byteCount else {
                    return nil
                }
                length += count
            }
        }
        return (length + 1) & ~1
    }

    /// Returns whether a large value is on pages of its own.
    private func hasOwnPages(_ entry: UnsafeRawPointer, of page: UnsafeRawPointer) -> Bool {
        guard let number = unsafe MappedPage.ownPage(entry, of: page, size: size), number > 1,
            let first = unsafe pages.page(number)
        else { return false }
        return unsafe first.loadUnaligned(as: UInt64.self) == number
            && MappedPage.value(entry, onPages: first, limit: pages.limit - number, size: size) != nil
    }

    /// Returns whether the keys of a page ascend and are within bounds.
    private func ascends(_ page: UnsafeRawPointer, _ count: Int, _ isLeaf: Bool, _ bounds: KeyBounds) -> Bool {
        // The first entry of a branch has no key.
        var last = unsafe bounds.low
        if isLeaf { unsafe last = nil }
        for index in (isLeaf ? 0 : 1)..<count {
            guard let entry = unsafe MappedPage.entry(index, of: page, size: size) else { return false }
            let key = unsafe MappedPage.key(entry)
            guard key.count > 0, content != .freePages || key.count == MemoryLayout<UInt64>.size else { return false }
            if isLeaf, index == 0 {
                if let low = unsafe bounds.low, unsafe order(low, key) > 0 { return false }
            } else if let last = unsafe last, unsafe order(last, key) >= 0 {
                return false
            }
            unsafe last = key
        }
        guard let last = unsafe last, let high = unsafe bounds.high else { return true }
        return unsafe order(last, high) < 0
    }

    /// Returns whether the first and the last key of a sound page are within bounds.
    @inline(__always)
    func isInside(_ bounds: KeyBounds, _ page: UnsafeRawPointer, _ count: Int, isLeaf: Bool) -> Bool {
        // The first entry of a branch has no key.
        guard let first = unsafe MappedPage.entry(isLeaf ? 0 : 1, of: page, size: size),
            let last = unsafe MappedPage.entry(count - 1, of: page, size: size)
        else { return false }
        if let low = unsafe bounds.low, unsafe order(low, MappedPage.key(first)) > 0 { return false }
        guard let high = unsafe bounds.high else { return true }
        return unsafe order(MappedPage.key(last), high) < 0
    }

    @inline(__always)
    private func order(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        guard content == .freePages else {
            return unsafe MappedTree.Key(second).order(ofKey: first.baseAddress.unsafelyUnwrapped, first.count)
        }
        let (left, right) = unsafe (first.loadUnaligned(as: UInt64.self), second.loadUnaligned(as: UInt64.self))
        return left < right ? -1 : left > right ? 1 : 0
    }
}
