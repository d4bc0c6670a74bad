/// By which fields rows are told apart when each counts once.
struct DistinctFields: Sendable {
    private struct Part: Sendable {
        let access: FieldAccess
        /// Nil where values have no order: their encodings are compared.
        let component: KeyComponent?
    }

    /// The fields' names, for people.
    let names: String
    /// Whether equal rows follow each other, so that knowing the last is enough.
    let areNeighbours: Bool
    private let parts: [Part]

    /// Nil for a request of which every row counts.
    init?(_ request: Request, type: RecordType) throws(StoreError) {
        // Whole records differ in their ids.
        guard request.isDistinct, let fields = request.fields else { return nil }
        names = fields.map(\.description).joined(separator: ", ")
        parts = try fields.map { name throws(StoreError) in
            let access = try FieldAccess(name, of: type)
            return Part(access: access, component: KeyComponent(access.type))
        }
        let wanted = Set(fields)
        areNeighbours = Set(request.order.prefix(wanted.count).map(\.field)) == wanted
    }

    /// What rows have in common that are equal, and no others.
    func row(_ table: FieldTable) throws(CodecError) -> [UInt8] {
        var row = ByteWriter(capacity: 64)
        for part in parts {
            guard let value = try part.access.bytes(table, nil) else {
                row.append(byte: 0)
                continue
            }
            row.append(byte: 1)
            if let component = part.component {
                try component.append(value, to: &row)
            } else {
                row.append(lengthPrefixed: value)
            }
        }
        return row.array()
    }
}

/// The rows that were found already.
struct DistinctRows {
    private var seen: Set<[UInt8]> = []
    private var last: [UInt8]?

    /// Adds a row; false when it was there.
    ///
    /// - Parameter onlyLast: whether only the row before this may be equal, so that the others can be forgotten.
    mutating func insert(_ row: [UInt8], onlyLast: Bool) -> Bool {
        guard onlyLast else { return seen.insert(row).inserted }
        if row == last { return false }
        last = row
        return true
    }
}
