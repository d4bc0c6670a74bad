/// A walk over the entries of a database's tree, in either direction, as one snapshot has it.
///
/// The next leaf is prefetched while the current one is walked, from the third leaf on. The processor cannot predict the
/// accesses, because the entries of a page are not in address order. Each entry prefetches only a few lines: all lines at once
/// would delay the current entries. Rows 9b, 9c and 9d of the benchmarks measure the gain.
///
/// The owner must call ``free(_:)`` at the end.
@safe
struct MappedWalk {
    /// The result of a move to an entry.
    @safe
    enum Move {
        case entry(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
        case end
        /// The page with this number has an unexpected layout.
        case damage(UInt64)
    }

    /// The result of a move to a leaf.
    private enum LeafMove {
        case leaf
        case end
        case damage(UInt64)
    }

    private static let lineByteCount: UInt = 64
    /// How many leaves ahead to prefetch when leaves are counted and not walked.
    private static let countedAhead = 8

    private let tree: MappedTree
    /// The branches that lead to the leaf, from the root.
    private let branches: UnsafeMutablePointer<MappedPageSlot>
    private var leaf: MappedPageSlot
    /// Whether there is a leaf.
    private(set) var isInside = false
    /// The page that the last move found damaged.
    private(set) var damagedPage: UInt64?
    /// How many leaves the walk has reached.
    private var leafCount = 1
    /// The lines of the next leaf that are still to be prefetched: from `nextLeaf` up to this address. The last lines come first,
    /// because pages that were filled in order have their entries in this direction.
    private var askedFrom: UInt = 0
    private var nextLeaf: UInt = 0
    /// How many bytes of the next leaf are prefetched with each entry.
    private var askedWithEach: UInt = 0

    /// Creates a walk before its first move, in memory of its own: cursors are moved in memory, and this is large.
    static func make(_ tree: MappedTree) -> UnsafeMutablePointer<MappedWalk> {
        let memory = UnsafeMutablePointer<MappedWalk>.allocate(capacity: 1)
        unsafe memory.initialize(to: MappedWalk(tree))
        return unsafe memory
    }

    static func free(_ walk: UnsafeMutablePointer<MappedWalk>) {
        unsafe walk.pointee.branches.deallocate()
        unsafe walk.deinitialize(count: 1)
        unsafe walk.deallocate()
    }

    private init(_ tree: MappedTree) {
        self.tree = tree
        unsafe branches = UnsafeMutablePointer<MappedPageSlot>.allocate(capacity: max(tree.depth, 1))
        unsafe leaf = MappedPageSlot(page: branches, number: 0, count: 0)
    }

    // MARK: Searches

    /// Moves to the first (1) or to the last (-1) entry.
    mutating func moveToEnd(_ step: Int) -> Move {
        begin()
        guard tree.depth > 0 else { return .end }
        var number = tree.root
        for level in 1..<tree.depth {
            guard let slot = outermost(number, MappedPage.branchFlags, step),
                let next = child(of: slot)
            else { return stop(at: number) }
            unsafe (branches + level - 1).initialize(to: slot)
            number = next
        }
        guard let slot = outermost(number, MappedPage.leafFlags, step) else { return stop(at: number) }
        leaf = slot
        isInside = true
        return entry()
    }

    /// Moves to the first entry that is not before a key.
    ///
    /// - Parameter key: at least one byte.
    mutating func seek(atLeast key: UnsafeRawBufferPointer) -> Move {
        switch unsafe descend(to: MappedTree.Key(key)) {
        case .at(let isExact):
            if isExact || leaf.number < leaf.count { return entry() }
            leaf.number -= 1
            return move(by: 1)
        case .nowhere: return .end
        case .damage(let page): return stop(at: page)
        }
    }

    /// Moves to the entry with a key.
    ///
    /// - Parameter key: at least one byte.
    mutating func seek(exactly key: UnsafeRawBufferPointer) -> Move {
        switch unsafe descend(to: MappedTree.Key(key)) {
        case .at(isExact: true): entry()
        case .at(isExact: false), .nowhere: .end
        case .damage(let page): stop(at: page)
        }
    }

    /// The result of a descent to a leaf.
    private enum Descent {
        case at(isExact: Bool)
        case nowhere
        case damage(UInt64)
    }

    private mutating func descend(to key: MappedTree.Key) -> Descent {
        let isNear = isInside && contains(key)
        begin()
        guard tree.depth > 0 else { return .nowhere }
        var number = tree.root
        if isNear {
            number = leaf.pageNumber
        } else {
            for level in 1..<tree.depth {
                guard let page = unsafe tree.page(number), let slot = unsafe tree.branchSlot(key, in: page, number),
                    let next = child(of: slot)
                else { return .damage(number) }
                unsafe (branches + level - 1).initialize(to: slot)
                number = next
            }
        }
        guard let page = unsafe tree.page(number), let found = unsafe tree.leafSlot(key, in: page, number) else {
            return .damage(number)
        }
        leaf = found.slot
        isInside = true
        return .at(isExact: found.isExact)
    }

    /// Returns whether a key belongs to the current leaf, because it is between the first and the last of its keys.
    private func contains(_ key: MappedTree.Key) -> Bool {
        guard let first = unsafe MappedPage.entry(0, of: leaf.page, size: tree.pageSize),
            let last = unsafe MappedPage.entry(leaf.count - 1, of: leaf.page, size: tree.pageSize)
        else { return false }
        return unsafe key.order(of: first) <= 0 && key.order(of: last) >= 0
    }

    /// Begins a new walk: the position of a search does not show how far the following walk goes.
    private mutating func begin() {
        isInside = false
        damagedPage = nil
        leafCount = 1
        askedFrom = nextLeaf
    }

    // MARK: Steps

    /// Moves from an entry to the previous (-1) or the next (1) entry. After a result other than an entry, there is no current
    /// entry.
    @inline(__always)
    mutating func move(by step: Int) -> Move {
        if !leaf.move(by: step) {
            switch goToLeaf(step) {
            case .leaf: break
            case .end:
                isInside = false
                return .end
            case .damage(let page):
                return stop(at: page)
            }
        }
        if askedFrom != nextLeaf { askForSome() }
        return entry()
    }

    @inline(__always)
    private mutating func entry() -> Move {
        guard let entry = unsafe MappedPage.entry(leaf.number, of: leaf.page, size: tree.pageSize),
            let value = unsafe tree.value(entry, of: leaf.page)
        else { return stop(at: leaf.pageNumber) }
        return unsafe .entry(key: MappedPage.key(entry), value: value)
    }

    @inline(never)
    private mutating func stop(at page: UInt64) -> Move {
        isInside = false
        damagedPage = page
        return .damage(page)
    }

    /// Moves to the last entry of the leaf, unless the leaf contains the key at an address.
    ///
    /// - Returns: how many entries it skipped.
    mutating func skipLeaf(unlessItHas address: UInt) -> Int {
        guard unsafe address &- UInt(bitPattern: leaf.page) >= UInt(tree.pageSize) else { return 0 }
        let count = leaf.count - 1 - leaf.number
        leaf.number = leaf.count - 1
        // Only the beginning of a counted leaf is read.
        askedFrom = nextLeaf
        if let page = unsafe page(ofLeaf: Self.countedAhead) { Calls.prefetch(address: UInt(bitPattern: page)) }
        return count
    }

    /// Moves to the previous or the next leaf.
    @inline(never)
    private mutating func goToLeaf(_ step: Int) -> LeafMove {
        let leafLevel = tree.depth - 1
        guard leafLevel > 0 else { return .end }
        var level = leafLevel - 1
        while unsafe !branches[level].move(by: step) {
            if level == 0 { return .end }
            level -= 1
        }
        while level + 1 < leafLevel {
            let branch = unsafe branches[level]
            guard let number = child(of: branch) else { return .damage(branch.pageNumber) }
            guard let slot = outermost(number, MappedPage.branchFlags, step) else { return .damage(number) }
            level += 1
            unsafe branches[level] = slot
        }
        let branch = unsafe branches[level]
        guard let number = child(of: branch) else { return .damage(branch.pageNumber) }
        guard let slot = outermost(number, MappedPage.leafFlags, step) else { return .damage(number) }
        leaf = slot
        leafCount += 1
        askForNextLeaf(step)
        return .leaf
    }

    /// Returns the first (1) or the last (-1) entry of a page; nil if it has an unexpected layout.
    private func outermost(_ number: UInt64, _ flags: UInt16, _ step: Int) -> MappedPageSlot? {
        guard let page = unsafe tree.page(number), let count = unsafe tree.entryCount(page, flags, number) else {
            return nil
        }
        return unsafe MappedPageSlot(page: page, number: step > 0 ? 0 : count - 1, count: count)
    }

    /// Returns the number of the page that a branch entry leads to; nil if the entry is not inside the page.
    @inline(__always)
    private func child(of branch: MappedPageSlot) -> UInt64? {
        unsafe MappedPage.entry(branch.number, of: branch.page, size: tree.pageSize).map { unsafe MappedPage.child($0) }
    }

    /// Returns the page of a leaf that is several leaves ahead or behind, below the same branch.
    private func page(ofLeaf step: Int) -> UnsafeRawPointer? {
        guard tree.depth > 1 else { return nil }
        var slot = unsafe branches[tree.depth - 2]
        guard slot.move(by: step), let number = child(of: slot) else { return nil }
        return unsafe tree.page(number)
    }

    /// Begins to prefetch the next leaf, if the walk is long enough that it will probably reach it.
    private mutating func askForNextLeaf(_ step: Int) {
        askedFrom = nextLeaf
        guard leafCount > 2 else { return }
        if leafCount == 3 { unsafe Calls.prefetch(page: UInt(bitPattern: leaf.page) >> 12) }
        guard let page = unsafe page(ofLeaf: step) else { return }
        nextLeaf = UInt(bitPattern: page)
        askedFrom = nextLeaf + UInt(tree.pageSize)
        // The prefetch is complete after two thirds of the entries, so that the last lines arrive in time. A power of two divides
        // the page evenly.
        askedWithEach = Self.lineByteCount
        while askedWithEach < tree.pageSize, Int(askedWithEach) * leaf.count < tree.pageSize * 3 / 2 {
            askedWithEach <<= 1
        }
    }

    /// Prefetches some more of the next leaf.
    @inline(__always)
    private mutating func askForSome() {
        let end = askedFrom &- askedWithEach
        while askedFrom != end {
            askedFrom &-= Self.lineByteCount
            Calls.prefetch(address: askedFrom)
        }
    }
}
