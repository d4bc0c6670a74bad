public import StoreEngine
import StoreRuntime

// A fetch request as a wrapped property of a component: the place hosts its results.
extension FetchRequest: DynamicProperty {
    /// A request to be the wrapper of a component's property, followed only where records come, go or move, or some of their
    /// fields change.
    ///
    /// ```swift
    /// @FetchRequest(Sensor.where { $0.room == "hall" }, fields: \.celsius) var hall: LiveRecords<Sensor>
    /// ```
    ///
    /// Other fields of the results may be older than the store's. See ``Store/updates(of:fields:)``.
    public init<each V>(_ request: FetchRequest, fields: repeat KeyPath<R.Fields, Field<R, each V>>) {
        var fieldIndexes = FieldIndexSet()
        repeat fieldIndexes.insert(FieldToken(R.fields[keyPath: each fields]).fieldIndex)
        self = request
        source = NamedFields<R>(fieldIndexes)
    }

    public mutating func visit(_ slots: inout DynamicPropertyVisitor) {
        let slot = slots.slot { _ in QuerySlot<R>() }
        do {
            self = try slot.host(self, in: slots.node.scope)
            // Beside its results, everything else that the update reads would be older.
            if query?.isAheadOfReads == true { slots.node.postpone() }
        } catch {
            slots.node.fail(error)
        }
    }
}

/// The fields that a request is to be followed by, until a place hosts it.
private final class NamedFields<R: Record>: LiveSource {
    let fieldIndexes: FieldIndexSet

    init(_ fieldIndexes: FieldIndexSet) { self.fieldIndexes = fieldIndexes }

    var records: LiveRecords<R> { LiveRecords() }
}

/// The live query that a component's place hosts.
private final class QuerySlot<R: Record> {
    private struct Hosted {
        var request: FetchRequest<R>
        let fields: FieldIndexSet?
        let query: LiveQuery<R>
    }

    private var hosted: Hosted?

    /// The request, with its results. One that somebody else has tied to a store stays as it is, and has the slot empty.
    func host(_ request: FetchRequest<R>, in scope: Scope) throws -> FetchRequest<R> {
        if let tied = request.query {
            if tied !== hosted?.query { hosted = nil }
            return request
        }
        let fields = (request.source as? NamedFields<R>)?.fieldIndexes
        guard let hosted, hosted.fields == fields else {
            let new = Hosted(request: request, fields: fields, query: try scope.liveQuery(request, fields: fields))
            self.hosted = new
            return request.hosted(by: new.query)
        }
        // What a handler has reconfigured stays until another request is declared.
        if hosted.request != request { try hosted.query.reconfigure(to: request) }
        self.hosted?.request = request
        return request.hosted(by: hosted.query)
    }
}
