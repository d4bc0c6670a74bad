/// A path from a record through references to a field of another record.
package struct ReferencePath: Sendable {
    /// One step, from a record to the record that one of its fields refers to.
    struct Hop: Sendable {
        let access: FieldAccess
        /// The component that turns the field into the key of the target.
        let component: KeyComponent
        /// The index in the catalog of the type that the step leads to.
        let target: Int
    }

    /// The maximum number of references in a path.
    package static let maximumHops = 4

    let hops: [Hop]
    /// The field, in the type that the last hop leads to.
    let access: FieldAccess

    /// Creates the path that a name describes; nil where the name is a field of the record itself.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where the name goes through too many references.
    package init?(_ name: FieldName, from start: OpenType, in catalog: Catalog) throws(StoreError) {
        guard !name.rest.isEmpty, let typeIndex = catalog.typeIndex(ofID: start.type.id) else { return nil }
        var hops: [Hop] = []
        var (rest, target) = (name, typeIndex)
        while let step = ReferenceStep(rest, typeIndex: target, in: catalog) {
            guard hops.count < Self.maximumHops else { throw Self.tooLong(name, in: start.name) }
            let type = catalog.types[target]
            hops.append(
                Hop(
                    access: try FieldAccess(step.field, of: type.type), component: step.reference.component,
                    target: step.reference.target))
            (rest, target) = (step.rest, step.reference.target)
        }
        if hops.isEmpty { return nil }
        self.hops = hops
        access = try FieldAccess(rest, of: catalog.types[target].type)
    }

    /// Returns the error for a name that goes through too many references.
    static func tooLong(_ name: FieldName, in typeName: String) -> StoreError {
        StoreError(
            .invalidValue, "\(typeName).\(name) goes through more than \(maximumHops) references",
            remedy: "store the value in a nearer record, or fetch in two steps")
    }

    /// Returns the value of the field; none where a reference leads to no record.
    ///
    /// - Parameter record: a record of the type at the beginning of the path.
    package func value(from record: DynamicRecord, in scope: ReadContext) throws(StoreError) -> DynamicValue {
        let first = hops[0].access
        let reference = record.values[first.fieldIndex]
        if reference == .none { return .none }
        var value = DynamicValue.none
        do {
            var id = ByteWriter(capacity: 64)
            try reference.encode(as: first.type, to: &id)
            _ = try follow(id: id.bytes, scope) { end in
                if let bytes = try access.bytes(end) { value = try DynamicValue(from: bytes, as: access.type) }
            }
        } catch {
            throw StoreError(reading: error, at: "a record that is referred to")
        }
        return value
    }

    /// Returns the value of the field; none where a reference leads to no record.
    ///
    /// - Parameter table: the fields, in the newest form, of a record of the type at the beginning of the path.
    func value(from table: FieldTable, in scope: ReadContext) throws -> DynamicValue {
        var value = DynamicValue.none
        _ = try follow(table, scope) { end in
            if let bytes = try access.bytes(end) { value = try DynamicValue(from: bytes, as: access.type) }
        }
        return value
    }

    /// Appends the part of a sort key that the field makes. The part is a zero byte where a reference leads to no record or the
    /// field is none.
    func appendSortKey(
        _ table: FieldTable, _ component: KeyComponent, _ scope: ReadContext, to writer: inout ByteWriter
    ) throws {
        let isThere = try follow(table, scope) { end in
            guard let bytes = try access.bytes(end) else { return writer.append(byte: 0) }
            writer.append(byte: 1)
            try component.append(bytes, to: &writer)
        }
        if !isThere { writer.append(byte: 0) }
    }

    /// Calls `body` with the fields, in the newest form, of the record that the last hop leads to.
    ///
    /// - Returns: false, without a call of `body`, where a reference is none or leads to no record.
    func follow(
        _ table: FieldTable, _ scope: ReadContext, hop: Int = 0, _ body: (FieldTable) throws -> Void
    ) throws -> Bool {
        guard hop < hops.count else {
            try body(table)
            return true
        }
        guard let id = try hops[hop].access.bytes(table) else { return false }
        return try follow(id: id, scope, hop: hop, body)
    }

    /// Follows the path from the id that the field of a hop holds.
    func follow(
        id: RawSpan, _ scope: ReadContext, hop: Int = 0, _ body: (FieldTable) throws -> Void
    ) throws -> Bool {
        let target = scope.state.catalog.types[hops[hop].target]
        var key = ByteWriter(capacity: 64)
        try hops[hop].component.append(id, to: &key)
        guard let record = try scope.record(idKey: &key, of: target) else { return false }
        let stored = try RecordBytes(unverified: record)
        guard let upgrade = try target.upgrade(fromVersion: stored.schemaVersion) else {
            return try follow(stored.table, scope, hop: hop + 1, body)
        }
        let newest = try upgrade.apply(to: stored)
        return unsafe try follow(RecordBytes(unverified: newest.span.bytes).table, scope, hop: hop + 1, body)
    }
}

/// The first step of a name that goes through a reference.
struct ReferenceStep {
    let reference: OpenReference
    /// The field that holds the reference.
    let field: FieldName
    /// The rest of the name, which names a field of the referenced record.
    let rest: FieldName

    /// Creates the step that `name` begins with; nil where `name` is a field of the record itself.
    init?(_ name: FieldName, typeIndex: Int, in catalog: Catalog) {
        if name.rest.isEmpty { return nil }
        self.init(along: name, typeIndex: typeIndex, in: catalog)
    }

    /// Creates the first step on the path to the record at which an inverse begins.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where the field is not a reference to a single record.
    init(to inverse: InverseName, from typeIndex: Int, in catalog: Catalog) throws(StoreError) {
        if let step = ReferenceStep(along: inverse.path, typeIndex: typeIndex, in: catalog) {
            self = step
            return
        }
        let type = catalog.types[typeIndex].type
        guard type.fieldIndex(named: inverse.path.first) != nil else {
            throw FieldAccess.unknown(in: type.name, type.fields.map(\.name), inverse.path.first)
        }
        throw StoreError(
            .invalidValue, "\(type.name).\(inverse.path.first) does not refer to a single record",
            remedy: "use only references to a single record before the inverse")
    }

    private init?(along name: FieldName, typeIndex: Int, in catalog: Catalog) {
        let type = catalog.types[typeIndex].type
        let found = catalog.references.outgoing[typeIndex].first {
            !$0.isMultiple && type.isField($0.fieldIndex, named: name.first)
        }
        guard let found else { return nil }
        self.init(found, field: FieldName([type.fields[found.fieldIndex].name]), rest: FieldName(name.rest))
    }

    init(_ reference: OpenReference, field: FieldName, rest: FieldName) {
        self.reference = reference
        self.field = field
        self.rest = rest
    }
}

extension ReadContext {
    /// Returns the record with an id. `key` is the key of the id. It is truncated to the key of the record.
    @_lifetime(copy self)
    func record(idKey key: inout ByteWriter, of type: OpenType) throws -> RawSpan? {
        let whole = key.count > KeyLimit.recordKey ? key.array() : nil
        KeyLimit.truncateRecordKey(&key, type.keyHash)
        guard let record = try value(type.database, key: key.bytes) else { return nil }
        // Long ids may have the same truncated key.
        if let whole, try Referrers.idKey(of: record, type) != whole { return nil }
        return record
    }
}
