import StoreEngine
import StoreRuntime

/// A tree of components that is updated in passes. It belongs to one actor.
final class Tree {
    let scope: Scope
    let inbox = Inbox()
    let confinement = Confinement()
    private var root: Node?
    /// The line that last placed the outermost component.
    private var line: (file: StaticString, line: UInt)?
    private var nodes: [UInt64: Node] = [:]
    private var lastID: UInt64 = 0
    /// The places to update, by depth: parents come before their children. Those above `firstDue` are none.
    private var due: [[UInt64]] = []
    private var firstDue = 0
    private var dueIDs: Set<UInt64> = []
    /// The places of the depth that is being updated, in the order of their creation, and the number of those that are done.
    private var level: [UInt64] = []
    private var nextInLevel = 0
    /// The places whose update needs a newer view than this pass has.
    private var postponed: [Node] = []
    /// Closures that run after the updates of a pass, in the order of the requests.
    private var afterwards: [() -> Void] = []
    /// The places whose own preferences or children have changed in this pass.
    private var preferenceChanges: [Node] = []
    /// The number of passes in a row that changed something themselves.
    private var ownPassCount = 0
    private var comparisons: [ObjectIdentifier: Any] = [:]
    private(set) var counters = ComponentCounters()

    /// The most passes in a row. More than that indicates an endless loop.
    static let passLimit = 100

    init(_ scope: Scope) { self.scope = scope }

    // MARK: Passes

    /// Places the outermost component, or another value of it.
    func place<C: Component>(_ component: C, _ line: (file: StaticString, line: UInt)) {
        self.line = line
        if let root = root as? TypedNode<C> {
            if root.become(component) { ask(root) }
            return
        }
        let old = root
        let new = makeNode(component, key: nil, parent: nil, line)
        root = new
        old?.end()
        ask(new)
    }

    /// Whether something needs an update.
    var isDue: Bool {
        takeMarks()
        return !dueIDs.isEmpty
    }

    /// Records that nothing needs an update.
    func comeToRest() { ownPassCount = 0 }

    /// Lets other work on the actor run after many passes in a row.
    func pause() {
        guard !scope.isClosed else { return }
        if ownPassCount >= Self.passLimit {
            notify(
                .endlessUpdates,
                "the components of \(scope.path) were updated \(Self.passLimit) times in a row, because each update, or the code that "
                    + "runs after it, changed another value; assign a value only if it differs")
        }
        inbox.signal.raise()
    }

    /// Reports that passes wait until the store can be read.
    func notifyUnreadable(_ error: any Error) {
        notify(
            .readFailed, "the components of \(scope.path) wait until the store can be read: \(ErrorText.of(error))",
            error)
    }

    private func notify(_ code: OwnershipNotice.Code, _ message: String, _ error: (any Error)? = nil) {
        guard let line else { return }
        scope.registry.notify(
            OwnershipNotice(
                code, message, line: SourceLine(line.file, line.line), scope: scope.path, error: error))
    }

    private func takeMarks() {
        for (id, number) in inbox.take() {
            if let node = nodes[id], node.isCurrent(number) { ask(node) }
        }
    }

    /// Updates everything that needs it, parents first, and then runs the requested closures.
    ///
    /// - Parameter view: the view in which all updates read.
    func pass(in view: SteadyView) {
        // The view includes the changes that arrived during the wait for it.
        takeMarks()
        counters.passCount += 1
        let isChanging = ThreadChanges.haveCome(during: { makePass(in: view) })
        ownPassCount = isChanging ? ownPassCount + 1 : 0
    }

    private func makePass(in view: SteadyView) {
        view.enter {
            while let node = nextDue(), !scope.isClosed { update(node) }
        }
        for node in postponed { ask(node) }
        postponed = []
        for node in takeAskers() {
            for asker in node.life.askers.values { asker.ask(node) }
        }
        while !afterwards.isEmpty {
            let closures = afterwards
            afterwards = []
            if scope.isClosed { return }
            for closure in closures { closure() }
        }
    }

    /// Requests an update of a place, in this pass or the next one.
    func ask(_ node: Node) {
        guard !node.isEnded, dueIDs.insert(node.id).inserted else { return }
        while due.count <= node.depth { due.append([]) }
        due[node.depth].append(node.id)
        firstDue = min(firstDue, node.depth)
    }

    private func nextDue() -> Node? {
        while true {
            if nextInLevel == level.count {
                // An update only requests updates of places below its own, so a depth is complete when it begins.
                while firstDue < due.count, due[firstDue].isEmpty { firstDue += 1 }
                guard firstDue < due.count else { return nil }
                level = due[firstDue].sorted()
                due[firstDue] = []
                nextInLevel = 0
            }
            let id = level[nextInLevel]
            nextInLevel += 1
            dueIDs.remove(id)
            if let node = nodes[id] { return node }
        }
    }

    /// Runs a closure after the updates of this pass.
    func afterUpdates(_ body: @escaping () -> Void) { afterwards.append(body) }

    // MARK: Places

    private func update(_ node: Node) {
        let placed = node.update()
        if node.isPostponed { return postponed.append(node) }
        counters.updateCount += 1
        guard let placed else { return }
        var known = Dictionary(uniqueKeysWithValues: node.children.map { ($0.key, $0.node) })
        var children: [(key: ChildKey, node: Node)] = []
        for placing in placed.children {
            if let child = known.removeValue(forKey: placing.key) {
                if placing.become(child) { ask(child) }
                child.override(placing.overrides)
                child.keep(placing.provided)
                children.append((placing.key, child))
            } else {
                let child = placing.make(node)
                child.overrides = placing.overrides
                child.keep(placing.provided)
                ask(child)
                children.append((placing.key, child))
            }
        }
        let isReordered = !node.children.elementsEqual(children) { $0.node === $1.node }
        let gone = node.children.reversed().filter { known[$0.key] != nil }
        node.children = children
        for (_, child) in gone { child.end() }
        if placed.preferencesChanged || isReordered { preferenceChanges.append(node) }
    }

    func makeNode<C: Component>(
        _ component: C, key: AnyHashable?, parent: Node?, _ line: (file: StaticString, line: UInt)
    ) -> TypedNode<C> {
        lastID += 1
        let node = TypedNode(component, lastID, key: key, parent: parent, in: self, line)
        nodes[lastID] = node
        counters.componentCount = nodes.count
        return node
    }

    func forget(_ node: Node) {
        nodes[node.id] = nil
        counters.componentCount = nodes.count
    }

    /// Returns the places that request values which flow up from a changed place, the deepest first.
    private func takeAskers() -> [Node] {
        var seen: Set<UInt64> = []
        var askers: [Node] = []
        for node in preferenceChanges {
            var asking: Node? = node
            // The ancestors of a place that was seen before were seen too.
            while let here = asking, seen.insert(here.id).inserted {
                if !here.isEnded, !here.life.askers.isEmpty { askers.append(here) }
                asking = here.parent
            }
        }
        preferenceChanges = []
        return askers.sorted { $0.id > $1.id }
    }

    /// Returns how values of a component's type are compared: by their own `==`, or else property by property.
    func comparison<C: Component>(of type: C.Type) -> (C, C) -> Bool {
        if let known = comparisons[ObjectIdentifier(type)] as? (C, C) -> Bool { return known }
        let new: (C, C) -> Bool = Sameness.comparison(of: type) ?? comparisonOfFields(of: type)
        comparisons[ObjectIdentifier(type)] = new
        return new
    }

    private func comparisonOfFields<C: Component>(of type: C.Type) -> (C, C) -> Bool {
        var fields = ComponentFields<C>(scope.registry)
        type._addFields(to: &fields)
        return fields.areSame
    }

    /// Ends all places, children first.
    func end() {
        root?.end()
        root = nil
        (due, firstDue) = ([], 0)
        dueIDs = []
        (level, nextInLevel) = ([], 0)
        afterwards = []
        preferenceChanges = []
    }
}

/// Counts the work of a host.
public struct ComponentCounters: Sendable, Hashable {
    /// The number of components.
    public internal(set) var componentCount = 0
    /// The number of updates of single components.
    public internal(set) var updateCount = 0
    /// The number of passes.
    public internal(set) var passCount = 0
}
