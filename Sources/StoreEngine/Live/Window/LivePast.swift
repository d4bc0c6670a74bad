/// The result of a request at an earlier position.
package enum LivePast {
    /// Returns the rows of a request before some changes, by reversing the changes on the current result.
    ///
    /// The request runs on the current snapshot, with its limit raised by the number of changes. The result then contains all
    /// rows that the request had before.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - typeIndex: the index of the record type in the catalog of `scope`.
    ///   - changes: the net changes since then, with the records before them, of all types that the request reads.
    ///   - scope: the snapshot after the changes.
    /// - Returns: the rows; nil where they cannot be found, because the changes concern a request that follows references.
    /// - Throws: ``StoreError`` as for ``LiveMatcher/add(_:typeIndex:fields:in:)``.
    /// - Complexity: that of running the request, plus O(log rows) for each change.
    package static func rows(
        of request: Request, typeIndex: Int, before changes: [StepChange], in scope: ReadContext
    ) throws(StoreError) -> LiveRows? {
        var wide = request
        if let limit = request.limit {
            let sum = limit.addingReportingOverflow(changes.count)
            wide.limit = sum.overflow ? nil : sum.partialValue
        }
        var matcher = LiveMatcher(lookahead: 0)
        let id = try matcher.add(wide, typeIndex: typeIndex, in: scope)
        // If many rows leave, current rows move up at the end, but never before the requested rows.
        let outcome = matcher.apply(changes.map(\.inverted), in: scope)
        // A request that was rerun holds the current rows, not the earlier ones.
        guard outcome.failures.isEmpty, matcher.counters.reruns == 0 else { return nil }
        let rows = matcher.rows(id)
        return request.limit.map { rows.limited(to: $0) } ?? rows
    }
}
