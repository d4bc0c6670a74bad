/// One change of a record.
public struct Change<R: Record>: Equatable, Sendable {
    /// The kind of change: insert, update or delete; also replace in a combination of several change sets.
    public let kind: ChangeKind
    /// The record's id.
    public let id: R.ID
    /// The record before the change; nil for an insert.
    public let before: R?
    /// The record after the change; nil for a delete.
    public let after: R?
    /// The fields that an update changed.
    public let changedFields: ChangedFields<R>
    /// Identifies the change permanently, in every copy of the store. An external consumer of the feed uses it to detect a change
    /// that it has already processed.
    public var idempotencyKey: String { name.description }
    @usableFromInline package let name: ChangeName

    /// Whether an update changed this field. False for other kinds.
    public func didChange<V>(_ field: KeyPath<R.Fields, Field<R, V>>) -> Bool { changedFields.contains(field) }
}

// Inlinable, so that the compiler specializes decoding for the record type at the call.
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

/// The parts of a change before it is decoded to a Swift type.
@usableFromInline
struct ChangeStates {
    @usableFromInline let kind: ChangeKind
    @usableFromInline let name: ChangeName
    /// The record before the change, in the form of the newest version.
    @usableFromInline let before: [UInt8]?
    /// The record after the change, in the form of the newest version.
    @usableFromInline let after: [UInt8]?
    /// The indexes of the changed fields among the declared fields.
    let changed: FieldIndexSet
    /// The number of declared fields.
    let fieldCount: Int
    private let fieldIndexesByDeclared: [Int32]?

    /// Takes the states from a change of the type that `binding` connects to a Swift type.
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

    /// Returns a decoder for the fields of one of the states.
    @usableFromInline
    @_lifetime(copy bytes)
    func decoder(_ bytes: RawSpan) throws(CodecError) -> FieldDecoder {
        FieldDecoder(try RecordBytes(unverified: bytes).table, slots: fieldIndexesByDeclared)
    }

    private static func changedFieldIndexes(_ change: FeedChange, _ binding: TypedBinding) -> FieldIndexSet {
        // Inserts and deletes have no changed fields.
        if change.earlier.isEmpty { return FieldIndexSet() }
        let fields = binding.type.type.fields
        return binding.declaredFieldIndexes { fieldIndex in
            let number = fields[fieldIndex].id
            return change.earlier.contains { $0.field == number }
        }
    }

    private static func newest(_ bytes: [UInt8]?, _ type: OpenType) throws(CodecError) -> [UInt8]? {
        guard let bytes else { return nil }
        // The bytes need no check here: the feed's chained hash was checked on reading.
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        return try type.upgrade(fromVersion: record.schemaVersion)?.apply(to: record) ?? bytes
    }
}

/// The fields of a record that an update changed.
public struct ChangedFields<R: Record>: Hashable, Sendable {
    /// The field indexes among the declared fields.
    private var fieldIndexes = FieldIndexSet()
    private let count: Int

    @usableFromInline
    init(_ states: ChangeStates) {
        fieldIndexes = states.changed
        count = states.fieldCount
    }

    /// Creates the set of the declared fields whose stored fields are in `stored`.
    package init(_ stored: FieldIndexSet, _ binding: TypedBinding) {
        fieldIndexes = binding.declaredFieldIndexes(of: stored)
        count = binding.declaredCount
    }

    /// Creates the set of the declared fields with these indexes.
    package init(declared fieldIndexes: FieldIndexSet) {
        self.init()
        self.fieldIndexes = fieldIndexes
    }

    /// Creates the set of the fields that differ between two records.
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
            // Records that were decoded can be encoded. If one cannot, all of its fields count as changed.
            fieldIndexes = .all
        }
    }

    /// Creates an empty set.
    package init() { count = R.recordSchema.fields.count }

    /// The field indexes among the declared fields.
    package var declaredFieldIndexes: FieldIndexSet { fieldIndexes }

    /// Whether no field changed.
    public var isEmpty: Bool { fieldIndexes.isEmpty }

    /// Whether a field changed. For a property of an embedded struct, this says whether the struct changed.
    public func contains<V>(_ field: KeyPath<R.Fields, Field<R, V>>) -> Bool {
        contains(declared: R.fields[keyPath: field].index)
    }

    /// The names of the changed fields, in the order of declaration.
    public var names: [String] {
        let declared = R.recordSchema.fields
        return (0..<min(count, declared.count)).filter { contains(declared: $0) }.map { declared[$0].name }
    }

    /// Whether the declared field with this index changed.
    package func contains(declared index: Int) -> Bool { fieldIndexes.contains(index) }

    /// Whether any of these declared fields changed.
    package func intersects(declared other: FieldIndexSet) -> Bool { fieldIndexes.intersects(other) }
}
