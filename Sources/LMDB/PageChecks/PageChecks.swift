internal import CLMDB

/// Checks the pages that LMDB reads in write transactions, before it reads them.
///
/// LMDB reads a page of the newest commit on the way to a key, next to that way, in the main database, or in the free list. Each
/// is checked once for a process. A page with a higher number than the file had at first was written since by a sound process.
/// The pages that the transaction has changed are in LMDB's memory, and need no check.
///
/// - The main database and the free list are checked as a whole, and so are trees of few pages at their first use.
/// - In larger trees, an operation checks the way to its key and the pages beside it, because LMDB moves entries between
///   neighbouring pages. ``RemovedLeaves`` follows how far deletions can reach.
///
/// `@unchecked Sendable`: only the holder of the writer seat uses it.
@safe
final class PageChecks: @unchecked Sendable {
    /// Trees up to this size are checked at once: four megabytes, in about two milliseconds.
    private static let wholePages = 1_024

    private struct Tree {
        /// The base commit of `tree`, by its transaction number.
        var snapshot = -1
        var tree = MappedTree()
        /// Whether all its pages are checked.
        var isSound = false
        /// The keys whose leaf was checked last, in this transaction, with the pages beside it.
        var near: KeyBounds?
        var removed = RemovedLeaves()
    }

    /// By the handles of the databases, as far as they were used. There can be many more handles.
    private var trees: [Tree] = []
    /// The pages that are checked, of those that the file had at first.
    private var checked = PageSet(limit: 0)
    /// Pages with this number and later ones were written since.
    private var firstNew: UInt64 = 0
    /// The pages of the free list in the first write transaction; empty afterwards.
    private var unused = PageSet(limit: 0)
    private var hasBegun = false
    /// The newest commit when the write transaction began.
    private var pages = SnapshotPages()
    private var map: FileMap?
    /// The way of the last check; kept for its memory.
    private var path = TreePath()

    /// Begins a write transaction.
    func begin(_ context: TransactionContext, in environment: LMDBEnvironment) throws(LMDBError) {
        let base = unsafe Calls.identifier(of: context.handle) &- 1
        guard case .found(let found) = try environment.pages(of: base, isSettled: true, in: &map) else {
            throw environment.damagedMeta("mdb_txn_begin")
        }
        pages = found
        if hasBegun {
            unused = PageSet(limit: 0)
        } else {
            try checkFirst(environment)
        }
    }

    private func checkFirst(_ environment: LMDBEnvironment) throws(LMDBError) {
        firstNew = pages.limit
        checked = PageSet(limit: pages.limit)
        unused = try FreeListCheck.unusedPages(pages, environment, "mdb_txn_begin")
        unsafe try TreeCheck.requireWhole(
            pages.main, of: .databases, in: pages, environment, "mdb_txn_begin",
            sound: { !unused.contains($0) && checked.insert($0) })
        hasBegun = true
        trees[index(of: .main)].isSound = true
    }

    /// Releases the map. Nothing is checked afterwards.
    func close() { map = nil }

    /// Forgets a database, because LMDB may reuse its handle.
    func forget(_ database: LMDBDatabase) { trees[index(of: database)] = Tree() }

    // MARK: Checks

    @inline(__always)
    private func isSound(_ database: LMDBDatabase) -> Bool {
        let index = Int(database.handle)
        return index < trees.count && trees[index].isSound
    }

    /// Returns the index of a database in `trees`, which has it from then on.
    private func index(of database: LMDBDatabase) -> Int {
        let index = Int(database.handle)
        while trees.count <= index { trees.append(Tree()) }
        return index
    }

    /// Throws unless LMDB can read and change a tree at a position.
    @inline(__always)
    func require(
        _ database: LMDBDatabase, _ position: TreePosition, isDeleted: Bool = false, in context: TransactionContext,
        _ operation: StaticString
    ) throws(LMDBError) {
        if isSound(database) { return }
        try check(database, position, isDeleted, context, operation)
    }

    /// Throws unless LMDB can read all pages of a tree.
    func requireWhole(
        _ database: LMDBDatabase, in context: TransactionContext, _ operation: StaticString
    ) throws(LMDBError) {
        if isSound(database) { return }
        let environment = unsafe context.environment.takeUnretainedValue()
        guard let tree = try base(of: database, context, operation) else { return }
        try checkWhole(database, tree, environment, context, operation)
    }

    @inline(never)
    private func check(
        _ database: LMDBDatabase, _ position: TreePosition, _ isDeleted: Bool, _ context: TransactionContext,
        _ operation: StaticString
    ) throws(LMDBError) {
        let number = index(of: database)
        guard let tree = try base(of: database, context, operation) else { return }
        let environment = unsafe context.environment.takeUnretainedValue()
        if tree.record.branchPages &+ tree.record.leafPages <= Self.wholePages {
            return try checkWhole(database, tree, environment, context, operation)
        }
        if !isDeleted, let near = trees[number].near, near.contains(position) { return }
        path.removeAll()
        if let page = damage(from: tree.root, .all, to: position, of: tree, &path) ?? damage(beside: path, of: tree) {
            throw context.fail(environment.damaged(page, operation))
        }
        trees[number].near = path.steps.last?.bounds
        guard isDeleted, let leaf = path.leafNumber else { return }
        if let page = trees[number].removed.reach(from: leaf, { leaf, step in neighbour(of: leaf, step, tree) }) {
            throw context.fail(environment.damaged(page, operation))
        }
    }

    private func checkWhole(
        _ database: LMDBDatabase, _ tree: MappedTree, _ environment: LMDBEnvironment, _ context: TransactionContext,
        _ operation: StaticString
    ) throws(LMDBError) {
        do {
            unsafe try TreeCheck.requireWhole(
                tree.record, of: .records, in: pages, environment, operation, sound: { !unused.contains($0) })
        } catch {
            throw context.fail(error)
        }
        trees[index(of: database)] = Tree(isSound: true)
    }

    /// Returns the tree of a database in the newest commit; nil if it is not there.
    private func base(
        of database: LMDBDatabase, _ context: TransactionContext, _ operation: StaticString
    ) throws(LMDBError) -> MappedTree? {
        let number = index(of: database)
        if trees[number].snapshot == pages.transactionID { return trees[number].tree }
        let environment = unsafe context.environment.takeUnretainedValue()
        let name =
            environment.databases.withLock { $0.name(of: database) }
            ?? context.writing?.opened.last { $0.database == database }.map { Array($0.name.utf8) }
        do {
            guard let name, let tree = try environment.tree(named: name, in: pages, operation), tree.depth > 0 else {
                // All its pages are of this transaction, or will be of later ones.
                trees[number] = Tree(isSound: true)
                return nil
            }
            trees[number] = Tree(snapshot: pages.transactionID, tree: tree)
            return tree
        } catch {
            throw context.fail(error)
        }
    }

    // MARK: Pages

    /// Follows the way from a page to a position, checks its pages, and appends them to the path. Returns the first damaged one;
    /// nil if all are sound.
    private func damage(
        from start: UInt64, _ startBounds: KeyBounds, to position: TreePosition, of tree: MappedTree,
        _ path: inout TreePath
    ) -> UInt64? {
        var (number, bounds) = (start, startBounds)
        while true {
            let isLeaf = path.steps.count == tree.depth - 1
            guard isKnown(number, isLeaf: isLeaf, bounds), let page = unsafe pages.page(number),
                let count = unsafe tree.entryCount(
                    page, isLeaf ? MappedPage.leafFlags : MappedPage.branchFlags, number),
                // A page that is known from elsewhere in the tree does not belong here.
                unsafe check.isInside(bounds, page, count, isLeaf: isLeaf)
            else { return number }
            let slot: MappedPageSlot?
            switch position {
            case .last: unsafe slot = MappedPageSlot(page: page, number: count - 1, count: count)
            case .key(let key) where !isLeaf: unsafe slot = tree.branchSlot(MappedTree.Key(key), in: page, number)
            case .first, .key: unsafe slot = MappedPageSlot(page: page, number: 0, count: count)
            }
            guard let slot else { return number }
            path.append(TreePath.Step(slot: slot, bounds: bounds))
            if isLeaf { return nil }
            guard let child = child(of: slot, bounds) else { return number }
            (number, bounds) = child
        }
    }

    /// Checks the pages beside a way: on each level those under the same branch, and the leaves next to the leaf.
    private func damage(beside path: TreePath, of tree: MappedTree) -> UInt64? {
        if let damage = damage(besideBranches: path, of: tree) { return damage }
        guard let branch = path.steps.dropLast().last?.slot else { return nil }
        for step in [-1, 1] {
            // Most leaves have their neighbours under the same branch.
            var slot = branch
            if slot.move(by: step) { continue }
            var other = path
            if let damage = damage(moving: &other, to: step, of: tree) { return damage }
        }
        return nil
    }

    /// Checks the pages beside a way that are under the same branch.
    private func damage(besideBranches path: TreePath, of tree: MappedTree) -> UInt64? {
        for (level, above) in path.steps.dropLast().enumerated() {
            for step in [-1, 1] {
                var slot = above.slot
                guard slot.move(by: step) else { continue }
                guard let (number, bounds) = child(of: slot, above.bounds),
                    isKnown(number, isLeaf: level + 1 == tree.depth - 1, bounds)
                else { return slot.pageNumber }
            }
        }
        return nil
    }

    /// Moves a way to the previous (-1) or the next (1) leaf and checks its pages.
    ///
    /// - Returns: the first damaged page; nil if all are sound, or if there is no such leaf, and the way is then empty.
    private func damage(moving path: inout TreePath, to step: Int, of tree: MappedTree) -> UInt64? {
        repeat {
            path.removeLast()
            if path.steps.isEmpty { return nil }
        } while !path.move(by: step)
        guard let branch = path.steps.last else { return nil }
        guard let (number, bounds) = child(of: branch.slot, branch.bounds) else { return branch.slot.pageNumber }
        return damage(from: number, bounds, to: step > 0 ? .first : .last, of: tree, &path)
    }

    /// Checks the leaf before (-1) or after (1) a leaf, with the pages on the way and those beside it under the same branch.
    private func neighbour(of leaf: UInt64, _ step: Int, _ tree: MappedTree) -> RemovedLeaves.Neighbour {
        guard let page = unsafe pages.page(leaf),
            let entry = unsafe MappedPage.entry(0, of: page, size: pages.pageSize)
        else { return .damage(leaf) }
        var path = TreePath()
        let damaged =
            damage(from: tree.root, .all, to: unsafe .key(MappedPage.key(entry)), of: tree, &path)
            ?? damage(moving: &path, to: step, of: tree)
        if let damaged { return .damage(damaged) }
        guard let neighbour = path.leafNumber else { return .none }
        return damage(besideBranches: path, of: tree).map { .damage($0) } ?? .leaf(neighbour)
    }

    private var check: TreeCheck { TreeCheck(pages: pages, content: .records) }

    private func child(of slot: MappedPageSlot, _ bounds: KeyBounds) -> (UInt64, KeyBounds)? {
        unsafe check.child(slot.number, of: slot.page, slot.count, bounds)
    }

    /// Returns whether a page is sound; checks it if it was not checked yet.
    @inline(__always)
    private func isKnown(_ number: UInt64, isLeaf: Bool, _ bounds: KeyBounds) -> Bool {
        guard number < firstNew else { return number < pages.limit }
        if checked.contains(number) { return true }
        guard !unused.contains(number), check.isSound(number, isLeaf: isLeaf, bounds) else { return false }
        return checked.insert(number)
    }
}
