/// The way from a record through references to a field of another record.
package struct ReferencePath: Sendable {
    /// One step: from a record to the one that a field of it refers to.
    struct Hop: Sendable {
        let access: FieldAccess
        /// How the field becomes the key of the target.
        let component: KeyComponent
        /// The place in the catalog of the type that it leads to.
        let target: Int
    }

    /// How many references a path may go through.
    package static let maximumHops = 4

    let hops: [Hop]
    /// The field, in the type that the last hop leads to.
    let access: FieldAccess

    /// Follows a name; nil where it names a field of the record itself.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where it goes through too many references.
    init?(_ name: FieldName, from start: OpenType, in catalog: Catalog) throws(StoreError) {
        guard !name.rest.isEmpty, let typeIndex = catalog.place(ofType: start.type.id) else { return nil }
        var hops: [Hop] = []
        var (rest, place) = (name, typeIndex)
        while let step = ReferenceStep(rest, typeIndex: place, in: catalog) {
            guard hops.count < Self.maximumHops else { throw Self.tooLong(name, in: start.name) }
            let type = catalog.types[place]
            hops.append(
                Hop(
                    access: try FieldAccess(step.field, of: type.type), component: step.reference.component,
                    target: step.reference.target))
            (rest, place) = (step.rest, step.reference.target)
        }
        if hops.isEmpty { return nil }
        self.hops = hops
        access = try FieldAccess(rest, of: catalog.types[place].type)
    }

    /// The error for what goes through too many references.
    static func tooLong(_ name: FieldName, in typeName: String) -> StoreError {
        StoreError(
            .invalidValue, "\(typeName).\(name) goes through more than \(maximumHops) references",
            remedy: "keep the value nearer, or fetch in two steps")
    }

    /// Appends the part of a sort key that the field makes; a zero where a reference leads nowhere or the field is none.
    func appendSortKey(
        _ table: FieldTable, _ component: KeyComponent, _ scope: ReadingScope, hop: Int = 0, to writer: inout ByteWriter
    ) throws {
        guard hop < hops.count else {
            guard let bytes = try access.bytes(table) else { return writer.append(byte: 0) }
            writer.append(byte: 1)
            return try component.append(bytes, to: &writer)
        }
        let step = hops[hop]
        let target = scope.state.catalog.types[step.target]
        guard let id = try step.access.bytes(table) else { return writer.append(byte: 0) }
        var key = ByteWriter(capacity: 64)
        try step.component.append(id, to: &key)
        guard let record = try scope.record(idKey: &key, of: target) else { return writer.append(byte: 0) }
        let stored = try RecordBytes(unverified: record)
        guard let upgrade = try target.upgrade(fromVersion: stored.schemaVersion) else {
            return try appendSortKey(stored.table, component, scope, hop: hop + 1, to: &writer)
        }
        let newest = try upgrade.apply(to: stored)
        unsafe try appendSortKey(
            RecordBytes(unverified: newest.span.bytes).table, component, scope, hop: hop + 1, to: &writer)
    }
}

/// The first step of a name that goes through a reference.
struct ReferenceStep {
    let reference: OpenReference
    /// The field that refers.
    let field: FieldName
    /// What is named of the record that it refers to.
    let rest: FieldName

    /// The step that `name` begins with; nil where it names a field of the record itself.
    init?(_ name: FieldName, typeIndex: Int, in catalog: Catalog) {
        guard !name.rest.isEmpty else { return nil }
        let type = catalog.types[typeIndex].type
        let found = catalog.references.outgoing[typeIndex].first {
            !$0.isMultiple && type.isField($0.place, named: name.first)
        }
        guard let found else { return nil }
        self.init(found, field: FieldName([type.fields[found.place].name]), rest: FieldName(name.rest))
    }

    init(_ reference: OpenReference, field: FieldName, rest: FieldName) {
        self.reference = reference
        self.field = field
        self.rest = rest
    }
}

extension ReadingScope {
    /// The record with an id, from the whole key of that, which is truncated to the record's.
    @_lifetime(copy self)
    func record(idKey key: inout ByteWriter, of type: OpenType) throws -> RawSpan? {
        let whole = key.count > KeyLimit.recordKey ? key.array() : nil
        KeyLimit.truncateRecordKey(&key)
        guard let record = try value(type.database, key: key.bytes) else { return nil }
        // Two ids that are too long for a key may share its truncated form.
        if let whole, try Referrers.idKey(of: record, type) != whole { return nil }
        return record
    }
}
