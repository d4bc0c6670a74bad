/// The rows of one page, and where the next one begins.
public struct Page<Row> {
    /// The rows.
    public let rows: [Row]
    /// What to give to ``FetchRequest/after(_:)-(PageToken)`` for the next page; nil where there is none, and where the limit is 0:
    /// such a page has no last row to go on behind.
    public let next: PageToken?
}

extension Page: Sendable where Row: Sendable {}
extension Page: Equatable where Row: Equatable {}

extension FetchRequest {
    /// Only what comes behind the last row of a page, in this request's order.
    ///
    /// The offset falls away: it was walked before the first page. Running the request throws ``StoreError`` with the code
    /// `invalidValue` where the token is one of another condition, order or schema.
    public func after(_ token: PageToken) -> FetchRequest {
        var result = self
        result.request.goOn(.token(token))
        return result
    }

    /// Only what comes behind a record, in this request's order; that of ids where it has none.
    ///
    /// The offset falls away. The record need not be in the store any more.
    public func after(_ record: R) -> FetchRequest {
        var result = self
        result.request.goOn(RequestPosition(after: record))
        return result
    }
}

extension Projection {
    /// Only what comes behind the last row of a page, as with ``FetchRequest/after(_:)-(PageToken)``.
    public func after(_ token: PageToken) -> Projection {
        var result = self
        result.request.goOn(.token(token))
        return result
    }
}

extension Request {
    /// Begins behind a position.
    package mutating func goOn(_ position: RequestPosition) {
        self.position = position
        offset = 0
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// The records that a request asks for, up to its limit, and a token for those behind them.
    ///
    /// ```swift
    /// let request = Sensor.order { $0.celsius.descending }.limit(20)
    /// let first = try store.read { try $0.page(request) }
    /// let second = try store.read { tx in try first.next.map { try tx.page(request.after($0)) } }
    /// ```
    ///
    /// Pages neither skip nor repeat a record, whatever is written between them, unless that record itself changes its
    /// place, or one that it refers to and is ordered by. A request without an order is ordered by ids.
    ///
    /// - Throws: ``StoreError`` as for ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: where an index gives the order, a page takes as long as its rows, however many come before it.
    ///   Otherwise each page looks at all records that meet the condition.
    public borrowing func page<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> Page<R> {
        let scope = _reading
        let binding = try scope.binding(R.self)
        return try scope.page(request.request, typeIndex: binding.typeIndex) { cursor throws(StoreError) in
            try cursor.decoded(binding)
        }
    }

    /// The rows that a projection asks for, up to its limit, and a token for those behind them.
    ///
    /// - Throws: ``StoreError``: as for the records; `invalidValue` for a projection that is distinct, of which a
    ///   position does not say what came before it.
    public borrowing func page<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) throws(StoreError) -> Page<Output> {
        if let misfit = projection.misfit { throw misfit }
        let scope = _reading
        let binding = try scope.binding(R.self)
        let paths = try FollowedPaths(projection, binding.type, in: scope.catalog)
        return try scope.page(projection.request, typeIndex: binding.typeIndex) { cursor throws(StoreError) in
            try cursor.rowOfRecord(projection, paths, binding)
        }
    }
}

extension ReadContext {
    /// The records of a page without their Swift type.
    package func dynamicPage(_ request: Request, typeIndex: Int) throws(StoreError) -> Page<DynamicRecord> {
        let type = state.catalog.types[typeIndex]
        return try page(request, typeIndex: typeIndex) { cursor throws(StoreError) in try cursor.dynamicRecord(type) }
    }

    /// Collects what `row` makes of each record of a page.
    func page<Row>(
        _ request: Request, typeIndex: Int, _ row: (borrowing FetchCursor) throws(StoreError) -> Row
    ) throws(StoreError) -> Page<Row> {
        let type = state.catalog.types[typeIndex]
        guard !request.isDistinct else {
            throw StoreError(
                .invalidValue, "a distinct projection of \(type.name) has no pages",
                remedy: "use limit and offset, or fetch all of it")
        }
        try Planner.requireLimits(request)
        var request = request
        if request.order.isEmpty { request.order = type.orderByID }
        let size = request.limit ?? .max
        // One more tells whether there is a next page.
        request.limit = request.limit.map { $0 == .max ? $0 : $0 + 1 }
        var cursor = try fetchCursor(request, typeIndex: typeIndex)
        var rows: [Row] = []
        var end: PageToken?
        while try cursor.advance() {
            if rows.count == size { return Page(rows: rows, next: end) }
            rows.append(try row(cursor))
            if rows.count == size { end = try cursor.pageToken(request) }
        }
        return Page(rows: rows, next: nil)
    }
}

extension FetchCursor {
    /// The record that the walk is at, without its Swift type.
    func dynamicRecord(_ type: OpenType) throws(StoreError) -> DynamicRecord {
        do {
            return try DynamicRecord(record, of: type)
        } catch {
            throw damage(error)
        }
    }
}
