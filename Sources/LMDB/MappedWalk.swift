/// A walk over the entries of a database's tree in the map, in either direction, as one read transaction sees it.
///
/// `mdb_cursor_get` is a call for each entry, and does not know that the walk goes on. Here the leaf that comes next is asked
/// of memory when one is entered, from the third leaf on: the entries of a page lie in it in no order that the processor
/// foresees. Rows 9b, 9c and 9d of the benchmarks show what this saves.
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

    private let tree: MappedTree
    /// The branches that lead to the leaf, from the root.
    private var branches: [MappedPlace]
    private var leaf: MappedPlace
    /// How many leaves the walk has come to.
    private var leafCount = 1

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
            guard let place = child(of: branches[level], MappedPage.branchFlags, step) else { return .damage }
            level += 1
            branches[level] = place
        }
        guard let place = child(of: branches[level], MappedPage.leafFlags, step) else { return .damage }
        leaf = place
        leafCount += 1
        askForNextLeaf(step)
        return .leaf
    }

    /// The page that an entry of a branch leads to, at its first or its last entry.
    private func child(of branch: MappedPlace, _ flags: UInt16, _ step: Int) -> MappedPlace? {
        guard let entry = unsafe MappedPage.entry(branch.number, of: branch.page),
            let page = unsafe tree.page(MappedPage.child(entry)),
            let count = unsafe MappedPage.entryCount(page, flags)
        else { return nil }
        return unsafe MappedPlace(page: page, number: step > 0 ? 0 : count - 1, count: count)
    }

    /// Asks memory for the leaf behind this one, where the walk has come so far that it will come there.
    private func askForNextLeaf(_ step: Int) {
        guard leafCount > 2, var next = branches.last else { return }
        if leafCount == 3 { unsafe Calls.prefetch(page: UInt(bitPattern: leaf.page) >> 12) }
        if next.move(by: step), let entry = unsafe MappedPage.entry(next.number, of: next.page),
            let page = unsafe tree.page(MappedPage.child(entry))
        {
            Calls.prefetch(page: UInt(bitPattern: page) >> 12)
        }
    }
}
