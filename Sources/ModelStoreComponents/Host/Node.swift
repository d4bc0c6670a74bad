import Observation
import StoreEngine
import StoreRuntime

/// Identifies a child among its siblings: its type and group, with the id that the parent passed or else the line that placed it.
struct ChildKey: Hashable {
    let type: ObjectIdentifier
    let group: [GroupID]
    let id: AnyHashable
    /// The number of the child among those of the same type and id.
    var ordinal: Int

    /// Ids compare as records' ids do: "é" in another normal form is a different id, and a NaN is the same as itself.
    static func == (left: ChildKey, right: ChildKey) -> Bool {
        left.type == right.type && left.ordinal == right.ordinal && left.group == right.group
            && Sameness.areSameIDs(left.id, right.id)
    }
}

/// Identifies a part of an update among the parts around it.
struct GroupID: Hashable {
    let id: AnyHashable

    /// Compares as ids of children do.
    static func == (left: GroupID, right: GroupID) -> Bool { Sameness.areSameIDs(left.id, right.id) }
}

/// A line that places a child or requests something.
struct PlacingLine: Hashable {
    let file: String
    let line: UInt
    let column: UInt
    /// The groups around it, from the outermost.
    let group: [GroupID]
}

/// A place in a tree of components. It belongs to the tree's actor.
class Node {
    let id: UInt64
    let depth: Int
    let scope: Scope
    /// The line that first placed the component.
    let line: (file: StaticString, line: UInt)
    unowned let tree: Tree
    /// This is no lasting cycle: a place that ends has no children any more.
    let parent: Node?
    /// The children, in the order in which they were placed.
    var children: [(key: ChildKey, node: Node)] = []
    /// The objects that the wrapped properties host here.
    var slots: [AnyObject] = []
    /// The environment values and objects that this place hands down.
    var overrides: [ObjectIdentifier: Any] = [:]
    /// The provided objects among the overrides.
    private var kept: [ObjectIdentifier: BorrowedSlot] = [:]
    /// The pins of the models that the last update has read.
    private var readPins: [ObjectIdentifier: ComponentPins.Borrowing] = [:]
    /// The keys of the environment that the last update has read.
    private var readKeys: Set<ObjectIdentifier> = []
    /// The place's handlers, tasks and preferences.
    var life = NodeLife()
    private(set) var isEnded = false
    /// Why the place cannot be updated.
    private var failure: OwnershipNotice?
    private var ownPins: ComponentPins?
    private var ownScope: Scope?
    private let tracking = NodeTracking()
    private var isUpdating = false
    /// Whether the last update was skipped because it needs a newer view.
    private(set) var isPostponed = false
    /// Whether the last update used something that a newer value replaces although its fields are the same.
    private(set) var isReplaced = false
    /// The number of values that the parent has made of the component.
    private(set) var descriptionCount: UInt64 = 1

    init(
        _ id: UInt64, parent: Node?, in tree: Tree, _ line: (file: StaticString, line: UInt)
    ) {
        self.id = id
        self.line = line
        self.tree = tree
        self.parent = parent
        scope = tree.scope
        depth = parent.map { $0.depth + 1 } ?? 0
    }

    /// The name of the component. The typed node overrides it.
    var name: String { "" }

    /// The most names in a path.
    private static let pathLimit = 50

    /// The names of the scope and of the components down to this one. A deep place leaves out those in the middle, so that a path
    /// has a bounded length.
    var path: String {
        var names: [String] = []
        var node: Node? = self
        while let here = node, names.count < Self.pathLimit {
            names.append(here.name)
            node = here.parent
        }
        if let node { names.append("… (\(node.depth + 1) more)") }
        return "\(scope.path)/\(names.reversed().joined(separator: "/"))"
    }

    // MARK: Updating

    /// Gives the wrapped properties their hosted objects, and runs the component's update. The typed node overrides it.
    func run(_ context: inout ComponentContext) throws {}

    /// Releases the component and everything that its value holds. The typed node overrides it.
    func forgetComponent() {}

    /// Updates the component.
    ///
    /// - Returns: the children and preferences that the update placed; nil if it failed or is postponed.
    func update() -> ComponentContext.Placed? {
        failure = nil
        isPostponed = false
        isReplaced = false
        readKeys = []
        var placed: ComponentContext.Placed?
        isUpdating = true
        defer { isUpdating = false }
        let isStale = tracking.track(changed: mark) {
            var context = ComponentContext(self)
            do {
                try run(&context)
                if failure == nil, !isPostponed { placed = context.end() }
            } catch {
                failure = notice(.updateFailed, "the update of \(path) failed: \(ErrorText.of(error))", line, error)
            }
        }
        pinWhatIsRead()
        if isStale { markStale() }
        if let failure { scope.registry.notify(failure) }
        return placed
    }

    /// Reads something on behalf of the newest update, during it or later. The component updates when that changes.
    func read(_ body: () -> Void) {
        if isEnded { return }
        if isUpdating { return body() }
        let isStale = tracking.follow(changed: mark, body: body)
        pinWhatIsRead()
        if isStale { markStale() }
    }

    /// Pins the models that the last update has read, because its reads keep them alive. Releases the pins of models that it has
    /// not read.
    private func pinWhatIsRead() {
        for (id, object) in tracking.kept where readPins[id] == nil && object is any RestingObject {
            let isBorrowed = slots.contains { ($0 as? BorrowedSlot)?.object === object }
            if !isBorrowed { readPins[id] = pins(line).keep(object, line.file, line.line) }
        }
        for (id, pin) in readPins where tracking.kept[id] == nil {
            ownPins?.takeBack(pin)
            readPins[id] = nil
        }
    }

    /// Updates the component again, because something that it read changed before it could be watched, whatever the cause.
    private func markStale() { tree.inbox.add([id: tracking.number]) }

    /// Records that something changed that an update has read.
    private var mark: @Sendable (_ number: UInt64) -> Void {
        { [id, inbox = tree.inbox] number in inbox.mark(id, number) }
    }

    /// Returns whether a mark belongs to the reads of the newest update.
    func isCurrent(_ number: UInt64) -> Bool { tracking.number == number }

    /// Records that the parent has made another value of the component.
    func noteDescription() { descriptionCount += 1 }

    /// Postpones the update to the next pass, which has a newer view.
    func postpone() { isPostponed = true }

    /// Updates the component with the next value, whatever its fields.
    func replaceWithNextValue() { isReplaced = true }

    /// Makes the update fail with a notice.
    func fail(_ code: OwnershipNotice.Code, _ message: String, _ line: (file: StaticString, line: UInt)) {
        if failure == nil { failure = notice(code, message, line) }
    }

    /// Makes the update fail with an error.
    func fail(_ error: any Error) {
        guard failure == nil else { return }
        failure = notice(.updateFailed, "\(path) cannot be updated: \(ErrorText.of(error))", line, error)
    }

    var hasFailed: Bool { failure != nil }

    // MARK: Owning

    /// Returns the registry's entry for the objects that this place owns and borrows. Created on first use.
    func pins(_ line: (file: StaticString, line: UInt)) -> ComponentPins {
        if let ownPins { return ownPins }
        let new = ComponentPins(path, in: scope, parent: parent?.nearestPins, line.file, line.line)
        ownPins = new
        return new
    }

    private var nearestPins: ComponentPins? {
        var node: Node? = self
        while let here = node {
            if let pins = here.ownPins { return pins }
            node = here.parent
        }
        return nil
    }

    /// Returns the scope for the place's tasks. Created on first use.
    func makeScope(_ line: (file: StaticString, line: UInt)) throws -> Scope {
        if let ownScope { return ownScope }
        let name = path.dropFirst(scope.path.count + 1)
        let new = try scope.child(String(name), file: line.file, line: line.line)
        ownScope = new
        // The descendants may have read a key before the scope existed. Watching runs after the update, because it would
        // otherwise record their reads as reads of this component.
        tree.afterUpdates { [self] in
            for node in below { node.watch(new) }
        }
        return new
    }

    /// Runs a task that ends with the place.
    ///
    /// - Returns: the task, or nil if the scope is closed. A closed scope runs no tasks and no updates.
    func run(
        _ line: (file: StaticString, line: UInt), _ body: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, Never>? {
        try? makeScope(line).task(file: line.file, line: line.line, body)
    }

    func notify(_ code: OwnershipNotice.Code, _ message: String, _ line: (file: StaticString, line: UInt)) {
        scope.registry.notify(notice(code, message, line))
    }

    func notify(_ code: OwnershipNotice.Code, _ message: String, _ line: SourceLine) {
        scope.registry.notify(OwnershipNotice(code, message, line: line, scope: path))
    }

    func count(
        constructed: Int, used: Int, of type: any Any.Type, _ line: (file: StaticString, line: UInt)
    ) {
        scope.registry.count(constructed: constructed, used: used, of: "\(type)", line.file, line.line)
    }

    /// Returns whether the owner at a line should evaluate its expression for a check.
    func beginsCheck(_ line: (file: StaticString, line: UInt)) -> Bool {
        scope.registry.beginsCheck(line.file, line.line)
    }

    private func notice(
        _ code: OwnershipNotice.Code, _ message: String, _ line: (file: StaticString, line: UInt),
        _ error: (any Error)? = nil
    ) -> OwnershipNotice {
        OwnershipNotice(code, message, line: SourceLine(line.file, line.line), scope: path, error: error)
    }

    // MARK: The environment

    /// Returns the environment value of a key at this place. The component updates when that value changes.
    func environment(_ key: ObjectIdentifier) -> Any? {
        reads(key)
        return inherited(key)
    }

    /// Updates the component when the environment value of a key changes.
    func reads(_ key: ObjectIdentifier) { readKeys.insert(key) }

    /// Returns the environment value of a key at this place.
    func inherited(_ key: ObjectIdentifier) -> Any? {
        if let value = overrides[key] { return value }
        guard let parent else { return scope.provided(key) }
        return parent.handedDown(key)
    }

    /// Returns the environment value of a key for the children placed here. It includes the values of this place's own scope.
    func handedDown(_ key: ObjectIdentifier) -> Any? {
        var node: Node? = self
        while let here = node {
            if let value = here.ownScope?.providedHere(key) { return value }
            if let value = here.overrides[key] { return value }
            node = here.parent
        }
        return scope.provided(key)
    }

    /// Watches the new scope of an ancestor for this place. Updates the place if it has read a key which the scope hands down,
    /// now or later.
    private func watch(_ scope: Scope) {
        var isProvided = false
        let keys = readKeys
        if !keys.isEmpty { read { isProvided = keys.contains { scope.providedHere($0) != nil } } }
        if isProvided { tree.ask(self) }
    }

    /// Replaces the values that this place hands down.
    func override(_ new: [ObjectIdentifier: Any]) {
        let keys = Set(new.keys).union(overrides.keys)
        let changed = keys.filter { key in
            guard let old = overrides[key], let new = new[key] else { return true }
            return !Sameness.areWhollySame(old, new)
        }
        overrides = new
        if !changed.isEmpty { environmentChanged(changed) }
    }

    /// Keeps alive the objects that this place hands down.
    func keep(_ provided: [ObjectIdentifier: ProvidedObject]) {
        for (type, slot) in kept where provided[type] == nil {
            slot.takeBack()
            kept[type] = nil
        }
        for (type, new) in provided {
            let slot = kept[type] ?? BorrowedSlot(self, new.line)
            kept[type] = slot
            slot.borrow(new.object)
        }
    }

    private func environmentChanged(_ keys: Set<ObjectIdentifier>) {
        // Not recursive, because trees may be deep.
        var reached = [(node: self, keys: keys)]
        while let (node, keys) = reached.popLast() {
            if !node.readKeys.isDisjoint(with: keys) { tree.ask(node) }
            let keys = keys.filter { node.ownScope?.providedHere($0) == nil }
            for (_, child) in node.children {
                let reaching = keys.subtracting(child.overrides.keys)
                if !reaching.isEmpty { reached.append((child, reaching)) }
            }
        }
    }

    /// The descendants, each before its own children, in the order in which they were placed.
    var below: some Sequence<Node> {
        sequence(state: children.reversed().map(\.node)) { (next: inout [Node]) -> Node? in
            guard let node = next.popLast() else { return nil }
            next += node.children.reversed().map(\.node)
            return node
        }
    }

    // MARK: The end

    /// Ends the place. Its children end before it, the newest first.
    func end() {
        // Not recursive, because trees may be deep.
        var path = [(node: self, firstScope: 0)]
        var scopes: [UInt64] = []
        while let (node, firstScope) = path.last {
            if let child = node.children.popLast()?.node {
                path.append((child, scopes.count))
            } else {
                path.removeLast()
                node.end(&scopes, from: firstScope)
            }
        }
    }

    /// Ends the place after its children.
    ///
    /// - Parameters:
    ///   - scopes: receives the id of the place's scope, whose tasks may continue for a while.
    ///   - first: the index of the first id of a scope below the place.
    private func end(_ scopes: inout [UInt64], from first: Int) {
        isEnded = true
        tree.forget(self)
        tracking.end()
        if let ownScope {
            ownScope.close()
            scopes.append(ownScope.id)
        }
        life.end()
        // The place releases the objects that it owns in the order of their pins.
        forgetComponent()
        slots = []
        kept = [:]
        readPins = [:]
        overrides = [:]
        ownPins?.end(with: Array(scopes[first...]))
        ownPins = nil
    }
}
