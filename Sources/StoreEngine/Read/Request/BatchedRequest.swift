/// A fetch request of which the records come so many at a time. ``FetchRequest/batch(_:)`` makes one.
public struct BatchedRequest<R: Record>: Hashable, Sendable {
    let request: FetchRequest<R>
    let size: Int
}

extension FetchRequest {
    /// The same records, so many at a time, for ``ReadableTransaction/forEach(_:_:)-(BatchedRequest<R>,_)``.
    ///
    /// - Parameter size: at least 1.
    public func batch(_ size: Int) -> BatchedRequest<R> { BatchedRequest(request: self, size: size) }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Calls `body` with batch after batch of the records that a request asks for, until it returns false. Only the last
    /// batch may be smaller. Takes memory for one batch, unless the records have to be sorted.
    ///
    /// - Throws: what `body` throws, and ``StoreError``: `invalidValue` for a batch of less than 1.
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
