public import StoreEngine
import StoreRuntime

// A fetch request as a wrapped property of a component: the place hosts its results.
extension FetchRequest: DynamicProperty {
    public mutating func visit(_ slots: inout Slots) {
        let slot = slots.slot { _ in QuerySlot<R>() }
        do {
            self = try slot.host(self, in: slots.node.scope)
        } catch {
            slots.node.fail(error)
        }
    }
}

/// The live query that a component's place hosts.
private final class QuerySlot<R: Record> {
    private var request: FetchRequest<R>?
    private var query: LiveQuery<R>?

    /// The request, with its results. One that somebody else has tied to a store stays as it is, and has the slot empty.
    func host(_ request: FetchRequest<R>, in scope: Scope) throws -> FetchRequest<R> {
        if let tied = request.query, tied !== query {
            self.request = nil
            query = nil
            return request
        }
        guard let query else {
            let new = try scope.liveQuery(request)
            query = new
            self.request = request
            return request.hosted(by: new)
        }
        // What a handler has reconfigured stays until another request is declared.
        if self.request != request { try query.reconfigure(to: request) }
        self.request = request
        return request.hosted(by: query)
    }
}
