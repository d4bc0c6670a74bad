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
    /// A bit for each of the first 64 declared fields.
    private var mask: UInt64 = 0
    private var others: Set<Int> = []
    private let count: Int

    init(_ change: FeedChange, _ binding: TypedBinding) {
        let fields = binding.type.type.fields
        count = binding.placesByDeclared?.count ?? fields.count
        if change.earlier.isEmpty { return }
        for declared in 0..<count {
            let place = binding.placesByDeclared.map { Int($0[declared]) } ?? declared
            guard fields.indices.contains(place) else { continue }
            let number = fields[place].id
            guard change.earlier.contains(where: { $0.field == number }) else { continue }
            if declared < 64 { mask |= 1 << UInt64(declared) } else { others.insert(declared) }
        }
    }

    /// Whether there are none.
    public var isEmpty: Bool { mask == 0 && others.isEmpty }

    /// Whether a field is among them; for a property of an embedded struct, whether that struct is.
    public func contains<V>(_ field: KeyPath<R.Fields, Field<R, V>>) -> Bool {
        contains(R.fields[keyPath: field].index)
    }

    /// Their names, in the order of declaration.
    public var names: [String] {
        let declared = R.recordSchema.fields
        return (0..<min(count, declared.count)).filter(contains).map { declared[$0].name }
    }

    private func contains(_ index: Int) -> Bool {
        index < 64 ? mask & 1 << UInt64(index) != 0 : others.contains(index)
    }
}
