/// The rows of one page, and the token for the next page.
public struct Page<Row> {
    /// The rows.
    public let rows: [Row]
    /// The token to pass to ``FetchRequest/after(_:)-(PageToken)`` for the next page; nil where there is no next page.
    ///
    /// It is also nil where the limit is 0, because such a page has no last row to continue after.
    public let next: PageToken?
}

extension Page: Sendable where Row: Sendable {}
extension Page: Equatable where Row: Equatable {}

extension FetchRequest {
    /// Returns a request that continues after the last row of a page, in this request's order.
    ///
    /// The returned request has no offset, because the first page already skipped those rows. Running it throws ``StoreError``
    /// with the code `invalidValue` where the token belongs to another condition, order or schema.
    public func after(_ token: PageToken) -> FetchRequest {
        var result = self
        result.request.goOn(.token(token))
        return result
    }

    /// Returns a request that continues after a record, in this request's order, or in the order of ids where it has none.
    ///
    /// The returned request has no offset. The record may have been deleted from the store.
    public func after(_ record: R) -> FetchRequest {
        var result = self
        result.request.goOn(RequestPosition(after: record))
        return result
    }
}

extension Projection {
    /// Returns a projection that continues after the last row of a page, as ``FetchRequest/after(_:)-(PageToken)`` does.
    public func after(_ token: PageToken) -> Projection {
        var result = self
        result.request.goOn(.token(token))
        return result
    }
}

extension Request {
    /// Continues after a position, and removes the offset.
    package mutating func goOn(_ position: RequestPosition) {
        self.position = position
        offset = 0
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Fetches the records that a request asks for, up to its limit, and a token for the records after them.
    ///
    /// ```swift
    /// let request = Sensor.order { $0.celsius.descending }.limit(20)
    /// let first = try store.read { try $0.page(request) }
    /// let second = try store.read { tx in try first.next.map { try tx.page(request.after($0)) } }
    /// ```
    ///
    /// Pages neither skip nor repeat a record, whatever is written between two of them. There is one exception: a write that
    /// changes a record's position in the order. Such a write changes the record itself, or a record that it refers to and is
    /// ordered by. A request without an order is ordered by ids.
    ///
    /// - Throws: ``StoreError`` as for ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: where an index gives the order, the time depends on the rows of the page only, however many rows come before
    ///   it. Otherwise each page reads all records that meet the condition.
    public borrowing func page<R: Record>(_ request: FetchRequest<R>) throws(StoreError) -> Page<R> {
        let scope = _reading
        let binding = try scope.binding(R.self)
        return try scope.page(request.request, typeIndex: binding.typeIndex) { cursor throws(StoreError) in
            try cursor.decoded(binding)
        }
    }

    /// Fetches the rows that a projection asks for, up to its limit, and a token for the rows after them.
    ///
    /// - Throws: ``StoreError``: as for the records; `invalidValue` for a distinct projection, because a position does not say
    ///   which rows came before it.
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
    /// Fetches a page of records without their Swift type.
    package func dynamicPage(_ request: Request, typeIndex: Int) throws(StoreError) -> Page<DynamicRecord> {
        let type = state.catalog.types[typeIndex]
        return try page(request, typeIndex: typeIndex) { cursor throws(StoreError) in try cursor.dynamicRecord(type) }
    }

    /// Fetches a page, and calls `row` to make a row from each record.
    func page<Row>(
        _ request: Request, typeIndex: Int, _ row: (borrowing FetchCursor) throws(StoreError) -> Row
    ) throws(StoreError) -> Page<Row> {
        let type = state.catalog.types[typeIndex]
        guard !request.isDistinct else {
            throw StoreError(
                .invalidValue, "a distinct projection of \(type.name) cannot be read in pages",
                remedy: "use limit and offset, or fetch all of it")
        }
        try Planner.requireLimits(request)
        var request = request
        if request.order.isEmpty { request.order = type.orderByID }
        let size = request.limit ?? .max
        // One extra record shows whether there is a next page.
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
    /// Decodes the record at the cursor, without its Swift type.
    func dynamicRecord(_ type: OpenType) throws(StoreError) -> DynamicRecord {
        do {
            return try DynamicRecord(record, of: type)
        } catch {
            throw unreadable(error)
        }
    }
}
