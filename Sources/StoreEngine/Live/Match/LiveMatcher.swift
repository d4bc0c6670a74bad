/// All live requests of a store, and what a step's changes do to them.
///
/// Each request keeps the rows that it needs and a few more (``LiveWindow``). A change finds the requests that it may concern
/// through tables by the keys of the record, before and after (``TypeRouter``), so that requests with other records cost
/// nothing. A request is run again only where it has to be: its condition or order goes through references, or a record
/// could not be read.
///
/// A value without locks: whoever holds it sees to it that one step is applied after the other.
package struct LiveMatcher: Sendable {
    /// Each in its slot; those in `free` are over. Not optional: reading one field of an optional copies the whole entry.
    private var entries: [LiveEntry] = []
    private var free: [Int32] = []
    private var serial: UInt64 = 0
    /// By the number of the record type.
    private var routers: [UInt32: TypeRouter] = [:]
    /// The requests that are run again, by what they read.
    private var dependents = SlotTable<Dependency>()
    private let lookahead: Int?
    private var changeNumber: UInt64 = 0
    /// What it took so far.
    package private(set) var counters = LiveCounters()

    /// A field that requests read of records, their own or others.
    private struct Dependency: Hashable, Sendable {
        let type: UInt32
        let part: Part

        enum Part: Hashable {
            case field(Int)
            /// Records come and go.
            case presence
            /// Whatever changes.
            case everything
        }
    }

    /// - Parameter lookahead: how many rows a limited request keeps beyond those that it needs; nil for a quarter, within 8
    ///   and 64.
    package init(lookahead: Int? = nil) { self.lookahead = lookahead }

    /// How many requests there are.
    package var requestCount: Int { entries.count - free.count }

    /// What of a type's changes is of interest.
    package func interest(inType number: UInt32) -> StepNet.Interest {
        if let router = routers[number], !router.isEmpty { return .both }
        // Requests that are run again only want to know which fields have changed.
        return dependents.isEmpty ? .nothing : .after
    }

    // MARK: Requests

    /// Adds a request and runs it.
    ///
    /// - Parameters:
    ///   - request: what is asked for, without a position and not of distinct rows. Without an order it is ordered by id.
    ///   - typeIndex: the place of the record type in the catalog of `scope`.
    ///   - fields: an update of a record that changes neither where it stands nor one of these is not told; nil for all.
    ///     The rows still show the newest record.
    ///   - scope: the snapshot of the step that was applied last.
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where the request does not fit the type; `damaged`.
    package mutating func add(
        _ request: Request, typeIndex: Int, fields: FieldIndexSet? = nil, in scope: ReadContext
    ) throws(StoreError) -> LiveRequestID {
        try add(request, typeIndex: typeIndex, fields: fields, isCount: false, in: scope)
    }

    /// Adds a request of which only the number of records is of interest: ``count(_:)``. With a limit of 1 that tells whether
    /// there is one.
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
    ///   - id: the other's name for it.
    ///   - other: a matcher that has taken in all changes up to the end of the step that was applied here last. What the request
    ///     took there is counted here too, so it is to have no other.
    package mutating func adopt(_ id: LiveRequestID, of other: LiveMatcher) -> LiveRequestID {
        var entry = other[id]
        entry.move(to: nextID)
        counters.add(other.counters)
        return enterNew(entry)
    }

    /// The name that a new request gets.
    private var nextID: LiveRequestID { LiveRequestID(serial: serial + 1, slot: free.last ?? Int32(entries.count)) }

    private mutating func enterNew(_ entry: LiveEntry) -> LiveRequestID {
        serial += 1
        if free.popLast() == nil { entries.append(entry) }
        enter(entry)
        return entry.id
    }

    /// Puts another request in the place of one: its rows are then those of the new one.
    ///
    /// - Throws: ``StoreError`` as for ``add(_:typeIndex:fields:in:)``; the old one stays as it was.
    package mutating func reconfigure(
        _ id: LiveRequestID, to request: Request, typeIndex: Int, fields: FieldIndexSet? = nil, in scope: ReadContext
    ) throws(StoreError) {
        let plan = try LivePlan(request, typeIndex: typeIndex, fields: fields, in: scope.state.catalog)
        var entry = LiveEntry(id, request, plan, isCount: self[id].isCount, lookahead: lookahead)
        try entry.start(in: scope, &counters)
        leave(id.slot)
        enter(entry)
    }

    /// Takes a request out. One that failed is out already.
    package mutating func remove(_ id: LiveRequestID) {
        guard isLive(id) else { return }
        leave(id.slot)
        end(id.slot)
    }

    /// The rows of a request at the end of the last step.
    package func rows(_ id: LiveRequestID) -> LiveRows { self[id].rows }

    /// How many records a request asked for at the end of the last step.
    package func count(_ id: LiveRequestID) -> Int { self[id].count }

    /// The record type of a request as it was then.
    package func type(_ id: LiveRequestID) -> OpenType { self[id].plan.type }

    /// The fields whose changes a request tells, by their places in ``type(_:)``; nil for all.
    package func fields(_ id: LiveRequestID) -> FieldIndexSet? { self[id].plan.fields }

    /// The fields of other records of which the rows of a request hold what stands there: ``LiveRow/followed``.
    package func followed(_ id: LiveRequestID) -> [FieldName] { self[id].plan.followed }

    /// How a request is kept up to date, for people.
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

    /// Takes in the net changes of a step, in any order.
    ///
    /// - Parameters:
    ///   - changes: one for each record that changed.
    ///   - scope: the snapshot after them.
    /// - Complexity: for each change O(log requests) and what the requests that it concerns take; nothing for others.
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
                // Nobody knows whom it concerns, so everybody looks for himself.
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

    /// Runs all requests again, against the catalog of a snapshot: after a reset or a change of the schema, or where the changes
    /// could not be read.
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
            // Where the record as it is now cannot be read either, running the request tells.
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
        // All of them stand for a record that came or went, which concerns whoever reads any field.
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

/// What changed in a step, by record types.
private struct StepReads {
    /// The changed fields of each type; all where records came or went.
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
