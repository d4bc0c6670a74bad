/// The fields that make rows distinct, for a request that returns each distinct row once.
struct DistinctFields: Sendable {
    /// The fields' names, for explanations.
    let names: String
    /// Whether equal rows follow each other, so that a comparison with the last row is enough.
    let areNeighbours: Bool
    let key: GroupKey

    /// Returns nil for a request that returns every row.
    init?(_ request: Request, type: OpenType, in catalog: Catalog) throws(StoreError) {
        // Whole records always differ in their ids.
        guard request.isDistinct, let fields = request.fields else { return nil }
        names = fields.map(\.description).joined(separator: ", ")
        key = try GroupKey(fields, of: type, in: catalog)
        let wanted = Set(fields)
        areNeighbours = Set(request.order.prefix(wanted.count).map(\.field)) == wanted
    }
}

/// The rows that the cursor has returned.
struct DistinctRows {
    private var seen: Set<[UInt8]> = []
    private var last: [UInt8]?

    /// Adds a row; returns false when it has been added before.
    ///
    /// - Parameter onlyLast: whether only the previous row can be equal to this one. Earlier rows are then not kept.
    mutating func insert(_ row: [UInt8], onlyLast: Bool) -> Bool {
        guard onlyLast else { return seen.insert(row).inserted }
        if row == last { return false }
        last = row
        return true
    }
}
