/// The bytes of some fields of a record or of the records that it refers to. The bytes are equal where all values are equal, and
/// sort as the values do.
struct GroupKey: Sendable {
    private struct Part: Sendable {
        let access: FieldAccess
        /// Nil where values have no order. Their encodings are compared instead.
        let component: KeyComponent?
        let isDescending: Bool
        /// The path to the record that has the field; nil where the field is the record's own.
        let path: ReferencePath?

        func append(_ table: FieldTable, to writer: inout ByteWriter) throws(CodecError) {
            guard let value = try access.bytes(table) else { return writer.append(byte: 0) }
            writer.append(byte: 1)
            guard let component else { return writer.append(lengthPrefixed: value) }
            try component.append(value, to: &writer)
        }
    }

    private let parts: [Part]

    /// - Parameter order: the directions of the fields. A field that is not in it ascends.
    init(
        _ fields: [FieldName], of type: OpenType, in catalog: Catalog, order: [SortTerm] = []
    ) throws(StoreError) {
        parts = try fields.map { name throws(StoreError) in
            let path = try ReferencePath(name, from: type, in: catalog)
            let access = if let path { path.access } else { try FieldAccess(name, of: type.type) }
            let isDescending = order.first { $0.field == name }?.isDescending ?? false
            return Part(
                access: access, component: KeyComponent(access.type), isDescending: isDescending, path: path)
        }
    }

    /// Returns the values of the fields in a record.
    func values(_ table: FieldTable, _ scope: ReadContext) throws -> [DynamicValue] {
        try parts.map { part in
            var found = DynamicValue.none
            func read(_ table: FieldTable) throws(CodecError) {
                if let value = try part.access.bytes(table) {
                    found = try DynamicValue(from: value, as: part.access.type)
                }
            }
            if let path = part.path {
                _ = try path.follow(table, scope, read)
            } else {
                try read(table)
            }
            return found
        }
    }

    /// Returns the key of a record. Where a reference leads nowhere, the field counts as none.
    func bytes(_ table: FieldTable, _ scope: ReadContext) throws -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        for part in parts {
            let start = writer.count
            if let path = part.path {
                let isThere = try path.follow(table, scope) { try part.append($0, to: &writer) }
                if !isThere { writer.append(byte: 0) }
            } else {
                try part.append(table, to: &writer)
            }
            if part.isDescending { writer.complement(from: start) }
        }
        return writer.array()
    }
}

extension FetchCursor {
    /// Returns the key of the current record.
    func key(_ key: GroupKey) throws(StoreError) -> [UInt8] {
        do {
            return try key.bytes(RecordBytes(unverified: record).table, scope)
        } catch {
            throw failed(error)
        }
    }

    /// Returns the values of a key's fields in the current record.
    func values(_ key: GroupKey) throws(StoreError) -> [DynamicValue] {
        do {
            return try key.values(RecordBytes(unverified: record).table, scope)
        } catch {
            throw failed(error)
        }
    }

    /// Adds the current record to aggregates.
    func add(to states: inout [AggregateState], _ aggregates: [CompiledAggregate]) throws(StoreError) {
        do {
            let table = try RecordBytes(unverified: record).table
            for number in aggregates.indices { try aggregates[number].add(table, scope, to: &states[number]) }
        } catch {
            throw failed(error)
        }
    }
}
