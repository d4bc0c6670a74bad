/// What the result of a request was at an earlier position.
package enum LivePast {
    /// Takes changes back from what there is now.
    ///
    /// The request is run as it would be now, for as many more rows as there are changes: these then hold all rows that it had
    /// before.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - typeIndex: the place of the record type in the catalog of `scope`.
    ///   - changes: the net changes since, with what records were before, of all types that the request reads.
    ///   - scope: the snapshot after the changes.
    /// - Returns: the rows; nil where they cannot be told, as the changes concern a request that goes through references.
    /// - Throws: ``StoreError`` as for ``LiveMatcher/add(_:typeIndex:fields:in:)``.
    /// - Complexity: as of running the request; for each change O(log rows).
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
        // Where many rows go, rows as they are now come in behind; never before those that are asked for.
        let outcome = matcher.apply(changes.map(\.inverted), in: scope)
        // One that had to be run again shows what there is now.
        guard outcome.failures.isEmpty, matcher.counters.reruns == 0 else { return nil }
        let rows = matcher.rows(id)
        return request.limit.map { rows.limited(to: $0) } ?? rows
    }
}
