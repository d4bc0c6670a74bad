/// A fetch request without Swift types. ``FetchRequest`` and `store-cli query` both produce it.
package struct Request: Hashable, Sendable {
    /// The condition that records must meet.
    package var condition = ConditionNode.constant(true)
    /// The sort fields, the most significant first. Records that are equal in all of them come in the order of ids, in the
    /// direction of the last field.
    package var order: [SortTerm] = []
    /// The most records to return; nil for all.
    package var limit: Int?
    /// The number of records to skip at the beginning.
    package var offset = 0
    /// The position to continue after; nil to begin with the first record.
    package var position: RequestPosition?
    /// The requested fields; nil for all. The rows of a live request also hold the values of those that belong to other records.
    package var fields: [FieldName]?
    /// Whether only the first of the records with equal `fields` counts.
    package var isDistinct = false

    package init() {}

    /// The most records that the fetch has to find, including the skipped ones.
    var wanted: Int { Request.wanted(limit: limit, offset: offset) }

    /// Returns the most records that a fetch with this limit and offset has to find.
    static func wanted(limit: Int?, offset: Int) -> Int {
        guard let limit else { return .max }
        let sum = limit.addingReportingOverflow(offset)
        return sum.overflow ? .max : sum.partialValue
    }
}

/// One field that records are ordered by.
package struct SortTerm: Hashable, Sendable {
    package var field: FieldName
    package var isDescending: Bool

    package init(_ field: FieldName, isDescending: Bool = false) {
        self.field = field
        self.isDescending = isDescending
    }
}
