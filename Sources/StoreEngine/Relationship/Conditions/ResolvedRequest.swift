/// A request whose condition has no parts about other records, because look-ups have replaced them.
struct ResolvedRequest {
    /// The request with the replaced condition.
    var request: Request
    /// The position of the request, as the values of one record.
    var position: PageToken?
    /// The look-ups that replaced parts of the condition.
    var lookups: [ConditionLookup] = []

    /// The number of entries and records that the look-ups read.
    var scannedCount: Int { lookups.reduce(0) { $0 + $1.scannedCount } }
}

/// A look-up that answered a part of a condition about other records.
struct ConditionLookup: Sendable {
    /// A description of the look-up, for people.
    let text: String
    /// The number of entries and records that the look-up read.
    let scannedCount: Int

    init(_ what: String, _ node: ConditionNode, isNegated: Bool = false, scanned: Int, found: Int) {
        let condition = PlanExplanation.shortened(isNegated ? .not(node) : node)
        text = "\(what) by \(condition) first: looked at \(scanned), found \(found)"
        scannedCount = scanned
    }
}

extension ReadContext {
    /// Returns the request without parts about other records in its condition.
    ///
    /// - Parameter forcedSearch: the search that a test forces; nil chooses the cheaper one.
    /// - Throws: ``StoreError``: `unknownType`, `unknownField`, `invalidValue`, `damaged`.
    func resolved(
        _ request: Request, typeIndex: Int, forcedSearch: ReferrerSearch? = nil
    ) throws(StoreError) -> ResolvedRequest {
        // Made first: a page token matches only the original condition, not the resolved one, which contains the ids that exist
        // now.
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
