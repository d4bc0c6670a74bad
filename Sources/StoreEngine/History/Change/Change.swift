/// One change of a record.
public struct Change<R: Record>: Equatable, Sendable {
    /// What kind of change it is: insert, update, delete, or replace where change sets were put together.
    public let kind: ChangeKind
    /// The record's id.
    public let id: R.ID
    /// The record before the change; nil for an insert.
    public let before: R?
    /// The record after the change; nil for a delete.
    public let after: R?
    /// The fields that an update changed.
    public let changedFields: ChangedFields<R>
    /// Names the change for all time and in all copies of the store: what consumes the feed elsewhere can tell by it that it
    /// has seen this change already.
    public var idempotencyKey: String { name.description }
    @usableFromInline package let name: ChangeName

    /// Whether an update changed this field. False for other kinds.
    public func didChange<V>(_ field: KeyPath<R.Fields, Field<R, V>>) -> Bool { changedFields.contains(field) }
}

// Inlinable, so that decoding is specialized for the record type where changes are asked for.
extension Change {
    @inlinable
    init(_ states: ChangeStates) throws(CodecError) {
        before = try Change.decode(states.before, states)
        after = try Change.decode(states.after, states)
        guard let record = after ?? before else { throw CodecError("a change has no record") }
        id = record.recordID
        kind = states.kind
        changedFields = ChangedFields(states)
        name = states.name
    }

    @inlinable
    static func decode(_ bytes: [UInt8]?, _ states: ChangeStates) throws(CodecError) -> R? {
        guard let bytes else { return nil }
        return unsafe try R(from: states.decoder(bytes.span.bytes))
    }
}

/// What a change is made of, before it is decoded to a Swift type.
@usableFromInline
struct ChangeStates {
    @usableFromInline let kind: ChangeKind
    @usableFromInline let name: ChangeName
    /// The record before the change, in the form of the newest version.
    @usableFromInline let before: [UInt8]?
    /// The record after the change, in the form of the newest version.
    @usableFromInline let after: [UInt8]?
    /// The places of the changed fields among the declared ones.
    let changed: FieldIndexSet
    /// How many fields are declared.
    let fieldCount: Int
    private let fieldIndexesByDeclared: [Int32]?

    /// The states of a change of the type that `binding` ties.
    init(_ source: RecordChange, _ binding: TypedBinding) throws(CodecError) {
        let change = source.change
        kind = change.kind
        name = source.name
        before = try ChangeStates.newest(change.before(binding.type), binding.type)
        after = try ChangeStates.newest(change.after, binding.type)
        changed = ChangeStates.changedFieldIndexes(change, binding)
        fieldCount = binding.declaredCount
        fieldIndexesByDeclared = binding.fieldIndexesByDeclared
    }

    /// The fields of one of the states.
    @usableFromInline
    @_lifetime(copy bytes)
    func decoder(_ bytes: RawSpan) throws(CodecError) -> FieldDecoder {
        FieldDecoder(try RecordBytes(unverified: bytes).table, slots: fieldIndexesByDeclared)
    }

    private static func changedFieldIndexes(_ change: FeedChange, _ binding: TypedBinding) -> FieldIndexSet {
        // Inserts and deletes have none.
        if change.earlier.isEmpty { return FieldIndexSet() }
        let fields = binding.type.type.fields
        return binding.declaredFieldIndexes { fieldIndex in
            let number = fields[fieldIndex].id
            return change.earlier.contains { $0.field == number }
        }
    }

    private static func newest(_ bytes: [UInt8]?, _ type: OpenType) throws(CodecError) -> [UInt8]? {
        guard let bytes else { return nil }
        // The chained hash of the feed has been checked.
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        return try type.upgrade(fromVersion: record.schemaVersion)?.apply(to: record) ?? bytes
    }
}

/// The fields of a record that an update changed.
public struct ChangedFields<R: Record>: Hashable, Sendable {
    /// The places among the declared fields.
    private var fieldIndexes = FieldIndexSet()
    private let count: Int

    @usableFromInline
    init(_ states: ChangeStates) {
        fieldIndexes = states.changed
        count = states.fieldCount
    }

    /// The declared fields whose stored ones are among some places.
    package init(_ stored: FieldIndexSet, _ binding: TypedBinding) {
        fieldIndexes = binding.declaredFieldIndexes(of: stored)
        count = binding.declaredCount
    }

    /// These declared fields.
    package init(declared fieldIndexes: FieldIndexSet) {
        self.init()
        self.fieldIndexes = fieldIndexes
    }

    /// What differs between two records.
    package init(from old: R, to new: R) {
        self.init()
        do throws(CodecError) {
            let before = try Sameness.encoding(of: old)
            let after = try Sameness.encoding(of: new)
            let left = try FieldTable(before.tableBytes)
            let right = try FieldTable(after.tableBytes)
            for declared in 0..<count where try !left.field(declared).isEqual(to: right.field(declared)) {
                fieldIndexes.insert(declared)
            }
        } catch {
            // Records that were decoded can be encoded; were one not to be, it is taken for all new.
            fieldIndexes = .all
        }
    }

    /// No fields.
    package init() { count = R.recordSchema.fields.count }

    /// Their places among the declared fields.
    package var declaredFieldIndexes: FieldIndexSet { fieldIndexes }

    /// Whether there are none.
    public var isEmpty: Bool { fieldIndexes.isEmpty }

    /// Whether a field is among them; for a property of an embedded struct, whether that struct is.
    public func contains<V>(_ field: KeyPath<R.Fields, Field<R, V>>) -> Bool {
        contains(declared: R.fields[keyPath: field].index)
    }

    /// Their names, in the order of declaration.
    public var names: [String] {
        let declared = R.recordSchema.fields
        return (0..<min(count, declared.count)).filter { contains(declared: $0) }.map { declared[$0].name }
    }

    /// Whether the declared field with this place is among them.
    package func contains(declared index: Int) -> Bool { fieldIndexes.contains(index) }

    /// Whether one of these declared fields is among them.
    package func intersects(declared other: FieldIndexSet) -> Bool { fieldIndexes.intersects(other) }
}
