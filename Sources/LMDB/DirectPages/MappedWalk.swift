/// A walk over the entries of a database's tree in the map, in either direction, as one read transaction sees it.
///
/// `mdb_cursor_get` is a call for each entry, and does not know that the walk goes on. Here the leaf that comes next is asked
/// of memory while one is walked, from the third leaf on: the entries of a page lie in it in no order that the processor
/// foresees. Some lines with each entry, as all at once would keep the entries at hand waiting until memory has brought them.
/// Rows 9b, 9c and 9d of the benchmarks show what this saves.
@safe
struct MappedWalk {
    /// What a move to an entry has come to.
    @safe
    enum Move {
        case entry(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)
        case end
        /// To a page that is not of the form that is expected.
        case damage
    }

    /// What a move to a leaf has come to.
    private enum LeafMove {
        case leaf
        case end
        case damage
    }

    private static let lineByteCount: UInt = 64
    /// How many leaves ahead one is asked for that is counted and not walked.
    private static let countedAhead = 8

    private let tree: MappedTree
    /// The branches that lead to the leaf, from the root.
    private var branches: [MappedPageSlot]
    private var leaf: MappedPageSlot
    /// How many leaves the walk has come to.
    private var leafCount = 1
    /// What of the next leaf is still to be asked for: the lines from `nextLeaf` to here, the last first, as the entries of pages
    /// that were filled in order lie so.
    private var askedFrom: UInt = 0
    private var nextLeaf: UInt = 0
    /// How many bytes of it are asked for with each entry.
    private var askedWithEach: UInt = 0

    /// Begins at an entry of a tree.
    ///
    /// - Parameter key: its key, where it lies in the map.
    /// - Returns: nil where the tree has no such entry there.
    init?(_ tree: MappedTree, at key: UnsafeRawBufferPointer) {
        guard key.count > 0, var path = unsafe tree.path(to: key), let leaf = path.popLast(),
            let entry = unsafe MappedPage.entry(leaf.number, of: leaf.page),
            unsafe MappedPage.key(entry).baseAddress == key.baseAddress
        else { return nil }
        self.tree = tree
        self.leaf = leaf
        branches = path
    }

    /// Goes to the entry before (-1) or behind (1). After any other move there is none.
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

    /// Goes to the last entry of the leaf, unless this has the key at an address.
    ///
    /// - Returns: how many entries it went over.
    mutating func skipLeaf(unlessItHas address: UInt) -> Int {
        guard unsafe address >> 12 != UInt(bitPattern: leaf.page) >> 12 else { return 0 }
        let count = leaf.count - 1 - leaf.number
        leaf.number = leaf.count - 1
        // Of leaves that are counted no more is looked at than where they begin.
        askedFrom = nextLeaf
        if let page = unsafe page(ofLeaf: Self.countedAhead) { Calls.prefetch(address: UInt(bitPattern: page)) }
        return count
    }

    /// Goes to the leaf before or behind.
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

    /// The page that an entry of a branch leads to, at its first or its last entry.
    private func child(of branch: MappedPageSlot, _ flags: UInt16, _ step: Int) -> MappedPageSlot? {
        guard let entry = unsafe MappedPage.entry(branch.number, of: branch.page),
            let page = unsafe tree.page(MappedPage.child(entry)),
            let count = unsafe MappedPage.entryCount(page, flags)
        else { return nil }
        return unsafe MappedPageSlot(page: page, number: step > 0 ? 0 : count - 1, count: count)
    }

    /// The page of a leaf that is some leaves ahead, or behind, below the same branch.
    private func page(ofLeaf step: Int) -> UnsafeRawPointer? {
        guard var slot = branches.last, slot.move(by: step),
            let entry = unsafe MappedPage.entry(slot.number, of: slot.page)
        else { return nil }
        return unsafe tree.page(MappedPage.child(entry))
    }

    /// Begins to ask memory for the leaf behind this one, where the walk has come so far that it will come there.
    private mutating func askForNextLeaf(_ step: Int) {
        askedFrom = nextLeaf
        guard leafCount > 2 else { return }
        if leafCount == 3 { unsafe Calls.prefetch(page: UInt(bitPattern: leaf.page) >> 12) }
        guard let page = unsafe page(ofLeaf: step) else { return }
        nextLeaf = UInt(bitPattern: page)
        askedFrom = nextLeaf + UInt(MappedPage.size)
        // At two thirds of the entries all is asked for: the last lines need their time too. A power of two comes out even.
        askedWithEach = Self.lineByteCount
        while askedWithEach < MappedPage.size, Int(askedWithEach) * leaf.count < MappedPage.size * 3 / 2 {
            askedWithEach <<= 1
        }
    }

    /// Asks for some more of the next leaf.
    @inline(__always)
    private mutating func askForSome() {
        let end = askedFrom &- askedWithEach
        while askedFrom != end {
            askedFrom &-= Self.lineByteCount
            Calls.prefetch(address: askedFrom)
        }
    }
}
