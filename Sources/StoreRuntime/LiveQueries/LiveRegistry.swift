import StoreEngine

/// The live results of a store, with the number of uses of each.
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

    /// Adds a use to the result of a request, and returns the result; nil if the request is not in use.
    mutating func share(_ key: LiveKey) -> LiveResult? {
        guard let entry = entries[key] else { return nil }
        entries[key]?.useCount += 1
        return entry.result
    }

    /// Starts to keep a result up to date.
    ///
    /// - Parameters:
    ///   - start: the result at the last applied step. No result with its key may be in use.
    ///   - catalog: the catalog of that step.
    mutating func adopt(_ start: LiveStart, _ catalog: Catalog, _ timeline: Timeline) -> LiveResult {
        let key = start.key
        let id = start.adopt(into: &matcher)
        let result = LiveResult(key, timeline, start.version(catalog))
        entries[key] = Entry(id: id, result: result, useCount: 1)
        keys[id] = key
        return result
    }

    /// Ends all results, because they cannot be kept up to date any more.
    ///
    /// - Returns: the ended results, whose observers have to be notified.
    mutating func fail(_ error: StoreError) -> [LiveResult] {
        let results = results
        for result in results { result.fail(error) }
        self = LiveRegistry()
        return results
    }

    /// Ends one use. After the last one, the result is no longer kept up to date.
    mutating func release(_ result: LiveResult) {
        // After a failure, a new result of the same request may have replaced this one.
        guard let entry = entries[result.key], entry.result === result else { return }
        guard entry.useCount == 1 else {
            entries[result.key]?.useCount -= 1
            return
        }
        matcher.remove(entry.id)
        entries[result.key] = nil
        keys[entry.id] = nil
    }

    /// Applies a step to the results, and adds the changed results to `publication`.
    ///
    /// - Parameter changes: the step's changes; nil to rerun all requests.
    mutating func apply(
        _ changes: [StepChange]?, in scope: ReadContext, at position: Position, _ publication: inout Publication
    ) {
        if entries.isEmpty { return }
        let outcome = if let changes { matcher.apply(changes, in: scope) } else { matcher.rerunAll(in: scope) }
        for id in outcome.changed {
            guard let key = keys[id], let result = entries[key]?.result else { continue }
            result.become(version(id, key, at: position, scope.state.catalog))
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

    /// Explains how a result is kept up to date, as text for people.
    func explain(_ result: LiveResult, _ catalog: Catalog) -> String {
        guard let entry = entries[result.key], entry.result === result else { return "not kept up to date" }
        return "\(matcher.routing(entry.id, in: catalog))"
    }

    private func version(_ id: LiveRequestID, _ key: LiveKey, at position: Position, _ catalog: Catalog) -> LiveVersion
    {
        LiveVersion(matcher, id, isCount: key.isCount, at: position, catalog)
    }
}
