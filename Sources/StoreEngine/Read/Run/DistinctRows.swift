/// By which fields rows are told apart when each counts once.
struct DistinctFields: Sendable {
    /// The fields' names, for people.
    let names: String
    /// Whether equal rows follow each other, so that knowing the last is enough.
    let areNeighbours: Bool
    let key: GroupKey

    /// Nil for a request of which every row counts.
    init?(_ request: Request, type: OpenType, in catalog: Catalog) throws(StoreError) {
        // Whole records differ in their ids.
        guard request.isDistinct, let fields = request.fields else { return nil }
        names = fields.map(\.description).joined(separator: ", ")
        key = try GroupKey(fields, of: type, in: catalog)
        let wanted = Set(fields)
        areNeighbours = Set(request.order.prefix(wanted.count).map(\.field)) == wanted
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
