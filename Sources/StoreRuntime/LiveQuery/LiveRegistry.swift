import StoreEngine

/// The live results of a store, with how many use each.
struct LiveRegistry {
    private struct Entry {
        let id: LiveRequestID
        let result: LiveResult
        var useCount: Int
    }

    private var matcher = LiveMatcher()
    private var entries: [LiveKey: Entry] = [:]
    private var keys: [LiveRequestID: LiveKey] = [:]

    var counters: LiveCounters { matcher.counters }
    var results: [LiveResult] { entries.values.map(\.result) }

    func interest(inType number: UInt32) -> StepNet.Interest { matcher.interest(inType: number) }

    /// The result of a request, shared where there is one.
    ///
    /// - Parameter scope: the snapshot of the step that was applied last.
    mutating func use(
        _ key: LiveKey, in scope: ReadingScope, at position: Position, _ timeline: Timeline
    ) throws(StoreError) -> LiveResult {
        if let entry = entries[key] {
            entries[key]?.useCount += 1
            return entry.result
        }
        let typeIndex = try scope.state.catalog.requirePlace(ofTypeNamed: key.typeName)
        let fields = key.fields?.places(in: scope.state.catalog.types[typeIndex].type)
        let id =
            key.isCount
            ? try matcher.addCount(key.request, typeIndex: typeIndex, in: scope)
            : try matcher.add(key.request, typeIndex: typeIndex, fields: fields, in: scope)
        let result = LiveResult(key, timeline, shown(id, key, at: position, scope.state.catalog))
        entries[key] = Entry(id: id, result: result, useCount: 1)
        keys[id] = key
        return result
    }

    /// What a request has for a result in a snapshot, of which nothing is kept up to date.
    static func run(
        _ key: LiveKey, in scope: ReadingScope, at position: Position, _ timeline: Timeline
    ) throws(StoreError) -> LiveShown {
        var registry = LiveRegistry()
        return try registry.use(key, in: scope, at: position, timeline).visible
    }

    /// Ends all results: nothing can be kept up to date any more.
    ///
    /// - Returns: those that observers have to be told of.
    mutating func fail(_ error: StoreError) -> [LiveResult] {
        let results = results
        for result in results { result.fail(error) }
        self = LiveRegistry()
        return results
    }

    /// Balances one use; the last one ends the result's upkeep.
    mutating func release(_ result: LiveResult) {
        // One that failed may have been followed by another of the same request.
        guard let entry = entries[result.key], entry.result === result else { return }
        guard entry.useCount == 1 else {
            entries[result.key]?.useCount -= 1
            return
        }
        matcher.remove(entry.id)
        entries[result.key] = nil
        keys[entry.id] = nil
    }

    /// Brings the results up to date, and adds those that changed to `publication`.
    ///
    /// - Parameter changes: the step's changes; nil to run all requests again.
    mutating func apply(
        _ changes: [StepChange]?, in scope: ReadingScope, at position: Position, _ publication: inout Publication
    ) {
        if entries.isEmpty { return }
        let outcome = if let changes { matcher.apply(changes, in: scope) } else { matcher.rerunAll(in: scope) }
        for id in outcome.changed {
            guard let key = keys[id], let result = entries[key]?.result else { continue }
            result.become(shown(id, key, at: position, scope.state.catalog))
            publication.others.append(result)
        }
        for failure in outcome.failures {
            guard let key = keys.removeValue(forKey: failure.id), let entry = entries.removeValue(forKey: key) else {
                continue
            }
            entry.result.fail(failure.error)
            publication.others.append(entry.result)
        }
    }

    /// How a result is kept up to date, for people.
    func explain(_ result: LiveResult, _ catalog: Catalog) -> String {
        guard let entry = entries[result.key], entry.result === result else { return "not kept up to date" }
        return "\(matcher.routing(entry.id, in: catalog))"
    }

    private func shown(_ id: LiveRequestID, _ key: LiveKey, at position: Position, _ catalog: Catalog) -> LiveShown {
        LiveShown(
            rows: key.isCount ? LiveRows() : matcher.rows(id), count: matcher.count(id), position: position,
            catalog: catalog, type: matcher.type(id), fields: matcher.fields(id))
    }
}
