/// A request that is ready to run.
///
/// ``ReadContext/planned(_:typeIndex:covering:declared:by:search:isExplained:)`` makes one, and a ``FetchCursor`` runs it. It is
/// a class because every request makes a cursor, even the shortest, and a plan has many parts to copy.
final class PlannedRequest: Sendable {
    let type: OpenType
    /// The request without parts about other records, for an explanation.
    let explained: Request?
    let plan: Plan
    /// Reads the requested fields from the walked index; nil where the index does not hold them.
    let cover: IndexCover?
    /// Whether the fetch needs the bytes of the records. Otherwise the entries of an index are enough.
    let needsRecords: Bool
    /// The lookups made during planning, for parts of the condition about other records.
    let lookups: [ConditionLookup]

    /// - Parameter isForRecords: whether the caller needs more than the number of records and the fields that `cover` gives.
    init(
        _ type: OpenType, _ plan: consuming Plan, cover: IndexCover? = nil, isForRecords: Bool = true,
        lookups: [ConditionLookup] = [], explained: Request? = nil
    ) {
        self.type = type
        needsRecords =
            isForRecords || plan.filter != nil || plan.needsSort || plan.position != nil || plan.distinct != nil
        self.plan = plan
        self.cover = cover
        self.lookups = lookups
        self.explained = explained
    }

    /// Plans a walk over records in the order of their keys. That is the order of ids, except among records whose keys are
    /// truncated. A key alone therefore identifies a position.
    ///
    /// - Parameter last: the key of the record to begin after, which may have been deleted; nil for all records.
    static func inKeyOrder(_ type: OpenType, after last: [UInt8]?) -> PlannedRequest {
        let range = last.map { KeyRange(lower: $0 + [0], upper: nil) } ?? .all
        let walk = PlannedWalk(indexNumber: nil, ranges: KeyRanges([range]), fields: [])
        return PlannedRequest(
            type,
            Plan(
                source: .walk(walk), filter: nil, wholeFilter: nil, isBackward: false, order: [], needsSort: false,
                limit: nil, offset: 0, position: nil, distinct: nil, matching: nil))
    }

    /// The number of records and entries read to resolve the condition.
    var lookedUp: Int { lookups.reduce(0) { $0 + $1.scannedCount } }

    /// Whether the walked index holds everything that the request needs.
    var isCovered: Bool { cover != nil && !needsRecords }
}

extension ReadContext {
    /// Plans how a request is answered. Every request for records is planned here.
    ///
    /// - Parameters:
    ///   - fieldIndexes: the indexes of the only requested fields among the type's newest fields; empty when records are only
    ///     counted, nil for all fields.
    ///   - declared: the index of each declared field of the Swift type among the type's newest fields. The decoder of
    ///     `fieldIndexes` needs it.
    ///   - path: the path to use, for tests; nil leaves the choice to the planner.
    ///   - search: how to find the records that refer to a record, for tests; nil chooses by cost.
    ///   - isExplained: whether to make estimates even where the choice is clear.
    func planned(
        _ request: Request, typeIndex: Int, covering fieldIndexes: [Int]? = nil, declared: [Int32]? = nil,
        by path: Plan.Path? = nil, search: ReferrerSearch? = nil, isExplained: Bool = false
    ) throws(StoreError) -> PlannedRequest {
        try note(request, typeIndex: typeIndex)
        let type = state.catalog.types[typeIndex]
        var path = path
        var longWalk: EqualityLookup.LongWalk?
        if path == nil, var lookup = EqualityLookup(request, of: type) {
            if let keys = try lookup.keys(request, of: type, self) {
                // If an index holds the fields, walking it again costs less than reading the records.
                if !isExplained, fieldIndexes.map(\.isEmpty) ?? true {
                    return PlannedRequest(type, lookup.plan(request, of: type, keys), isForRecords: fieldIndexes == nil)
                }
                path = lookup.path
            }
            longWalk = lookup.longWalk
        }
        let resolved = try resolved(request, typeIndex: typeIndex, forcedSearch: search)
        var estimator = try RowEstimator(self, type, longWalk: longWalk)
        let plan = try Planner(type, resolved, in: state.catalog, covering: fieldIndexes)
            .plan(&estimator, forced: path, isExplained: isExplained)
        let cover = cover(plan, of: type, fieldIndexes, declared)
        return PlannedRequest(
            type, plan, cover: cover, isForRecords: cover == nil && fieldIndexes?.isEmpty != true,
            lookups: resolved.lookups,
            explained: isExplained ? resolved.request : nil)
    }

    private func cover(_ plan: Plan, of type: OpenType, _ fieldIndexes: [Int]?, _ declared: [Int32]?) -> IndexCover? {
        guard let fieldIndexes, !fieldIndexes.isEmpty, case .walk(let walk) = plan.source,
            let indexNumber = walk.indexNumber
        else { return nil }
        return IndexCover(type.indexes[indexNumber], of: type, fieldIndexes: fieldIndexes, declared: declared)
    }
}
