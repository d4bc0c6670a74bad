/// A request that is ready to be run. ``ReadContext/planned(_:typeIndex:covering:declared:by:search:isExplained:)`` makes one, and
/// a ``FetchCursor`` runs it. A class, because a cursor is made even for the shortest request, and a plan has many parts to copy.
final class PlannedRequest: Sendable {
    let type: OpenType
    /// The request without parts about other records, for an explanation.
    let explained: Request?
    let plan: Plan
    /// Gives the fields of interest from the walked index; nil where it does not hold them.
    let cover: IndexCover?
    /// Whether the bytes of the records are of interest; without, entries of an index are enough.
    let needsRecords: Bool
    /// The look-ups that were made before, for parts of the condition about other records.
    let lookups: [ConditionLookup]

    /// - Parameter isForRecords: whether more is asked for than the number of the records, and than what `cover` gives.
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

    /// Records in the order of their keys. That is the order of ids, save among those whose keys are truncated, so that a place
    /// is known by a key alone.
    ///
    /// - Parameter last: the key of the record that they come behind, which need not be there any more; nil for all.
    static func inKeyOrder(_ type: OpenType, after last: [UInt8]?) -> PlannedRequest {
        let range = last.map { KeyRange(lower: $0 + [0], upper: nil) } ?? .all
        let walk = PlannedWalk(indexNumber: nil, ranges: KeyRanges([range]), fields: [])
        return PlannedRequest(
            type,
            Plan(
                source: .walk(walk), filter: nil, wholeFilter: nil, isBackward: false, order: [], needsSort: false,
                limit: nil, offset: 0, position: nil, distinct: nil, matching: nil))
    }

    /// How many records and entries were looked at to make the plan's condition.
    var lookedUp: Int { lookups.reduce(0) { $0 + $1.scannedCount } }

    /// Whether the walked index gives all that is asked for.
    var isCovered: Bool { cover != nil && !needsRecords }
}

extension ReadContext {
    /// Decides how a request is answered. Every request for records is planned here, whatever is made of them.
    ///
    /// - Parameters:
    ///   - fieldIndexes: the places of the only fields that are of interest among the type's newest, none when records are counted; nil
    ///     for all.
    ///   - declared: where a Swift type's fields stand among the type's newest, for what decodes `fieldIndexes`.
    ///   - path: the way to take, for tests; nil leaves the choice to the planner.
    ///   - search: how records are asked who refers to them, for tests; nil leaves the choice to what it costs.
    ///   - isExplained: whether to estimate also where the choice is clear.
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
                // With the fields in the index, walking it again costs less than the records.
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
