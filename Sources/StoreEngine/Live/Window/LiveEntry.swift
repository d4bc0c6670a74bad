/// One live request and its result.
struct LiveEntry: Sendable {
    /// The effect of the step so far on the request.
    enum Touch: Int {
        /// Nothing.
        case none
        /// The result may have changed.
        case rows
        /// The request has to be rerun.
        case rerun
    }

    private(set) var id: LiveRequestID
    /// The request as it was added.
    let request: Request
    private(set) var plan: LivePlan
    /// The number of the record type.
    var typeID: UInt32 { plan.type.type.id }
    /// Whether the request has not ended.
    private(set) var isLive = true
    private var finder: RouteFinder
    /// Whether only the number of records is needed, so that no rows are kept.
    let isCount: Bool
    private let lookahead: Int?
    private var window: LiveWindow
    /// The number of records that meet the condition, where no rows are kept.
    private var matchCount = 0
    /// The rows at the end of the last step.
    private(set) var rows = LiveRows()
    /// The number of the request's records at the end of the last step.
    private(set) var count = 0
    /// The record type at the end of the last step.
    private var shownType: OpenType?
    /// The route by which changes reach the request, and the window's bound from which the route was made.
    private(set) var route = LiveRoute.none
    private var routedBound: LiveRow?
    var touch = Touch.none
    /// The number of the last change that reached the request. A change may arrive by several routes.
    var visit: UInt64 = 0

    init(
        _ id: LiveRequestID, _ request: Request, _ plan: LivePlan, isCount: Bool, lookahead: Int?
    ) {
        self.id = id
        self.request = request
        self.plan = plan
        self.isCount = isCount
        self.lookahead = lookahead
        finder = RouteFinder(plan)
        window = LiveWindow(neededCount: plan.neededCount, lookahead: plan.dependencies == nil ? lookahead : 0)
    }

    // MARK: Running

    /// Runs the request for the first time.
    mutating func start(in scope: ReadContext, _ counters: inout LiveCounters) throws(StoreError) {
        try run(in: scope, &counters)
        _ = publish()
        _ = try reroute()
    }

    /// Ends a step: fetches the rows that the window lacks, drops surplus rows, and replaces the result.
    ///
    /// - Returns: whether a subscriber sees a difference from the previous step.
    mutating func finish(in scope: ReadContext, _ counters: inout LiveCounters) throws(StoreError) -> Bool {
        if touch == .rerun {
            try run(in: scope, &counters)
        } else if !isCount {
            if window.needsRefill {
                counters.refills += 1
                try fill(limit: window.goal - window.rows.count, known: nil, in: scope, &counters)
            }
            window.trim()
        }
        touch = .none
        return publish()
    }

    func _checkInvariants() { window._checkInvariants() }

    /// Moves the request to another matcher, which has not brought it a change yet.
    mutating func move(to id: LiveRequestID) {
        self.id = id
        visit = 0
    }

    /// Releases the rows of a request that has ended.
    mutating func end() {
        isLive = false
        window.reset()
        rows = LiveRows()
    }

    /// Prepares the request again, for another catalog.
    mutating func replan(in catalog: Catalog) throws(StoreError) {
        let old = plan.type.type
        var typeIndex = catalog.typeIndex(ofID: old.id)
        // A migration may have replaced the type.
        if typeIndex.map({ catalog.types[$0].type.isReplaced == true }) ?? true {
            typeIndex = catalog.typeIndex(named: old.name)
        }
        guard let typeIndex else { throw StoreError(.unknownType, "the record type \(old.name) no longer exists") }
        let new = catalog.types[typeIndex].type
        let fields = plan.fields.map { LiveFields($0, of: old).fieldIndexes(in: new) }
        plan = try LivePlan(request, typeIndex: typeIndex, fields: fields, in: catalog)
        finder = RouteFinder(plan)
        (route, routedBound) = (.none, nil)
    }

    /// Runs the request from the start. Unchanged rows keep their objects.
    private mutating func run(in scope: ReadContext, _ counters: inout LiveCounters) throws(StoreError) {
        if isCount {
            var all = request
            (all.limit, all.offset, all.order) = (nil, 0, [])
            matchCount = try scope.count(all, typeIndex: plan.typeIndex(in: scope.state.catalog))
            return
        }
        let known = window.rows
        window.reset()
        if window.goal > 0 { try fill(limit: window.goal, known: known, in: scope, &counters) }
    }

    private mutating func fill(
        limit: Int, known: RowChunks?, in scope: ReadContext, _ counters: inout LiveCounters
    ) throws(StoreError) {
        let found = try plan.rows(
            after: window.bound, limit: limit, known: known, in: scope, scanned: &counters.scanned)
        window.refill(found, limit: limit)
    }

    /// Makes the window's rows the result.
    ///
    /// - Returns: whether a subscriber sees a difference.
    private mutating func publish() -> Bool {
        if isCount {
            let old = count
            count = Swift.min(Swift.max(0, matchCount - request.offset), request.limit ?? .max)
            return count != old
        }
        let (old, oldType) = (rows, shownType)
        rows = LiveRows(window.rows, offset: request.offset, limit: request.limit)
        count = rows.count
        shownType = plan.type
        // Rows of another version of the type are decoded differently, so they count as changed even where their values are
        // equal.
        guard let oldType, oldType.type.isSameVersion(as: plan.type.type) else { return true }
        return !rows.shows(theSameAs: old, fields: plan.fields)
    }

    // MARK: Changes

    /// Applies a change.
    ///
    /// - Returns: the effect of the change on the request.
    /// - Throws: ``CodecError`` where the record cannot be read. The request then has to be rerun.
    mutating func apply(_ change: StepChange, _ counters: inout LiveCounters) throws(CodecError) -> Touch {
        let isUnread = !change.changedFieldIndexes.intersects(plan.readFieldIndexes)
        if isCount { return isUnread ? .none : try count(change, &counters) }
        if isUnread, let before = change.before, let after = change.after {
            let sortKey = try sortKey(before, change.key)
            let row = LiveRow(sortKey: sortKey, key: change.key, content: after)
            return window.update(row) ? .rows : .none
        }
        let oldKey = try change.before.map { before throws(CodecError) in try sortKey(before, change.key) }
        var row: LiveRow?
        if let after = change.after {
            let sortKey = try sortKey(after, change.key)
            if window.covers(sortKey), try matches(after, &counters) {
                row = LiveRow(sortKey: sortKey, key: change.key, content: after)
            }
        }
        guard window.apply(from: oldKey, to: row) else { return .none }
        // Many new rows at the front must not pile up. Trimming also moves the bound, so the window knows which rows it has
        // dropped.
        window.trim(slack: Self.pileCount)
        return .rows
    }

    private static let pileCount = 1_024

    private mutating func count(_ change: StepChange, _ counters: inout LiveCounters) throws(CodecError) -> Touch {
        var difference = 0
        if let before = change.before, try matches(before, &counters) { difference -= 1 }
        if let after = change.after, try matches(after, &counters) { difference += 1 }
        if difference == 0 { return .none }
        matchCount += difference
        return .rows
    }

    private func matches(_ content: RecordContent, _ counters: inout LiveCounters) throws(CodecError) -> Bool {
        counters.tested += 1
        return try content.withTable { (table) throws(CodecError) in try plan.condition.holds(table) }
    }

    private func sortKey(_ content: RecordContent, _ key: [UInt8]) throws(CodecError) -> [UInt8] {
        try content.withTable { (table) throws(CodecError) in try plan.sortKey(table, key: key) }
    }

    // MARK: Routes

    /// Updates the route to the window.
    ///
    /// - Returns: the previous route; nil where it has not changed.
    mutating func reroute() throws(StoreError) -> LiveRoute? {
        if plan.dependencies != nil { return nil }
        if routedBound === window.bound, route != .none || window.goal == 0 { return nil }
        let old = route
        do {
            route = isCount ? finder.wholeRoute : try finder.route(window)
        } catch {
            throw StoreError(error, at: "a record of \(plan.type.name) in a live request")
        }
        routedBound = window.bound
        return old == route ? nil : old
    }

    /// Returns a description of how the request is kept up to date.
    func routing(_ catalog: Catalog) -> LiveRouting {
        guard let dependencies = plan.dependencies else { return route.routing(plan.type) }
        return .rerun(
            dependencies.types.map { read in
                let type = catalog.typeIndex(ofID: read.type).map { catalog.types[$0].type }
                let fields = type?.fields.map(\.name) ?? []
                let named = read.fieldIndexes.indexes?.filter { $0 < fields.count }.map { fields[$0] } ?? []
                return LiveRouting.Dependency(type: type?.name ?? "#\(read.type)", fields: named)
            })
    }
}
