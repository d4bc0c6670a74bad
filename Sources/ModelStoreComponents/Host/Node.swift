import Observation
import StoreEngine
import StoreRuntime

/// What tells a child from its siblings: its type with the id that it was given, else with the line that placed it.
struct ChildKey: Hashable {
    let type: ObjectIdentifier
    let id: AnyHashable
    /// Among those of the same type and id.
    var ordinal: Int

    /// Ids are compared as records' ids are: "é" in another normal form is another id, and a NaN is the same as itself.
    static func == (left: ChildKey, right: ChildKey) -> Bool {
        left.type == right.type && left.ordinal == right.ordinal && Sameness.areSameIDs(left.id, right.id)
    }
}

/// A line that places a child or asks for something.
struct PlacingLine: Hashable {
    let file: String
    let line: UInt
    let column: UInt
}

/// A place in a tree of components. It belongs to the tree's actor.
class Node {
    let id: UInt64
    let depth: Int
    let path: String
    let scope: Scope
    /// The line that placed the component first.
    let line: (file: StaticString, line: UInt)
    unowned let tree: Tree
    private(set) weak var parent: Node?
    /// The children, in the order of their placing.
    var children: [(key: ChildKey, node: Node)] = []
    /// What the wrapped properties have hosted.
    var slots: [AnyObject] = []
    /// What is handed down from here on.
    var overrides: [ObjectIdentifier: Any] = [:]
    /// The objects among that.
    private var kept: [ObjectIdentifier: BorrowedSlot] = [:]
    /// The pins of the models that the last update has read.
    private var readPins: [ObjectIdentifier: ComponentPins.Borrowing] = [:]
    /// The keys of the environment that the last update has read.
    private var readKeys: Set<ObjectIdentifier> = []
    /// What handlers, tasks and preferences belong to the place.
    var life = NodeLife()
    private(set) var isEnded = false
    /// Why it cannot be updated.
    private var failure: OwnershipNotice?
    private var ownPins: ComponentPins?
    private var ownScope: Scope?
    private let tracking = NodeTracking()
    private var isUpdating = false
    /// Whether the last update was not made, as it has to be made in a newer view.
    private(set) var isPostponed = false
    /// How many values of the component its parent has made.
    private(set) var descriptionCount: UInt64 = 1

    init(
        _ id: UInt64, name: String, parent: Node?, in tree: Tree, _ line: (file: StaticString, line: UInt)
    ) {
        self.id = id
        self.line = line
        self.tree = tree
        self.parent = parent
        scope = tree.scope
        depth = parent.map { $0.depth + 1 } ?? 0
        path = "\(parent?.path ?? tree.scope.path)/\(name)"
    }

    // MARK: Updating

    /// Gives the wrapped properties what is hosted for them, and runs the component's update. For the typed node to do.
    func run(_ context: inout ComponentContext) throws {}

    /// Lets go the component and what it has. For the typed node to do.
    func forgetComponent() {}

    /// Updates the component.
    ///
    /// - Returns: what it has placed; nil where it has failed, or is postponed.
    func update() -> ComponentContext.Placed? {
        failure = nil
        isPostponed = false
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
                failure = notice(.updateFailed, "the update of \(path) has failed: \(ErrorText.of(error))", line, error)
            }
        }
        pinWhatIsRead()
        if isStale { markStale() }
        if let failure { scope.registry.tell(failure) }
        return placed
    }

    /// Reads something for the newest update, now or after it: the component is updated when that changes.
    func read(_ body: () -> Void) {
        if isEnded { return }
        if isUpdating { return body() }
        let isStale = tracking.follow(changed: mark, body: body)
        pinWhatIsRead()
        if isStale { markStale() }
    }

    /// Pins the models that the last update has read, which its reading keeps alive, and lets go those that it has not.
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

    /// Has the component updated again: what it has read was changed, by whomever, before it could be watched.
    private func markStale() { tree.inbox.add([id: tracking.number]) }

    /// Notes that what an update has read is another now.
    private var mark: @Sendable (_ number: UInt64) -> Void {
        { [id, inbox = tree.inbox] number in inbox.mark(id, number) }
    }

    /// Whether a mark is of what the last update has read.
    func isCurrent(_ number: UInt64) -> Bool { tracking.number == number }

    /// Notes that the parent has made another value of the component.
    func noteDescription() { descriptionCount += 1 }

    /// Has the update made in the next pass instead, which has a newer view.
    func postpone() { isPostponed = true }

    /// Has the update fail, with a notice.
    func fail(_ code: OwnershipNotice.Code, _ message: String, _ line: (file: StaticString, line: UInt)) {
        if failure == nil { failure = notice(code, message, line) }
    }

    /// Has the update fail with an error.
    func fail(_ error: any Error) {
        guard failure == nil else { return }
        failure = notice(.updateFailed, "\(path) cannot be updated: \(ErrorText.of(error))", line, error)
    }

    var hasFailed: Bool { failure != nil }

    // MARK: Owning

    /// What the place owns and borrows in the registry, made when it is needed first.
    func pins(_ line: (file: StaticString, line: UInt)) -> ComponentPins {
        if let ownPins { return ownPins }
        let new = ComponentPins(path, in: scope, parent: parent?.nearestPins, line.file, line.line)
        ownPins = new
        return new
    }

    private var nearestPins: ComponentPins? { ownPins ?? parent?.nearestPins }

    /// A scope for the place's tasks, made when it is needed first.
    func makeScope(_ line: (file: StaticString, line: UInt)) throws -> Scope {
        if let ownScope { return ownScope }
        let name = path.dropFirst(scope.path.count + 1)
        let new = try scope.child(String(name), file: line.file, line: line.line)
        ownScope = new
        // Those below may have looked before it was there. Not in this update, which would read what they read.
        tree.afterUpdates { [self] in
            for (_, child) in children { child.watch(new) }
        }
        return new
    }

    /// Runs a task that ends with the place.
    ///
    /// - Returns: the task; nil where the scope is closed, which has no tasks. Nor is anything updated in it.
    func run(
        _ line: (file: StaticString, line: UInt), _ body: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, Never>? {
        try? makeScope(line).task(file: line.file, line: line.line, body)
    }

    func tell(_ code: OwnershipNotice.Code, _ message: String, _ line: (file: StaticString, line: UInt)) {
        scope.registry.tell(notice(code, message, line))
    }

    func count(
        constructed: Int, used: Int, of type: any Any.Type, _ line: (file: StaticString, line: UInt)
    ) {
        scope.registry.count(constructed: constructed, used: used, of: "\(type)", line.file, line.line)
    }

    /// Whether the expression of an owner at a line is to be evaluated for a check.
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

    /// What is handed down to this place by a key. The component is updated when that changes.
    func environment(_ key: ObjectIdentifier) -> Any? {
        reads(key)
        return inherited(key)
    }

    /// Has the component updated when what is handed down to it by a key changes.
    func reads(_ key: ObjectIdentifier) { readKeys.insert(key) }

    /// What is handed down to this place by a key.
    func inherited(_ key: ObjectIdentifier) -> Any? {
        if let value = overrides[key] { return value }
        guard let parent else { return scope.provided(key) }
        return parent.handedDown(key)
    }

    /// What is handed down by a key to what is placed here, also by this place's own scope.
    func handedDown(_ key: ObjectIdentifier) -> Any? {
        var node: Node? = self
        while let here = node {
            if let value = here.ownScope?.providedHere(key) { return value }
            if let value = here.overrides[key] { return value }
            node = here.parent
        }
        return scope.provided(key)
    }

    /// Has this place and those below updated where a scope of an ancestor, which is new, hands down what they have read, and
    /// when it does later.
    private func watch(_ scope: Scope) {
        var isProvided = false
        let keys = readKeys
        if !keys.isEmpty { read { isProvided = keys.contains { scope.providedHere($0) != nil } } }
        if isProvided { tree.ask(self) }
        for (_, child) in children { child.watch(scope) }
    }

    /// Hands down something else from here on.
    func override(_ new: [ObjectIdentifier: Any]) {
        let keys = Set(new.keys).union(overrides.keys)
        let changed = keys.filter { key in
            guard let old = overrides[key], let new = new[key] else { return true }
            return !Sameness.areSame(old, new)
        }
        overrides = new
        if !changed.isEmpty { environmentChanged(changed) }
    }

    /// Keeps the objects that are handed down from here on.
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
        if !readKeys.isDisjoint(with: keys) { tree.ask(self) }
        let keys = keys.filter { ownScope?.providedHere($0) == nil }
        for (_, child) in children {
            let reaching = keys.subtracting(child.overrides.keys)
            if !reaching.isEmpty { child.environmentChanged(reaching) }
        }
    }

    // MARK: The end

    /// Ends the place, its children first, the newest first.
    ///
    /// - Returns: the ids of its scope and of its children's, whose tasks may go on for a while.
    @discardableResult
    func end() -> [UInt64] {
        var scopes = children.reversed().flatMap { $0.node.end() }
        children = []
        isEnded = true
        tree.forget(self)
        tracking.end()
        if let ownScope {
            ownScope.close()
            scopes.append(ownScope.id)
        }
        life.end()
        // The objects that it owns go in the order of the pins.
        forgetComponent()
        slots = []
        kept = [:]
        readPins = [:]
        overrides = [:]
        ownPins?.end(with: scopes)
        ownPins = nil
        return scopes
    }
}
