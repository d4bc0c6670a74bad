/// What a fetch asks for, without Swift types: what ``FetchRequest`` and `store-cli query` both become.
package struct Request: Hashable, Sendable {
    /// Which records.
    package var condition = ConditionNode.constant(true)
    /// In which order: by the first, among equals by the next, at last by id in the direction of the last.
    package var order: [SortTerm] = []
    /// How many at most; nil for all.
    package var limit: Int?
    /// How many of the first to leave out.
    package var offset = 0
    /// Where to go on in the order; nil to begin at the front.
    package var position: RequestPosition?
    /// The fields that are of interest; nil for all. The rows of a live request hold what stands in those of other records.
    package var fields: [FieldName]?
    /// Whether of records that are equal in `fields` only the first counts.
    package var isDistinct = false

    package init() {}

    /// How many records are asked for at most, those that are left out included.
    var wanted: Int { Request.wanted(limit: limit, offset: offset) }

    /// The same for one without the rest of the request.
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
