import StoreEngine
public import StoreRuntime

/// A component's update uses it to place children, and to request tasks and handlers that outlast the update.
public struct ComponentContext: ~Copyable {
    /// The children and preferences that an update placed.
    struct Placed {
        struct Child {
            let key: ChildKey
            let overrides: [ObjectIdentifier: Any]
            let provided: [ObjectIdentifier: ProvidedObject]
            /// Gives the existing node the newer value. Returns whether the node needs an update.
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
    /// Closures that run after the pass.
    private var afterwards: [() -> Void] = []
    private var watched: [CallSite: Any] = [:]
    private var turns: [PlacingLine: Int] = [:]
    private var group: [GroupID] = []
    /// The tasks that this update requests. Tasks of the previous update that it does not request end.
    private var asked: Set<CallSite> = []
    private var preferences: [ObjectIdentifier: Any] = [:]
    private var askers: [ObjectIdentifier: PreferenceAsker] = [:]

    init(_ node: Node) { self.node = node }

    /// The host that updates the component. A task or a handler can change several values in one step with it:
    /// ``ComponentHost/update(_:)``.
    public var host: ComponentHost { node.tree.confinement.owner }

    // MARK: Children

    /// Places a child.
    ///
    /// If the previous update placed a child of the same type with the same id, that child continues and keeps its hosted state.
    /// Without an id, a child matches if the same line of the same ``group(id:file:line:column:_:)`` placed it at the same turn:
    /// the first time that the line runs in an update, the second, and so on. If the number of turns changes, the host cannot
    /// tell which child is gone or new, and gives a notice. A child that an update no longer places ends.
    ///
    /// - Parameters:
    ///   - component: the value of the child.
    ///   - id: distinguishes children of one type in a group, whichever line places them. A repeated id causes a notice.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - column: the column of the call.
    ///   - surroundings: sets environment values for the child, and provides objects to it.
    public mutating func place<C: Component>(
        _ component: C, id: AnyHashable? = nil, file: StaticString = #fileID, line: UInt = #line,
        column: UInt = #column, _ surroundings: (inout EnvironmentOverrides) -> Void = { _ in }
    ) {
        let type = ObjectIdentifier(C.self)
        let placingLine = PlacingLine(file: "\(file)", line: line, column: column, group: group)
        var key = ChildKey(type: type, group: group, id: id ?? AnyHashable(placingLine), ordinal: 0)
        let ordinal = ordinals[key, default: 0]
        ordinals[key] = ordinal + 1
        key.ordinal = ordinal
        if id == nil, ordinal >= turns[placingLine, default: 0] { turns[placingLine] = ordinal + 1 }
        if let id, ordinal > 0 {
            node.notify(
                .repeatedID,
                "\(node.path) places several \(C.self) with the id \(id), so when one of them goes away, the next one takes over its "
                    + "state; give each its own id", (file, line))
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

    /// Runs a part of the update whose children, tasks and handlers are distinct from those of all other parts.
    ///
    /// A function that places children or requests tasks has the same lines in each of its calls. Give each call a group:
    ///
    /// ```swift
    /// if isOpen { context.group { poll(&$0, door) } }
    /// context.group { poll(&$0, window) }              // goes on when the door is no longer polled
    /// ```
    ///
    /// - Parameters:
    ///   - id: distinguishes groups of one line, for example in a loop.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - column: the column of the call.
    ///   - body: the part of the update.
    public mutating func group<Failure: Error>(
        id: AnyHashable? = nil, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        _ body: (inout ComponentContext) throws(Failure) -> Void
    ) throws(Failure) {
        if let id {
            group.append(GroupID(id: id))
        } else {
            let callSite = turn(of: PlacingLine(file: "\(file)", line: line, column: column, group: group))
            group.append(GroupID(id: callSite))
        }
        defer { group.removeLast() }
        try body(&self)
    }

    // MARK: Life

    /// Returns the scope of the component's place. It closes when the place ends. Objects that the scope provides reach the
    /// components placed here, and those below them.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `scopeClosed`.
    public func scope(file: StaticString = #fileID, line: UInt = #line) throws -> Scope {
        try node.makeScope((file, line))
    }

    /// Runs a closure once, after the pass of the component's first update that does not fail.
    public mutating func onAppear(_ body: @escaping () -> Void) {
        if !node.life.hasAppeared { afterwards.append(body) }
    }

    /// Runs a closure once, when the component's place ends. The closure of the newest update runs.
    public mutating func onClose(_ body: @escaping () -> Void) { closers.append(body) }

    /// Runs a task from the first update that requests it until an update does not request it, or the place ends.
    ///
    /// - Parameters:
    ///   - id: if it differs from the id in the previous update, the task is cancelled and started again.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - column: the column of the call.
    ///   - body: the work of the task.
    public mutating func task(
        id: AnyHashable = 0, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        _ body: @escaping @Sendable () async throws -> Void
    ) {
        run(at: ask(file, line, column), id: id, (file, line), body)
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

    /// Runs a closure with each element of a sequence, for as long as updates request it.
    ///
    /// The closure runs for one element at a time. If the sequence holds the values of a ``Subject``, a published property or a
    /// ``/ModelStore/Model``, the closure receives every value from this update on. Values that arrive while it runs wait in
    /// memory. All other sequences behave as in a loop. For example, live queries merge the updates that arrive while the closure
    /// runs.
    ///
    /// The closure is the one of the newest update. The sequence stays the first one until an update passes another `id`, or the
    /// values of another subject, published property or model. Then the old sequence ends and the new one begins.
    ///
    /// - Parameters:
    ///   - sequence: the sequence. An error ends it and causes a notice.
    ///   - id: distinguishes sequences that are not the values of a subject, a published property or a model.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - column: the column of the call.
    ///   - body: receives each element.
    public mutating func onReceive<S: AsyncSequence & Sendable>(
        _ sequence: S, id: AnyHashable = 0, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        perform body: @escaping @Sendable (S.Element) async throws -> Void
    ) {
        let callSite = ask(file, line, column)
        let id = ReceiverID(id, sequence)
        if let (known, receiver) = node.life.receivers[callSite], id.isSame(as: known),
            let receiver = receiver as? Receiver<S.Element>
        {
            return receiver.become(body)
        }
        let receiver = Receiver(body)
        node.life.receivers[callSite] = (id, receiver)
        let reception = Reception(sequence)
        run(at: callSite, id: ObjectIdentifier(receiver), (file, line)) {
            try await reception.run { try await receiver.receive($0) }
        }
    }

    /// Runs a closure with the current value of a subject, and then with every new one, for as long as updates request it.
    ///
    /// - Parameters:
    ///   - subject: the subject. If an update passes a different subject, the closure receives its values from then on.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - column: the column of the call.
    ///   - body: receives each value.
    public mutating func onReceive<Value>(
        _ subject: Subject<Value>, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        perform body: @escaping @Sendable (Value) async throws -> Void
    ) {
        onReceive(subject.values, file: file, line: line, column: column, perform: body)
    }

    /// Runs a closure after a pass in which a value differs from the one in the previous update. Failed updates do not count.
    public mutating func onChange<Value: Equatable>(
        of value: Value, file: StaticString = #fileID, line: UInt = #line, column: UInt = #column,
        perform body: @escaping (_ old: Value, _ new: Value) -> Void
    ) {
        let callSite = ask(file, line, column)
        watched[callSite] = value
        guard let old: Value = Kept.value(node.life.watched[callSite]), !Sameness.areWhollySame(old, value) else {
            return
        }
        afterwards.append { body(old, value) }
    }

    private mutating func ask(_ file: StaticString, _ line: UInt, _ column: UInt) -> CallSite {
        let callSite = turn(of: PlacingLine(file: "\(file)", line: line, column: column, group: group))
        asked.insert(callSite)
        return callSite
    }

    private mutating func turn(of line: PlacingLine) -> CallSite {
        let callSite = CallSite(line: line, turn: turns[line, default: 0])
        turns[line] = callSite.turn + 1
        return callSite
    }

    // MARK: Preferences

    /// Sends a value up to the ancestors that request it.
    public mutating func preference<Key: PreferenceKey>(_ key: Key.Type, _ value: Key.Value) {
        preferences[ObjectIdentifier(key)] = value
    }

    /// Runs a closure after the pass if the combined value of the component and its descendants has changed.
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

    /// Commits the requests of the update to the node.
    consuming func end() -> Placed {
        notifyMissingIDs()
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
                old[key].map { Sameness.areWhollySame($0, value) } ?? false
            }
        placed.preferencesChanged = !areSame || askers.keys != node.life.askers.keys
        node.life.preferences = preferences
        node.life.askers = askers
        return placed
    }

    /// Reports lines that ran another number of times than in the update before: their turns may now stand for other things.
    private func notifyMissingIDs() {
        let isRepeated = turns.values.contains { $0 > 1 } || node.life.turns.values.contains { $0 > 1 }
        for (line, count) in turns where isRepeated {
            guard let old = node.life.turns[line], old != count else { continue }
            node.notify(
                .missingID,
                "an update of \(node.path) ran one line \(count) times and the update before \(old) times, so what the line placed or "
                    + "requested may have exchanged state and tasks; give each child its own id, and put tasks, handlers and calls of "
                    + "helper functions into groups: context.group { … }", SourceLine(file: line.file, line: line.line))
        }
        node.life.turns = turns
    }
}
