/// A request of which the parts about other records are answered.
struct ResolvedRequest {
    /// What is left to be asked.
    var request: Request
    /// Its position, as the values of one record.
    var position: PageToken?
    /// What was looked up for the rest.
    var lookups: [ConditionLookup] = []

    /// How many entries and records of other types that took.
    var scannedCount: Int { lookups.reduce(0) { $0 + $1.scannedCount } }
}

/// What was looked up to answer a part of a condition about other records.
struct ConditionLookup: Sendable {
    /// For people.
    let text: String
    /// How many entries and records were looked at.
    let scannedCount: Int

    init(_ what: String, _ node: ConditionNode, isNegated: Bool = false, scanned: Int, found: Int) {
        let condition = PlanExplanation.shortened(isNegated ? .not(node) : node)
        text = "\(what) by \(condition) first: looked at \(scanned), found \(found)"
        scannedCount = scanned
    }
}

extension ReadContext {
    /// A request without parts about other records in its condition.
    ///
    /// - Parameter forcedSearch: how records are asked who refers to them, for tests.
    /// - Throws: ``StoreError``: `unknownType`, `unknownField`, `invalidValue`, `damaged`.
    func resolved(
        _ request: Request, typeIndex: Int, forcedSearch: ReferrerSearch? = nil
    ) throws(StoreError) -> ResolvedRequest {
        // Before the condition becomes another, that is, one of the ids that there are now.
        let position = try request.position.map { position throws(StoreError) in
            try token(position, of: request, state.catalog.types[typeIndex])
        }
        var resolved = ResolvedRequest(request: request, position: position)
        if state.catalog.references.outgoing[typeIndex].isEmpty, !request.condition.asksForReferrers { return resolved }
        var resolver = ConditionResolver(unnoted, forcedSearch: forcedSearch)
        resolved.request.condition = try resolver.resolve(request.condition, typeIndex: typeIndex)
        resolved.lookups = resolver.lookups
        return resolved
    }
}
