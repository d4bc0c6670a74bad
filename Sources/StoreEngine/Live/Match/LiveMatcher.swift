/// All live requests of a store. The matcher applies the changes of a step to them.
///
/// Each request keeps the rows that it needs and a few more (``LiveWindow``). The matcher finds the requests that a change may
/// concern through tables of the record's keys before and after the change (``TypeRouter``). Requests for other records cost
/// nothing. The matcher reruns a request only where it must: where the condition or the order follows references, or where a
/// record could not be read.
///
/// The matcher is a value without locks. Its owner must apply one step at a time.
package struct LiveMatcher: Sendable {
    /// The entry of each slot. The slots in `free` have ended. Entries are not optional: reading a field of an optional copies
    /// the whole entry.
    private var entries: [LiveEntry] = []
    private var free: [Int32] = []
    private var serial: UInt64 = 0
    /// The router of each record type, by the type's number.
    private var routers: [UInt32: TypeRouter] = [:]
    /// The slots of the requests that are rerun, by the fields that they read.
    private var dependents = SlotTable<Dependency>()
    private let lookahead: Int?
    private var changeNumber: UInt64 = 0
    /// The work done so far.
    package private(set) var counters = LiveCounters()

    /// A field that a request reads in its own or other records.
    private struct Dependency: Hashable, Sendable {
        let type: UInt32
        let part: Part

        enum Part: Hashable {
            case field(Int)
            /// Inserts and deletes of records.
            case presence
            /// Every change.
            case everything
        }
    }

    /// - Parameter lookahead: the number of rows that a limited request keeps in addition to those that it needs. Nil keeps a
    ///   quarter of the needed rows, at least 8 and at most 64.
    package init(lookahead: Int? = nil) { self.lookahead = lookahead }

    /// The number of live requests.
    package var requestCount: Int { entries.count - free.count }

    /// Returns which records of a type's changes the matcher needs.
    package func interest(inType number: UInt32) -> StepNet.Interest {
        if let router = routers[number], !router.isEmpty { return .both }
        // Requests that are rerun only need the changed fields.
        return dependents.isEmpty ? .nothing : .after
    }

    // MARK: Requests

    /// Adds a request and runs it.
    ///
    /// - Parameters:
    ///   - request: the request, without a position and not for distinct rows. Without an order, it is ordered by id.
    ///   - typeIndex: the index of the record type in the catalog of `scope`.
    ///   - fields: the fields whose changes are reported; nil for all fields. An update of other fields is not reported unless
    ///     the row moves. The rows still hold the newest record.
    ///   - scope: the snapshot of the step that was applied last.
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where the request does not match the type; `damaged`.
    package mutating func add(
        _ request: Request, typeIndex: Int, fields: FieldIndexSet? = nil, in scope: ReadContext
    ) throws(StoreError) -> LiveRequestID {
        try add(request, typeIndex: typeIndex, fields: fields, isCount: false, in: scope)
    }

    /// Adds a request of which only the number of records is needed; see ``count(_:)``. With a limit of 1, the number tells
    /// whether there is a record.
    ///
    /// - Throws: ``StoreError`` as for ``add(_:typeIndex:fields:in:)``.
    package mutating func addCount(
        _ request: Request, typeIndex: Int, in scope: ReadContext
    ) throws(StoreError) -> LiveRequestID {
        try add(request, typeIndex: typeIndex, fields: nil, isCount: true, in: scope)
    }

    private mutating func add(
        _ request: Request, typeIndex: Int, fields: FieldIndexSet?, isCount: Bool, in scope: ReadContext
    ) throws(StoreError) -> LiveRequestID {
        let plan = try LivePlan(request, typeIndex: typeIndex, fields: fields, in: scope.state.catalog)
        var entry = LiveEntry(nextID, request, plan, isCount: isCount, lookahead: lookahead)
        try entry.start(in: scope, &counters)
        return enterNew(entry)
    }

    /// Adds a request that another matcher has kept up to date so far.
    ///
    /// - Parameters:
    ///   - id: the id of the request in the other matcher.
    ///   - other: a matcher that has applied all changes up to the end of the step that was applied here last. It must have no
    ///     other request, because all of its counters are added to the counters here.
    package mutating func adopt(_ id: LiveRequestID, of other: LiveMatcher) -> LiveRequestID {
        var entry = other[id]
        entry.move(to: nextID)
        counters.add(other.counters)
        return enterNew(entry)
    }

    /// The id of the next new request.
    private var nextID: LiveRequestID { LiveRequestID(serial: serial + 1, slot: free.last ?? Int32(entries.count)) }

    private mutating func enterNew(_ entry: LiveEntry) -> LiveRequestID {
        serial += 1
        if free.popLast() == nil { entries.append(entry) }
        enter(entry)
        return entry.id
    }

    /// Replaces a request. The rows are then those of the new request.
    ///
    /// - Throws: ``StoreError`` as for ``add(_:typeIndex:fields:in:)``; the old request then stays unchanged.
    package mutating func reconfigure(
        _ id: LiveRequestID, to request: Request, typeIndex: Int, fields: FieldIndexSet? = nil, in scope: ReadContext
    ) throws(StoreError) {
        let plan = try LivePlan(request, typeIndex: typeIndex, fields: fields, in: scope.state.catalog)
        var entry = LiveEntry(id, request, plan, isCount: self[id].isCount, lookahead: lookahead)
        try entry.start(in: scope, &counters)
        leave(id.slot)
        enter(entry)
    }

    /// Removes a request. A request that failed has already been removed.
    package mutating func remove(_ id: LiveRequestID) {
        guard isLive(id) else { return }
        leave(id.slot)
        end(id.slot)
    }

    /// Returns the rows of a request at the end of the last step.
    package func rows(_ id: LiveRequestID) -> LiveRows { self[id].rows }

    /// Returns the number of records of a request at the end of the last step.
    package func count(_ id: LiveRequestID) -> Int { self[id].count }

    /// Returns the record type of a request at the end of the last step.
    package func type(_ id: LiveRequestID) -> OpenType { self[id].plan.type }

    /// Returns the indexes, in ``type(_:)``, of the fields whose changes a request reports; nil for all fields.
    package func fields(_ id: LiveRequestID) -> FieldIndexSet? { self[id].plan.fields }

    /// Returns the fields of other records whose values the rows of a request hold: ``LiveRow/followed``.
    package func followed(_ id: LiveRequestID) -> [FieldName] { self[id].plan.followed }

    /// Returns a description of how a request is kept up to date.
    package func routing(_ id: LiveRequestID, in catalog: Catalog) -> LiveRouting { self[id].routing(catalog) }

    private subscript(id: LiveRequestID) -> LiveEntry {
        precondition(isLive(id), "the live request was removed")
        return entries[Int(id.slot)]
    }

    private func isLive(_ id: LiveRequestID) -> Bool {
        entries[Int(id.slot)].isLive && entries[Int(id.slot)].id == id
    }

    private mutating func end(_ slot: Int32) {
        entries[Int(slot)].end()
        free.append(slot)
    }

    private mutating func enter(_ entry: LiveEntry) {
        let slot = entry.id.slot
        entries[Int(slot)] = entry
        let type = entry.plan.type
        for dependency in Self.dependencies(entry) { dependents.insert(slot, at: dependency) }
        routers[type.type.id, default: TypeRouter(type)].insert(slot, entry.route)
    }

    private mutating func leave(_ slot: Int32) {
        let entry = entries[Int(slot)]
        for dependency in Self.dependencies(entry) { dependents.remove(slot, at: dependency) }
        routers[entry.plan.type.type.id]?.remove(slot, entry.route)
    }

    private static func dependencies(_ entry: LiveEntry) -> [Dependency] {
        guard let types = entry.plan.dependencies?.types else { return [] }
        return types.flatMap { read -> [Dependency] in
            guard let fieldIndexes = read.fieldIndexes.indexes else {
                return [Dependency(type: read.type, part: .everything)]
            }
            return [Dependency(type: read.type, part: .presence)]
                + fieldIndexes.map { Dependency(type: read.type, part: .field($0)) }
        }
    }

    // MARK: Steps

    /// Applies the net changes of a step, in any order.
    ///
    /// - Parameters:
    ///   - changes: one change for each record that changed.
    ///   - scope: the snapshot after the changes.
    /// - Complexity: for each change O(log requests), plus the work of the requests that it concerns. Other requests cost
    ///   nothing.
    package mutating func apply(_ changes: [StepChange], in scope: ReadContext) -> LiveOutcome {
        var touched: [Int32] = []
        var hits: [Int32] = []
        var read = StepReads()
        for change in changes {
            if !dependents.isEmpty { read.note(change) }
            guard let router = routers[change.type.type.id], !router.isEmpty else { continue }
            changeNumber += 1
            hits.removeAll(keepingCapacity: true)
            do {
                try router.visit(change) { hits.append($0) }
            } catch {
                // The keys are not known, so the change may concern every request of the type. Rerun them all.
                touchAll(change.type, &touched)
                continue
            }
            for slot in hits { take(change, slot, &touched) }
        }
        for (type, fieldIndexes) in read.types { touchDependents(of: type, fieldIndexes, &touched) }
        return settle(touched, in: scope)
    }

    /// Checks the windows of all requests and the trees that find them. Tests call it; it is empty in release builds.
    ///
    /// - Complexity: O(rows and requests)
    package func _checkInvariants() {
        #if DEBUG
        for entry in entries where entry.isLive { entry._checkInvariants() }
        for router in routers.values { router._checkInvariants() }
        #endif
    }

    /// Reruns all requests against the catalog of a snapshot. Called after a reset or a change of the schema, and where the
    /// changes could not be read.
    package mutating func rerunAll(in scope: ReadContext) -> LiveOutcome {
        var outcome = LiveOutcome()
        routers = [:]
        dependents = SlotTable()
        for index in entries.indices {
            guard entries[index].isLive else { continue }
            var entry = entries[index]
            do {
                try entry.replan(in: scope.state.catalog)
                counters.reruns += 1
                entry.touch = .rerun
                if try entry.finish(in: scope, &counters) { outcome.changed.append(entry.id) }
                _ = try entry.reroute()
                enter(entry)
            } catch {
                end(entry.id.slot)
                outcome.failures.append(LiveOutcome.Failure(id: entry.id, error: error))
            }
        }
        outcome.sort()
        return outcome
    }

    private mutating func take(_ change: StepChange, _ slot: Int32, _ touched: inout [Int32]) {
        let index = Int(slot)
        if entries[index].visit == changeNumber { return }
        entries[index].visit = changeNumber
        counters.visited += 1
        var touch = LiveEntry.Touch.rerun
        do {
            touch = try entries[index].apply(change, &counters)
        } catch {
            // If the record cannot be read now either, the rerun reports the error.
        }
        mark(slot, touch, &touched)
    }

    private mutating func mark(_ slot: Int32, _ touch: LiveEntry.Touch, _ touched: inout [Int32]) {
        if touch == .none { return }
        let known = entries[Int(slot)].touch
        if known == .none { touched.append(slot) }
        if known.rawValue < touch.rawValue { entries[Int(slot)].touch = touch }
    }

    private mutating func touchAll(_ type: OpenType, _ touched: inout [Int32]) {
        for index in entries.indices where entries[index].isLive && entries[index].typeID == type.type.id {
            mark(Int32(index), .rerun, &touched)
        }
    }

    private mutating func touchDependents(of type: UInt32, _ fieldIndexes: FieldIndexSet, _ touched: inout [Int32]) {
        // `all` means that a record was inserted or deleted, which concerns every request that reads any field of the type.
        for part in [.everything] + (fieldIndexes.indexes?.map { .field($0) } ?? [.presence]) as [Dependency.Part] {
            for slot in dependents[Dependency(type: type, part: part)] { mark(slot, .rerun, &touched) }
        }
    }

    private mutating func settle(_ touched: [Int32], in scope: ReadContext) -> LiveOutcome {
        var outcome = LiveOutcome()
        for slot in touched {
            let (id, type) = (entries[Int(slot)].id, entries[Int(slot)].typeID)
            do {
                if entries[Int(slot)].touch == .rerun { counters.reruns += 1 }
                let isChanged = try entries[Int(slot)].finish(in: scope, &counters)
                if let old = try entries[Int(slot)].reroute() {
                    routers[type]?.remove(slot, old)
                    routers[type]?.insert(slot, entries[Int(slot)].route)
                }
                if isChanged { outcome.changed.append(id) }
            } catch {
                remove(id)
                outcome.failures.append(LiveOutcome.Failure(id: id, error: error))
            }
        }
        outcome.sort()
        return outcome
    }
}

/// The changes of a step, by record type.
private struct StepReads {
    /// The changed fields of each type; all fields where a record was inserted or deleted.
    private(set) var types: [(type: UInt32, fieldIndexes: FieldIndexSet)] = []

    mutating func note(_ change: StepChange) {
        let id = change.type.type.id
        if let number = types.lastIndex(where: { $0.type == id }) {
            types[number].fieldIndexes.formUnion(change.changedFieldIndexes)
        } else {
            types.append((id, change.changedFieldIndexes))
        }
    }
}
