public import StoreEngine
public import StoreRuntime

/// A program's state in one record of a store. Only actions change it, and it outlives the program.
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
/// It works as ``StateStore``, with these differences:
///
/// - The elements are the fields of the record.
/// - Other processes can read the state and send actions too.
/// - Each action is a write. The feed records it with its changes, and a replay can rerun it.
///
/// It keeps the record's model alive. You can use it from any thread.
@dynamicMemberLookup
public final class SavedStateStore<A: StateAction>: Sendable where A.State.ID: Codable {
    private let store: Store
    /// The record's id.
    private let id: A.State.ID
    private let shown: Subject<Model<A.State>>

    /// The model of the state's record. After the record was deleted and inserted again, the next use of this object switches to
    /// the model of the new record. Tracked by Observation.
    public var model: Model<A.State> {
        let model = shown.value
        guard model.isDeleted, let new = try? store.modelIfPresent(A.State.self, id: id), !new.isDeleted else {
            return model
        }
        shown.send(new)
        return new
    }

    /// Opens the state with the id of `initial`. If the store has no such record, inserts `initial`.
    ///
    /// - Throws: ``/ModelStore/StoreError``, as a write does.
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

    /// Runs an action, and returns when it is committed and published in this process.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `recordNotFound` if the state was deleted; otherwise as
    ///   ``/ModelStore/Store/send(_:durability:timeout:)-3zmpb``.
    @discardableResult
    public func send(_ action: A) async throws -> Position {
        let position = try await store.send(ReduceState(id: id, action), returning: .position).position
        // If the record was deleted and inserted again, this switches to the new model and notifies code that read the old one.
        _ = model
        return position
    }

    /// Returns the current value of a field, tracked by Observation.
    public subscript<V>(dynamicMember field: KeyPath<A.State.Fields, Field<A.State, V>>) -> V {
        model[dynamicMember: field]
    }

    /// Returns the values of a field: the current one, then every new one. The sequence ends when the record is deleted.
    public func values<V: SendableMetatype>(
        of field: KeyPath<A.State.Fields, Field<A.State, V>>
    ) -> ModelValues<A.State, V> {
        model.values(of: field)
    }

    /// Returns a binding to a field. Setting the binding queues an action, and the binding shows the new value once the action is
    /// committed.
    ///
    /// The store makes each action from the value that the field has when the queued write runs.
    ///
    /// - Parameters:
    ///   - field: the field, such as `\.celsius`.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - toAction: returns the action that gives the field a value.
    ///   - onError: receives the error of each action that failed, on an arbitrary thread. By default, the first failure for the
    ///     line becomes a notice, see ``/ModelStore/OwnershipOptions/onNotice``.
    public func binding<V: Sendable>(
        _ field: KeyPath<A.State.Fields, Field<A.State, V>>, file: StaticString = #fileID, line: UInt = #line,
        toAction: @escaping @Sendable (V) -> A, onError: (@Sendable (any Error) -> Void)? = nil
    ) -> Binding<V> {
        let token = FieldToken(A.State.fields[keyPath: field])
        let shown: @Sendable () -> V = { self.model.value(token) }
        let binding: Binding<V> = Binding(get: shown, committed: shown) { [store, id] body in
            store.queue { error in
                if let onError { return onError(error) }
                let name = "\(A.State.recordSchema.name).\(token.name)"
                store.ownership.notify(
                    OwnershipNotice(
                        .writeFailed,
                        "a binding set \(name), but its action failed: \(ErrorText.of(error))",
                        line: SourceLine(file, line), error: error))
            } make: { tx in
                guard let state = try tx.get(A.State.self, id: id) else {
                    throw StoreError(
                        .recordNotFound, "there is no \(A.State.recordSchema.name) with the id \(id)",
                        remedy: "keep the record of a program's state while the program uses it")
                }
                var value = token.value(in: state)
                body(&value)
                return ReduceState(id: id, toAction(value))
            }
        }
        return onError == nil ? binding.of(BindingSource(self, token.name, ClosureIdentity(toAction))) : binding
    }
}
