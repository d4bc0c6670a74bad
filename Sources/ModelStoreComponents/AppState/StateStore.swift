import LMDB
public import StoreRuntime

/// A program's state in one value, which actions alone change.
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
/// Each element notifies on its own: who reads `count` hears nothing of an action after which it is what it was, where its values
/// can be compared. Actions are done one after the other. It can be used from any thread.
///
/// An element is read of each new state for as long as somebody observes it, so it must be there for as long: `\.items[5]` may be
/// read of a state with six items, and is to be observed only where there always are as many. Who observes `\.items` may have any.
///
/// - `storage` is protected by its mutex. Reducers run under it; elements are read, and observers told, outside of it.
@dynamicMemberLookup
public final class StateStore<Content: Sendable, Action: Sendable>: Sendable {
    private struct Storage {
        var content: Content
        /// How many actions were done.
        var version: UInt64 = 0
        var elements = StateElements<Content>()
    }

    private let watch = ElementWatch<Content>()
    private let storage: HandoverMutex<Storage>
    private let reduce: @Sendable (inout Content, Action) -> Void

    /// A store with its first state.
    ///
    /// - Parameter reduce: does an action. It must depend on nothing but the state and the action, and must not use the store.
    public init(_ content: Content, reduce: @escaping @Sendable (inout Content, Action) -> Void) {
        storage = HandoverMutex(Storage(content: content))
        self.reduce = reduce
    }

    /// Does an action, and tells the observers of those elements that it has changed. Linear in the number of elements that are
    /// observed: each is read of the state before and of the one after, and told where the two differ. One that is computed
    /// is computed for that; what is costly to derive belongs in the state, where the reducer keeps it.
    public func send(_ action: Action) { _ = perform(action) }

    /// Does an action.
    ///
    /// - Parameter expected: how many actions must have been done before; nil for any number.
    /// - Returns: whether it was done.
    private func perform(_ action: Action, after expected: UInt64? = nil) -> Bool {
        typealias Done = (old: Content, new: Content, version: UInt64, elements: [StateElement<Content>])
        let done = storage.withLock { storage -> Done? in
            if let expected, storage.version != expected { return nil }
            let old = storage.content
            reduce(&storage.content, action)
            storage.version += 1
            return (old, storage.content, storage.version, storage.elements.all())
        }
        guard let done else { return false }
        // Who reads several of them is told once.
        MarkingTurn.run {
            for element in done.elements where element.differs(done.old, done.new) {
                element.changes.update { $0 = max($0, done.version) }
            }
        }
        return true
    }

    /// The whole state as it is. Not tracked.
    public var content: Content { storage.withLock { $0.content } }

    /// An element of the state as it is, tracked by Observation.
    public subscript<Value: Sendable>(dynamicMember path: any KeyPath<Content, Value> & Sendable) -> Value {
        let element = element(path)
        // Tracked before it is read, so that what comes between the two is told.
        _ = element.changes.value
        watch.note(element)
        return content[keyPath: path]
    }

    /// An element's values: the one as it is, then each other one. The sequence has no end of its own.
    public func values<Value: Sendable>(of path: any KeyPath<Content, Value> & Sendable) -> StateValues<Value> {
        StateValues { [self] in
            let element = element(path)
            return StateValues.Iterator(changes: element.changes.values.makeAsyncIterator()) { [self] in
                // The iterator keeps it.
                withExtendedLifetime(element) { content[keyPath: path] }
            }
        }
    }

    /// A binding to an element, which sends an action when it is set.
    ///
    /// - Parameter toAction: the action that gives the element a value. It is made again where another action has come between.
    public func binding<Value: Sendable>(
        _ path: any KeyPath<Content, Value> & Sendable, toAction: @escaping @Sendable (Value) -> Action
    ) -> Binding<Value> {
        Binding {
            self[dynamicMember: path]
        } update: { [self] body in
            while true {
                let (content, version) = storage.withLock { ($0.content, $0.version) }
                var value = content[keyPath: path]
                body(&value)
                if perform(toAction(value), after: version) { return }
            }
        }
    }

    /// How many elements are noted, with those that nobody observes any more until the next action.
    package var elementCount: Int { storage.withLock { $0.elements.count } }

    private func element<Value: Sendable>(_ path: any KeyPath<Content, Value> & Sendable) -> StateElement<Content> {
        storage.withLock { $0.elements.one(at: path) { StateElement(path) } }
    }
}

extension StateStore: Equatable {
    /// Whether both are the same store.
    public static func == (left: StateStore, right: StateStore) -> Bool { left === right }
}
