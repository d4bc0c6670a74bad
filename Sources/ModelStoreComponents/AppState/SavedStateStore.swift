public import StoreEngine
public import StoreRuntime

/// A program's state in one record of a store, which actions alone change, and which outlives the program.
///
/// ```swift
/// @Record
/// struct Counter {
///     @ID var name: String
///     var count: Int = 0
/// }
///
/// enum CounterAction: StateAction {
///     case add(Int)
///
///     func reduce(_ state: inout Counter) {
///         switch self {
///         case .add(let amount): state.count += amount
///         }
///     }
/// }
///
/// let counter = try await SavedStateStore<CounterAction>(store, initially: Counter(name: "visits"))
/// try await counter.send(.add(1))
/// print(counter.count)                                     // tracked by Observation: this field alone
/// ```
///
/// As ``StateStore``, with these differences: the elements are the fields of the record; other processes see it and may send actions
/// too; each action is a write, stands in the feed with what it changed, and can be replayed. It keeps the record's model alive. It
/// can be used from any thread.
@dynamicMemberLookup
public final class SavedStateStore<A: StateAction>: Sendable where A.State.ID: Codable {
    private let store: Store
    /// The record's id.
    private let id: A.State.ID
    private let shown: Subject<Model<A.State>>

    /// The state's model. Where the record was deleted and put there again, that of the newest one, as soon as this object is asked
    /// for anything. Tracked by Observation.
    public var model: Model<A.State> {
        let model = shown.value
        guard model.isDeleted, let new = try? store.modelIfPresent(A.State.self, id: id), !new.isDeleted else {
            return model
        }
        shown.send(new)
        return new
    }

    /// The state with the id of `initial`; where the store has none, that one is put there.
    ///
    /// - Throws: ``StoreError``, as a write.
    public init(_ store: Store, initially initial: A.State) async throws {
        self.store = store
        id = initial.recordID
        if let known = try store.modelIfPresent(A.State.self, id: id) {
            shown = Subject(known)
        } else {
            try await store.write { [id] tx in
                if try tx.get(A.State.self, id: id) == nil { try tx.insert(initial) }
            }
            shown = Subject(try store.model(A.State.self, id: id))
        }
    }

    /// Does an action, and returns once it is committed and shown.
    ///
    /// - Throws: ``StoreError``: `recordNotFound` when the state was deleted; as ``Store/send(_:durability:timeout:)``.
    @discardableResult
    public func send(_ action: A) async throws -> Position {
        let position = try await store.send(ReduceState(id: id, action), returning: .position).position
        // Of a record that has taken another's place, those who read the old one are told here.
        _ = model
        return position
    }

    /// A field of the state as it is, tracked by Observation.
    public subscript<V>(dynamicMember field: KeyPath<A.State.Fields, Field<A.State, V>>) -> V {
        model[dynamicMember: field]
    }

    /// A field's values: the one as it is, then each other one. The sequence ends when the record is deleted.
    public func values<V: SendableMetatype>(
        of field: KeyPath<A.State.Fields, Field<A.State, V>>
    ) -> ModelValues<A.State, V> {
        model.values(of: field)
    }

    /// A binding to a field, which queues an action when it is set. It shows the value once that is committed.
    ///
    /// Each action is made of the field as it is when its turn has come.
    ///
    /// - Parameters:
    ///   - toAction: the action that gives the field a value.
    ///   - onError: told of each action that was not done, on no particular thread. By default the first one for the line is told as
    ///     a notice, see ``OwnershipOptions/onNotice``.
    public func binding<V: Sendable>(
        _ field: KeyPath<A.State.Fields, Field<A.State, V>>, file: StaticString = #fileID, line: UInt = #line,
        toAction: @escaping @Sendable (V) -> A, onError: (@Sendable (any Error) -> Void)? = nil
    ) -> Binding<V> {
        let token = FieldToken(A.State.fields[keyPath: field])
        let shown: @Sendable () -> V = { self.model.value(token) }
        return Binding(get: shown, committed: shown) { [store, id] body in
            store.queue { error in
                if let onError { return onError(error) }
                let name = "\(A.State.recordSchema.name).\(token.name)"
                store.ownership.tell(
                    OwnershipNotice(
                        .writeFailed,
                        "\(name) was set by a binding, and the action was not done: \(ErrorText.of(error))",
                        line: SourceLine(file, line), error: error))
            } make: { tx in
                guard let state = try tx.get(A.State.self, id: id) else {
                    throw StoreError(
                        .recordNotFound, "there is no \(A.State.recordSchema.name) with the id \(id)",
                        remedy: "do not delete a program's state while it is used")
                }
                var value = token.value(in: state)
                body(&value)
                return ReduceState(id: id, toAction(value))
            }
        }
    }
}
