import LMDB
public import Observation
public import StoreEngine

/// The one live, observable object in this process for one record of a store.
///
/// ```swift
/// let sensor = try store.model(Sensor.self, id: "s1")
/// print(sensor.celsius)                                    // the newest committed value, tracked by Observation
/// for await celsius in sensor.values(of: \.celsius) { … }  // the current value, then every new one
/// ```
///
/// A model holds committed values, and changes only when a transaction commits. All models and live results of a store change
/// together, in steps. Inside of ``Store/view(_:)``, a model has the values at the view's position.
///
/// After its record was deleted, a model keeps the last values, and ``isDeleted`` is true. A record that is inserted later under
/// the same id has a new model.
///
/// A model can be used from any thread. Reading a field takes constant time.
///
/// The model adds the record's type to its state, which holds everything that changes.
@dynamicMemberLookup
public final class Model<R: Record>: Observable, Identifiable, Sendable {
    /// The record's id.
    public let id: R.ID
    let core: StoreCore
    let table: TypedModelTable<R>
    @usableFromInline let state: ModelState

    init(_ found: StoredRecord<R>, at position: Position, _ table: TypedModelTable<R>, _ core: StoreCore) {
        id = found.record.recordID
        self.core = core
        self.table = table
        state = ModelState(
            ModelVersion(found.record, at: position, readFailure: found.readFailure), key: found.key,
            incarnation: found.incarnation, table.slots, table.timeline)
        state.model = self
    }

    deinit { table.remove(state) }

    // MARK: Reading

    /// The current value of a field: at the position of the read view inside of one, otherwise at the newest position.
    ///
    /// Observation tracks each field on its own. To set a field, use a transaction, such as ``update(file:line:_:)``, or a
    /// binding.
    public subscript<V>(dynamicMember field: KeyPath<R.Fields, Field<R, V>>) -> V {
        @inlinable get { value(FieldToken(R.fields[keyPath: field])) }
        @available(*, unavailable, message: "write 'try await model.update { $0.celsius = 3 }', or set a binding")
        set { preconditionFailure("unavailable") }
    }

    /// Returns the value of a field, tracked by Observation.
    @inlinable
    package func value<V>(_ token: FieldToken<R, V>) -> V {
        // This path calls nothing generic, so that no type has to be looked up if `R` is known.
        var value: V?
        state.read(token.fieldIndex) { value = token.value(in: $0.of(R.self).record) }
        return value ?? token.value(in: older(logging: token.fieldIndex).record)
    }

    /// The whole record, tracked by Observation as a read of each field.
    public var record: R { (state.readAll()?.of(R.self) ?? older(logging: -1)).record }

    /// Whether the record was deleted. Its fields keep their last values.
    public var isDeleted: Bool {
        var isDeleted: Bool?
        state.read(state.deletedSlot) { isDeleted = $0.isDeleted }
        return isDeleted ?? older(logging: state.deletedSlot).isDeleted
    }

    /// Why the model cannot read the newest state of its record; nil while it can. Tracked by Observation.
    ///
    /// Another program can store a value that the field's Swift type does not have, which is the code `valueDoesNotFit`. The
    /// model then keeps its last values, and its sequences wait. Once the record can be decoded again, the model has its values.
    public var readFailure: StoreError? {
        var failure: StoreError??
        state.read(state.readFailureSlot) { failure = .some($0.readFailure) }
        return failure ?? older(logging: state.readFailureSlot).readFailure
    }

    /// The position of the step that produced the current values. Not tracked.
    public var position: Position { (state.version(logging: nil) ?? older(logging: nil)).position }

    /// Returns the version that the calling thread reads in a read view that is older than the model.
    @usableFromInline
    func older(logging part: Int?) -> ModelVersion<R> {
        guard let view = ReadViewStorage.current(on: table.timeline) else { return publishedVersion }
        let version: ModelVersion<R>?
        do throws(StoreError) {
            version = try view.record(R.self, id: id).map { ModelVersion($0, at: view.position) }
        } catch {
            version = ModelVersion(state.oldestVersion.of(R.self).record, at: view.position, readFailure: error)
        }
        return state.addEarlier(version, in: view, logging: part).of(R.self)
    }

    /// The version that reads outside of read views get.
    var publishedVersion: ModelVersion<R> { state.publishedVersion.of(R.self) }
}

extension Model: Hashable {
    /// Whether both are the same object.
    public static func == (left: Model, right: Model) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
