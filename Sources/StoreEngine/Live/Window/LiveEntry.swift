/// One live request and its result.
struct LiveEntry: Sendable {
    /// What a step has done to the request so far.
    enum Touch: Int {
        /// Nothing.
        case none
        /// The result may be another.
        case rows
        /// It has to be run again.
        case rerun
    }

    private(set) var id: LiveRequestID
    /// What was asked for, as it was given.
    let request: Request
    private(set) var plan: LivePlan
    /// The number of the record type.
    var typeID: UInt32 { plan.type.type.id }
    /// Whether the request is still there.
    private(set) var isLive = true
    private var finder: RouteFinder
    /// Whether only the number of records is of interest, and no row is kept.
    let isCount: Bool
    private let lookahead: Int?
    private var window: LiveWindow
    /// The number of records that meet the condition, where rows are not kept.
    private var matchCount = 0
    /// The rows as they were at the end of the last step.
    private(set) var rows = LiveRows()
    /// How many records the request asked for then.
    private(set) var count = 0
    /// The record type as it was then.
    private var shownType: OpenType?
    /// The route by which changes come here, and the bound of the window that it was made for.
    private(set) var route = LiveRoute.none
    private var routedBound: LiveRow?
    var touch = Touch.none
    /// The last change that came here: it may come by several ways.
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

    /// Ends a step: what the window lacks is fetched, what it has too much is forgotten, and the result becomes visible.
    ///
    /// - Returns: whether anybody sees a difference to the step before.
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

    /// Takes a name among the requests of another matcher, which has not brought a change here yet.
    mutating func move(to id: LiveRequestID) {
        self.id = id
        visit = 0
    }

    /// Lets go of the rows of a request that is over.
    mutating func end() {
        isLive = false
        window.reset()
        rows = LiveRows()
    }

    /// Makes the request ready anew, for another catalog.
    mutating func replan(in catalog: Catalog) throws(StoreError) {
        let old = plan.type.type
        var typeIndex = catalog.typeIndex(ofID: old.id)
        // A migration may have put another type in its place.
        if typeIndex.map({ catalog.types[$0].type.isReplaced == true }) ?? true {
            typeIndex = catalog.typeIndex(named: old.name)
        }
        guard let typeIndex else { throw StoreError(.unknownType, "the record type \(old.name) is gone") }
        let new = catalog.types[typeIndex].type
        let fields = plan.fields.map { LiveFields($0, of: old).fieldIndexes(in: new) }
        plan = try LivePlan(request, typeIndex: typeIndex, fields: fields, in: catalog)
        finder = RouteFinder(plan)
        (route, routedBound) = (.none, nil)
    }

    /// Runs the request from the start. Rows that are as they were stay the same objects.
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

    /// Makes the result visible.
    ///
    /// - Returns: whether anybody sees a difference.
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
        // The rows of another version of the type are read otherwise, whatever they show.
        guard let oldType, oldType.type.isSameVersion(as: plan.type.type) else { return true }
        return !rows.shows(theSameAs: old, fields: plan.fields)
    }

    // MARK: Changes

    /// Takes in a change.
    ///
    /// - Returns: what it did.
    /// - Throws: ``CodecError`` where the record cannot be read; the request has to be run again then.
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
        // A bulk of rows at the front must not pile up; what is forgotten here is known to be unknown as well.
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

    /// Brings the route in line with the window.
    ///
    /// - Returns: the route that was, where it is another now.
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

    /// How the request is kept up to date, for people.
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
