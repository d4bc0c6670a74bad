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
    package let name: ChangeName

    /// Whether an update changed this field. False for other kinds.
    public func changes<V>(_ field: KeyPath<R.Fields, Field<R, V>>) -> Bool { changedFields.contains(field) }
}

extension Change {
    /// Decodes a change of the type that `binding` ties `R` to.
    package init(_ source: RecordChange, _ binding: TypedBinding) throws(CodecError) {
        let change = source.change
        let type = binding.type
        before = try Change.decode(change.before(type), binding)
        after = try Change.decode(change.after, binding)
        guard let record = after ?? before else { throw CodecError("a change has no record") }
        id = record.recordID
        kind = change.kind
        changedFields = ChangedFields(change, binding)
        name = source.name
    }

    private static func decode(_ bytes: [UInt8]?, _ binding: TypedBinding) throws(CodecError) -> R? {
        guard let bytes else { return nil }
        // The chained hash of the feed has been checked.
        let record = unsafe try RecordBytes(unverified: bytes.span.bytes)
        return try binding.type.withNewest(record) { (newest) throws(CodecError) in
            try R(from: FieldDecoder(newest.table, slots: binding.placesByDeclared))
        }
    }
}

/// The fields of a record that an update changed.
public struct ChangedFields<R: Record>: Hashable, Sendable {
    /// The places among the declared fields.
    private var places = PlaceSet()
    private let count: Int

    init(_ change: FeedChange, _ binding: TypedBinding) {
        let fields = binding.type.type.fields
        // Inserts and deletes have none.
        let earlier = change.earlier
        self.init(binding) { place in
            if earlier.isEmpty { return false }
            let number = fields[place].id
            return earlier.contains { $0.field == number }
        }
    }

    /// The declared fields whose stored ones are among some places.
    package init(_ stored: PlaceSet, _ binding: TypedBinding) {
        self.init(binding) { stored.contains($0) }
    }

    private init(_ binding: TypedBinding, isChanged: (Int) -> Bool) {
        let fields = binding.type.type.fields
        count = binding.placesByDeclared?.count ?? fields.count
        for declared in 0..<count {
            let place = binding.placesByDeclared.map { Int($0[declared]) } ?? declared
            if fields.indices.contains(place), isChanged(place) { places.insert(declared) }
        }
    }

    /// What differs between two records.
    package init(from old: R, to new: R) {
        self.init()
        do throws(CodecError) {
            let before = try ChangedFields.encode(old)
            let after = try ChangedFields.encode(new)
            let left = try FieldTable(before.tableBytes)
            let right = try FieldTable(after.tableBytes)
            for declared in 0..<count where try !left.field(declared).isEqual(to: right.field(declared)) {
                places.insert(declared)
            }
        } catch {
            // Records that were decoded can be encoded; were one not to be, it is taken for all new.
            places = .all
        }
    }

    private static func encode(_ record: R) throws(CodecError) -> FieldEncoder {
        var encoder = FieldEncoder()
        encoder.begin(fieldCount: R.recordSchema.fields.count)
        try record.encode(to: &encoder)
        try encoder.finish()
        return encoder
    }

    /// No fields.
    package init() { count = R.recordSchema.fields.count }

    /// Whether there are none.
    public var isEmpty: Bool { places.isEmpty }

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
    package func contains(declared index: Int) -> Bool { places.contains(index) }

    /// Whether one of these declared fields is among them.
    package func intersects(declared other: PlaceSet) -> Bool { places.intersects(other) }
}
