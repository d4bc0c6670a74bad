/// A walk over the entries of a database's tree in the map, in either direction, as one read transaction sees it.
///
/// `mdb_cursor_get` needs a call per entry, and does not know that the walk continues. Here, the next leaf is prefetched while
/// the current one is walked, from the third leaf on. The processor cannot predict the accesses, because the entries of a page
/// are not in address order. Each entry prefetches only a few lines: all lines at once would delay the current entries. Rows 9b,
/// 9c and 9d of the benchmarks measure the gain.
@safe
struct MappedWalk {
    /// The result of a move to an entry.
    @safe
    enum Move {
        case entry(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
        case end
        /// A page has an unexpected layout.
        case damage
    }

    /// The result of a move to a leaf.
    private enum LeafMove {
        case leaf
        case end
        case damage
    }

    private static let lineByteCount: UInt = 64
    /// How many leaves ahead to prefetch when leaves are counted and not walked.
    private static let countedAhead = 8

    private let tree: MappedTree
    /// The branches that lead to the leaf, from the root.
    private var branches: [MappedPageSlot]
    private var leaf: MappedPageSlot
    /// How many leaves the walk has reached.
    private var leafCount = 1
    /// The lines of the next leaf that are still to be prefetched: from `nextLeaf` up to this address. The last lines come first,
    /// because pages that were filled in order have their entries in this direction.
    private var askedFrom: UInt = 0
    private var nextLeaf: UInt = 0
    /// How many bytes of the next leaf are prefetched with each entry.
    private var askedWithEach: UInt = 0

    /// Begins at an entry of a tree.
    ///
    /// - Parameter key: the entry's key, at its address in the map.
    /// - Returns: nil if the tree has no such entry at this address.
    init?(_ tree: MappedTree, at key: UnsafeRawBufferPointer) {
        guard key.count > 0, var path = unsafe tree.path(to: key), let leaf = path.popLast(),
            let entry = unsafe MappedPage.entry(leaf.number, of: leaf.page),
            unsafe MappedPage.key(entry).baseAddress == key.baseAddress
        else { return nil }
        self.tree = tree
        self.leaf = leaf
        branches = path
    }

    /// Moves to the previous (-1) or the next (1) entry. After a result other than an entry, there is no current entry.
    @inline(__always)
    mutating func move(by step: Int) -> Move {
        if !leaf.move(by: step) {
            switch goToLeaf(step) {
            case .leaf: break
            case .end: return .end
            case .damage: return .damage
            }
        }
        if askedFrom != nextLeaf { askForSome() }
        guard let entry = unsafe MappedPage.entry(leaf.number, of: leaf.page),
            let value = unsafe MappedPage.value(entry, of: leaf.page) ?? tree.valueOnOwnPages(entry, of: leaf.page)
        else { return .damage }
        return unsafe .entry(key: MappedPage.key(entry), value: value)
    }

    /// Moves to the last entry of the leaf, unless the leaf contains the key at an address.
    ///
    /// - Returns: how many entries it skipped.
    mutating func skipLeaf(unlessItHas address: UInt) -> Int {
        guard unsafe address >> 12 != UInt(bitPattern: leaf.page) >> 12 else { return 0 }
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
        guard var level = branches.indices.last else { return .end }
        while !branches[level].move(by: step) {
            if level == 0 { return .end }
            level -= 1
        }
        while level + 1 < branches.count {
            guard let slot = child(of: branches[level], MappedPage.branchFlags, step) else { return .damage }
            level += 1
            branches[level] = slot
        }
        guard let slot = child(of: branches[level], MappedPage.leafFlags, step) else { return .damage }
        leaf = slot
        leafCount += 1
        askForNextLeaf(step)
        return .leaf
    }

    /// Returns the page that a branch entry leads to, at its first or its last entry.
    private func child(of branch: MappedPageSlot, _ flags: UInt16, _ step: Int) -> MappedPageSlot? {
        guard let entry = unsafe MappedPage.entry(branch.number, of: branch.page),
            let page = unsafe tree.page(MappedPage.child(entry)),
            let count = unsafe MappedPage.entryCount(page, flags)
        else { return nil }
        return unsafe MappedPageSlot(page: page, number: step > 0 ? 0 : count - 1, count: count)
    }

    /// Returns the page of a leaf that is several leaves ahead or behind, below the same branch.
    private func page(ofLeaf step: Int) -> UnsafeRawPointer? {
        guard var slot = branches.last, slot.move(by: step),
            let entry = unsafe MappedPage.entry(slot.number, of: slot.page)
        else { return nil }
        return unsafe tree.page(MappedPage.child(entry))
    }

    /// Begins to prefetch the next leaf, if the walk is long enough that it will probably reach it.
    private mutating func askForNextLeaf(_ step: Int) {
        askedFrom = nextLeaf
        guard leafCount > 2 else { return }
        if leafCount == 3 { unsafe Calls.prefetch(page: UInt(bitPattern: leaf.page) >> 12) }
        guard let page = unsafe page(ofLeaf: step) else { return }
        nextLeaf = UInt(bitPattern: page)
        askedFrom = nextLeaf + UInt(MappedPage.size)
        // The prefetch is complete after two thirds of the entries, so that the last lines arrive in time. A power of two divides
        // the page evenly.
        askedWithEach = Self.lineByteCount
        while askedWithEach < MappedPage.size, Int(askedWithEach) * leaf.count < MappedPage.size * 3 / 2 {
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
