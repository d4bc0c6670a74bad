/// A fetch request whose records are delivered in batches. Make one with ``FetchRequest/batch(_:)``.
public struct BatchedRequest<R: Record>: Hashable, Sendable {
    let request: FetchRequest<R>
    let size: Int
}

extension FetchRequest {
    /// Returns the same request in batches of `size` records, for ``ReadableTransaction/forEach(_:_:)-(BatchedRequest<R>,_)``.
    ///
    /// - Parameter size: the number of records in a batch, at least 1.
    public func batch(_ size: Int) -> BatchedRequest<R> { BatchedRequest(request: self, size: size) }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Calls `body` with one batch of the request's records after another, until `body` returns false.
    ///
    /// Only the last batch may be smaller than the others. The call takes memory for one batch, unless the records have to be
    /// sorted.
    ///
    /// - Throws: any error that `body` throws, and ``StoreError`` with the code `invalidValue` for a batch size of less than 1.
    public borrowing func forEach<R: Record>(
        _ batched: BatchedRequest<R>, _ body: ([R]) throws -> Bool
    ) throws {
        guard batched.size > 0 else { throw StoreError(.invalidValue, "a batch holds at least 1 record") }
        var batch: [R] = []
        var isWanted = true
        try forEach(batched.request) { record in
            batch.append(record)
            guard batch.count == batched.size else { return true }
            isWanted = try body(batch)
            batch.removeAll(keepingCapacity: true)
            return isWanted
        }
        if isWanted, !batch.isEmpty { _ = try body(batch) }
    }
}
