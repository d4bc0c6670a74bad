import StoreEngine
public import StoreRuntime

/// What a component's update places its children with, and asks for what outlasts it.
public struct ComponentContext: ~Copyable {
    /// What an update has placed.
    struct Placed {
        struct Child {
            let key: ChildKey
            let overrides: [ObjectIdentifier: Any]
            let provided: [ObjectIdentifier: ProvidedObject]
            /// Gives the node that is there the newer value; whether it has to be updated for that.
            let become: (Node) -> Bool
            let make: (Node) -> Node
        }

        fileprivate(set) var children: [Child] = []
        fileprivate(set) var preferencesChanged = false
    }

    private let node: Node
    private var placed = Placed()
    private var ordinals: [ChildKey: Int] = [:]
    private var closers: [() -> Void] = []
    /// What is to run after the pass.
    private var afterwards: [() -> Void] = []
    private var watched: [CallSite: Any] = [:]
    private var turns: [PlacingLine: Int] = [:]
    /// The tasks that this update asks for; those of the one before that it does not ask for are over.
    private var asked: Set<CallSite> = []
    private var preferences: [ObjectIdentifier: Any] = [:]
    private var askers: [ObjectIdentifier: PreferenceAsker] = [:]

    init(_ node: Node) { self.node = node }

    // MARK: Children

    /// Places a child.
    ///
    /// It is the one of the last update if that has placed one of the same type with the same id or, without an id, by the same
    /// line in the same turn. What its properties host stays then. A child that is not placed any more ends.
    ///
    /// - Parameters:
    ///   - id: tells children of one type apart, wherever they are placed. The same id twice is a notice.
    ///   - surroundings: sets values of the environment for it, and provides objects to it.
    public mutating func place<C: Component>(
        _ component: C, id: AnyHashable? = nil, file: StaticString = #fileID, line: UInt = #line,
        column: UInt = #column, _ surroundings: (inout EnvironmentOverrides) -> Void = { _ in }
    ) {
        let type = ObjectIdentifier(C.self)
        let placingLine = PlacingLine(file: "\(file)", line: line, column: column)
        var key = ChildKey(type: type, id: id ?? AnyHashable(placingLine), ordinal: 0)
        let ordinal = ordinals[key, default: 0]
        ordinals[key] = ordinal + 1
        key.ordinal = ordinal
        if let id, ordinal > 0 {
            node.tell(
                .repeatedID,
                "\(node.path) places several \(C.self) with the id \(id), so that each takes over the state of the one before it when "
                    + "that goes; give each an id of its own", (file, line))
        }
        var given = EnvironmentOverrides { [node] in
            node.handedDown($0)
        } note: { [node] in
            node.reads($0)
        }
        surroundings(&given)
        placed.children.append(
            Placed.Child(key: key, overrides: given.overrides, provided: given.provided) { node in
                (node as? TypedNode<C>)?.become(component) ?? false
            } make: { parent in
                parent.tree.makeNode(component, key: id, parent: parent, (file, line))
            })
    }

    // MARK: Life

    /// The scope of the component's place, which is closed when the place ends. What it provides reaches the components that are
    /// placed here, and those below them.
    ///
    /// - Throws: ``StoreError`` with the code `scopeClosed`.
    public func scope(file: StaticString = #fileID, line: UInt = #line) throws -> Scope {
        try node.makeScope((file, line))
    }

    /// Has a closure run once, after the pass in which the component appears: that of its first update that does not fail.
    public mutating func onAppear(_ body: @escaping () -> Void) {
        if !node.life.hasAppeared { afterwards.append(body) }
    }

    /// Has a closure run once, when the component's place ends: the one that the newest update has given.
    public mutating func onClose(_ body: @escaping () -> Void) { closers.append(body) }

    /// Runs a task from when an update first asks for it until one does not any more, or the place ends.
    ///
    /// - Parameter id: if it is not the same as in the update before, the task is cancelled and started again.
    public mutating func task(
        id: AnyHashable = 0, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        run(at: ask(PlacingLine(file: "\(file)", line: line, column: column)), id: id, (file, line), body)
    }

    private func run(
        at callSite: CallSite, id: AnyHashable, _ line: (file: StaticString, line: UInt),
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        if let running = node.life.tasks[callSite] {
            if Sameness.areSameIDs(running.id, id) { return }
            running.task.cancel()
        }
        guard let task = node.run(line, body) else { return }
        node.life.tasks[callSite] = (id, task)
    }

    /// Runs a closure with each element of a sequence, for as long as updates ask for it.
    ///
    /// The closure is that of the newest update. The sequence stays that of the first one until an update asks with another `id`, or
    /// for the values of another subject, published property or model. Then it is ended, and the new one begun.
    ///
    /// - Parameters:
    ///   - sequence: the sequence. An error ends it, and is a notice.
    ///   - id: tells sequences apart that are not values of a subject, a published property or a model.
    public mutating func onReceive<S: AsyncSequence & Sendable>(
        _ sequence: S, id: AnyHashable = 0, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        perform body: @escaping @Sendable (S.Element) async throws -> Void
    ) {
        let callSite = ask(PlacingLine(file: "\(file)", line: line, column: column))
        let id = ReceiverID(id, sequence)
        if let (known, receiver) = node.life.receivers[callSite], id.isSame(as: known),
            let receiver = receiver as? Receiver<S.Element>
        {
            return receiver.become(body)
        }
        let receiver = Receiver(body)
        node.life.receivers[callSite] = (id, receiver)
        run(at: callSite, id: ObjectIdentifier(receiver), (file, line)) {
            for try await element in sequence { try await receiver.receive(element) }
        }
    }

    /// Has a closure run after a pass in which a value is not the same as in the update before. Updates that fail do not count.
    public mutating func onChange<Value: Equatable>(
        of value: Value, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        perform body: @escaping (_ old: Value, _ new: Value) -> Void
    ) {
        let callSite = ask(PlacingLine(file: "\(file)", line: line, column: column))
        watched[callSite] = value
        guard let old = node.life.watched[callSite] as? Value, !Sameness.areSame(old, value) else { return }
        afterwards.append { body(old, value) }
    }

    private mutating func ask(_ line: PlacingLine) -> CallSite {
        let callSite = CallSite(line: line, turn: turns[line, default: 0])
        turns[line] = callSite.turn + 1
        asked.insert(callSite)
        return callSite
    }

    // MARK: Preferences

    /// Has a value flow up to the ancestors that ask for it.
    public mutating func preference<Key: PreferenceKey>(_ key: Key.Type, _ value: Key.Value) {
        preferences[ObjectIdentifier(key)] = value
    }

    /// Has a closure run, after the pass, when what flows up from the component and those below it is another than before.
    public mutating func onPreferenceChange<Key: PreferenceKey>(
        _ key: Key.Type, perform body: @escaping (Key.Value) -> Void
    ) {
        let memory =
            node.life.askers[ObjectIdentifier(key)]?.memory as? PreferenceMemory<Key> ?? PreferenceMemory<Key>()
        askers[ObjectIdentifier(key)] = PreferenceAsker(memory: memory) { node in
            if let value = memory.change(at: node) { body(value) }
        }
    }

    // MARK: The end of an update

    /// Takes over what the update has asked for.
    consuming func end() -> Placed {
        node.life.hasAppeared = true
        node.life.closers = closers
        node.life.watched = watched
        for body in afterwards {
            node.tree.afterUpdates { [node] in
                if !node.isEnded { body() }
            }
        }
        for (callSite, running) in node.life.tasks where !asked.contains(callSite) {
            running.task.cancel()
            node.life.tasks[callSite] = nil
            node.life.receivers[callSite] = nil
        }
        let old = node.life.preferences
        let areSame =
            old.count == preferences.count
            && preferences.allSatisfy { key, value in
                old[key].map { Sameness.areSame($0, value) } ?? false
            }
        placed.preferencesChanged = !areSame || askers.keys != node.life.askers.keys
        node.life.preferences = preferences
        node.life.askers = askers
        return placed
    }
}
