/// Some fields of records as bytes: equal where all the values are, and in the order of the values.
struct GroupKey: Sendable {
    private struct Part: Sendable {
        let access: FieldAccess
        /// Nil where values have no order: their encodings are compared.
        let component: KeyComponent?
        let isDescending: Bool
    }

    private let parts: [Part]

    /// - Parameter order: gives the directions; a field that is not in it ascends.
    init(_ fields: [FieldName], of type: RecordType, in order: [SortTerm] = []) throws(StoreError) {
        parts = try fields.map { name throws(StoreError) in
            let access = try FieldAccess(name, of: type)
            let isDescending = order.first { $0.field == name }?.isDescending ?? false
            return Part(access: access, component: KeyComponent(access.type), isDescending: isDescending)
        }
    }

    /// The bytes of a record.
    func bytes(_ table: FieldTable) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter(capacity: 64)
        for part in parts {
            let start = writer.count
            if let value = try part.access.bytes(table) {
                writer.append(byte: 1)
                if let component = part.component {
                    try component.append(value, to: &writer)
                } else {
                    writer.append(lengthPrefixed: value)
                }
            } else {
                writer.append(byte: 0)
            }
            if part.isDescending { writer.complement(from: start) }
        }
        return writer.array()
    }
}

extension FetchCursor {
    /// The key of the record that the walk is at.
    func key(_ key: GroupKey) throws(StoreError) -> [UInt8] {
        do {
            return try key.bytes(RecordBytes(unverified: record).table)
        } catch {
            throw damage(error)
        }
    }

    /// Takes the record that the walk is at into aggregates.
    func add(to states: inout [AggregateState], _ aggregates: [CompiledAggregate]) throws(StoreError) {
        do {
            let table = try RecordBytes(unverified: record).table
            for place in aggregates.indices { try aggregates[place].add(table, to: &states[place]) }
        } catch {
            throw damage(error)
        }
    }
}
