import LMDB
public import StoreRuntime

/// A program's state in one value that only actions change.
///
/// ```swift
/// let app = StateStore(AppState()) { (state, action: AppAction) in
///     switch action {
///     case .rename(let name): state.name = name
///     case .count: state.count += 1
///     }
/// }
/// app.send(.count)
/// print(app.count)                                         // tracked by Observation: this element alone
/// let name = app.binding(\.name) { .rename($0) }           // setting it sends an action
/// for await count in app.values(of: \.count) { … }
/// ```
///
/// Each element notifies on its own: code that reads `count` does not run again after an action that leaves `count` as it was, if
/// its values can be compared. The elements of a struct that conforms to ``NestedState`` do so too, as in `app.student.name`.
/// Actions run one after the other. You can use the store from any thread.
///
/// While an element is observed, each action reads it from the new state, so the element must exist in every state. You can read
/// `\.items[5]` from a state with six items, but observe it only if every state has at least six. Observe `\.items` if the number
/// of items varies.
///
/// - `storage` is protected by its mutex. Reducers run under the mutex. Element reads and notifications run outside it.
@dynamicMemberLookup
public final class StateStore<Content: Sendable, Action: Sendable>: Sendable {
    private struct Storage {
        var content: Content
        /// The number of actions so far.
        var version: UInt64 = 0
    }

    private let elements = ElementTable<Content>()
    private let storage: HandoverMutex<Storage>
    private let reduce: @Sendable (inout Content, Action) -> Void

    /// Creates a store with its first state.
    ///
    /// - Parameters:
    ///   - content: the first state.
    ///   - reduce: applies an action to the state. It must depend only on the state and the action, and must not use the store.
    public init(_ content: Content, reduce: @escaping @Sendable (inout Content, Action) -> Void) {
        storage = HandoverMutex(Storage(content: content))
        self.reduce = reduce
    }

    /// Runs an action, and notifies the observers of each element that the action changed.
    ///
    /// The cost is linear in the number of observed elements: the store reads each one from the state before and the state after,
    /// and compares the two. A computed element is computed for each of these reads. Keep costly derived values in the state,
    /// where the reducer maintains them.
    public func send(_ action: Action) { _ = perform(action) }

    /// Runs an action.
    ///
    /// - Parameter expected: the number of actions that must have run before; nil for any number.
    /// - Returns: whether the action ran.
    private func perform(_ action: Action, after expected: UInt64? = nil) -> Bool {
        typealias Done = (old: Content, new: Content, version: UInt64, elements: [StateElement<Content>])
        let done = storage.withLock { storage -> Done? in
            if let expected, storage.version != expected { return nil }
            let old = storage.content
            reduce(&storage.content, action)
            storage.version += 1
            return (old, storage.content, storage.version, elements.all())
        }
        guard let done else { return false }
        // Code that reads several of the elements receives one notification.
        MarkingTurn.run {
            for element in done.elements where element.differs(done.old, done.new) {
                element.change(to: done.version)
            }
        }
        return true
    }

    /// The current state as a whole. Not tracked.
    public var content: Content { storage.withLock { $0.content } }

    /// Returns the current value of an element, tracked by Observation.
    ///
    /// Code that reads `app.student.name` depends on the whole of `student`, unless its type conforms to ``NestedState``.
    @_disfavoredOverload
    public subscript<Value: Sendable>(dynamicMember path: any KeyPath<Content, Value> & Sendable) -> Value {
        self[path]
    }

    /// Returns the elements of an element that conforms to ``NestedState``, each tracked on its own: `app.student.name`.
    public subscript<Value: NestedState>(
        dynamicMember path: any KeyPath<Content, Value> & Sendable
    ) -> NestedElements<Content, Action, Value> { NestedElements(store: self, path: path) }

    /// Returns the current value of the element at a path of any length, tracked by Observation: `app[\.student.name]`.
    public subscript<Value: Sendable>(_ path: any KeyPath<Content, Value> & Sendable) -> Value {
        elements.track(path)
        return content[keyPath: path]
    }

    /// Returns the values of an element: the current one, then every new one. The sequence does not end by itself.
    public func values<Value: Sendable>(of path: any KeyPath<Content, Value> & Sendable) -> StateValues<Value> {
        StateValues { [self] in
            let element = elements.one(at: path)
            return StateValues.Iterator(changes: element.changes.values.makeAsyncIterator()) { [self] in
                // The iterator keeps the element alive.
                withExtendedLifetime(element) { content[keyPath: path] }
            }
        }
    }

    /// Returns a binding to an element. Setting the binding sends an action.
    ///
    /// - Parameters:
    ///   - path: the path of the element in the state.
    ///   - toAction: returns the action that gives the element a value. It runs again if another action ran in between.
    public func binding<Value: Sendable>(
        _ path: any KeyPath<Content, Value> & Sendable, toAction: @escaping @Sendable (Value) -> Action
    ) -> Binding<Value> {
        let binding = Binding(parts: StatePart(store: self, path: path)) { [self] body in
            while true {
                let (content, version) = storage.withLock { ($0.content, $0.version) }
                var value = content[keyPath: path]
                body(&value)
                if perform(toAction(value), after: version) { return }
            }
        }
        return binding.of(BindingSource(self, path, ClosureIdentity(toAction)))
    }

    /// The number of stored elements. Released ones count until the next action.
    package var elementCount: Int { elements.count }
}

extension StateStore: Equatable {
    /// Returns whether both are the same store.
    public static func == (left: StateStore, right: StateStore) -> Bool { left === right }
}
