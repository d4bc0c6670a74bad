public import StoreEngine
import StoreRuntime

// A fetch request as a wrapped property of a component: the component's place hosts the results.
extension FetchRequest: DynamicProperty {
    /// Creates a request for a wrapped property of a component. The component updates only when records enter, leave or move in
    /// the results, or when one of the given fields changes.
    ///
    /// ```swift
    /// @FetchRequest(Sensor.where { $0.room == "hall" }, fields: \.celsius) var hall: LiveRecords<Sensor>
    /// ```
    ///
    /// Other fields of the results may be older than the fields in the store. See ``/ModelStore/Store/updates(of:fields:)``.
    public init<each V>(
        _ request: FetchRequest, fields: repeat KeyPath<R.Fields, Field<R, each V>>, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(request.watching(repeat each fields), file: file, line: line)
    }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        let slot = slots.slot { _ in QuerySlot<R>() }
        do {
            self = try slot.host(self, in: slots.node.scope)
            // Requests compare without the query that other code has bound them to.
            if slot.isTied { slots.node.replaceWithNextValue() }
            // The results start at a later position than this pass's view, and the update would read everything else at the older
            // one.
            if query?.isAheadOfReads == true { slots.node.postpone() }
        } catch {
            slots.node.fail(error)
        }
    }
}

extension FetchRequest: DeclaredProperty {
    func declaresSame(as old: FetchRequest, in registry: OwnershipRegistry) -> Bool {
        // A new value has no query, unless other code has bound one.
        self == old && (query == nil || query === old.query)
    }
}

/// The live query that a component's place hosts.
private final class QuerySlot<R: Record> {
    private struct Hosted {
        var request: FetchRequest<R>
        let query: LiveQuery<R>
    }

    private var hosted: Hosted?
    /// Whether other code has bound the request to a query.
    var isTied: Bool { hosted == nil }

    /// Returns the request with its results. A request that other code has bound to a live query stays unchanged, and the slot
    /// stays empty.
    func host(_ request: FetchRequest<R>, in scope: Scope) throws -> FetchRequest<R> {
        if let tied = request.query {
            if tied !== hosted?.query { hosted = nil }
            return request
        }
        guard let hosted else {
            let new = Hosted(request: request, query: try scope.liveQuery(request))
            self.hosted = new
            return request.hosted(by: new.query)
        }
        // A handler may have reconfigured the query. That stays until the component declares another request.
        if hosted.request != request { try hosted.query.reconfigure(to: request) }
        self.hosted?.request = request
        return request.hosted(by: hosted.query)
    }
}
