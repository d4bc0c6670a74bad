import LMDB
public import Observation
public import StoreEngine

/// The one live, observable object in this process for one record of a store.
///
/// ```swift
/// let sensor = try store.model(Sensor.self, id: "s1")
/// print(sensor.celsius)                                    // the newest committed value, tracked by Observation
/// for await celsius in sensor.values(of: \.celsius) { … }  // the current value, then each other one
/// ```
///
/// A model shows committed state and is changed through transactions only. What it shows changes in steps, for all models and
/// live results of a store at once; inside of ``Store/view(_:)`` it shows the view's position. After its record was deleted it
/// keeps the last values and says so; a record that is inserted later under the same id has a model of its own.
///
/// It can be used from any thread. Reading a field takes constant time.
///
/// It is the typed face of its state, which holds all that changes.
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
            ModelVersion(found.record, at: position), key: found.key, incarnation: found.incarnation, table.slots,
            table.timeline)
        state.model = self
    }

    deinit { table.remove(state) }

    // MARK: Reading

    /// A field of the record, as it is now: at the read view's position inside of one, else at the newest.
    ///
    /// Observation tracks it field by field. It is set in a transaction only, by ``update(_:)`` or a binding.
    public subscript<V>(dynamicMember field: KeyPath<R.Fields, Field<R, V>>) -> V {
        @inlinable get { value(FieldToken(R.fields[keyPath: field])) }
        @available(*, unavailable, message: "write 'try await model.update { $0.celsius = 3 }', or set a binding")
        set { preconditionFailure("unavailable") }
    }

    /// The value of a field, tracked by Observation.
    @inlinable
    package func value<V>(_ token: FieldToken<R, V>) -> V {
        // Nothing generic is called on this way, so that where `R` is known nothing has to be looked up.
        var value: V?
        state.read(token.fieldIndex) { value = token.value(in: $0.of(R.self).record) }
        return value ?? token.value(in: older(logging: token.fieldIndex).record)
    }

    /// The whole record, tracked by Observation as a read of each field.
    public var record: R { (state.readAll()?.of(R.self) ?? older(logging: -1)).record }

    /// Whether the record was deleted. Its fields are then what they were last.
    public var isDeleted: Bool {
        var isDeleted: Bool?
        state.read(state.deletedSlot) { isDeleted = $0.isDeleted }
        return isDeleted ?? older(logging: state.deletedSlot).isDeleted
    }

    /// The position of the step that gave the model what it shows. Not tracked.
    public var position: Position { (state.shown(logging: nil) ?? older(logging: nil)).position }

    /// What is shown to the calling thread in a read view that is older than the model.
    @usableFromInline
    func older(logging part: Int?) -> ModelVersion<R> {
        guard let view = ReadViewStorage.current(on: table.timeline) else { return visible }
        let record = try? view.record(R.self, id: id)
        let version = record.map { ModelVersion($0, at: view.position) }
        return state.addEarlier(version, in: view, logging: part).of(R.self)
    }

    /// What is shown outside of read views.
    var visible: ModelVersion<R> { state.visible.of(R.self) }
}

extension Model: Hashable {
    /// Whether both are the same object.
    public static func == (left: Model, right: Model) -> Bool { left === right }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
