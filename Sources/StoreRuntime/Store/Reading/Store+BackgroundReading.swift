public import StoreEngine

/// Where an asynchronous read runs.
public enum ReadThread: Sendable {
    /// On a thread outside of the cooperative pool.
    case background
}

// Reads that may take long. A synchronous read occupies the thread that calls it: in a task, one of the few threads on which all
// tasks of the program run.
extension Store {
    /// Runs `body` in a read transaction, on a thread outside of the cooperative pool.
    ///
    /// ```swift
    /// let report = try await store.read(on: .background) { tx in try Report(tx) }
    /// ```
    ///
    /// Use it for reads that take longer than a millisecond or so; a lookup or a short fetch is quicker on the calling thread.
    ///
    /// - Scheduling: twice as many reads run at once as there are processors, at least four; further reads of the process wait in
    ///   the order of their calls. A read that waits holds no thread and no snapshot. The snapshot is of the moment at which the
    ///   read begins.
    /// - Cancellation: a read that waits ends at once with a `CancellationError`. `body` belongs to the task: it has the values
    ///   of the task, and can ask `Task.isCancelled`. The store does not interrupt `body`.
    ///
    /// - Parameters:
    ///   - thread: `.background`.
    ///   - body: reads the store. It must not wait for other tasks.
    /// - Throws: any error that `body` throws; ``StoreError``: `closed` and others; `CancellationError`.
    public func read<T: Sendable>(
        on thread: ReadThread, _ body: @escaping @Sendable (inout ReadTransaction) throws -> T
    ) async throws -> T {
        try requireOpen()
        try await ReadExecutor.gate.enter()
        defer { ReadExecutor.gate.leave() }
        return try await withTaskExecutorPreference(ReadExecutor.shared) { try await readHere(body) }
    }

    /// Returns the records that match a request. The fetch runs on a thread outside of the cooperative pool, as
    /// ``read(on:_:)`` describes.
    ///
    /// ```swift
    /// let hot = try await store.fetch(Sensor.where { $0.celsius > 30 }, on: .background)
    /// ```
    ///
    /// If the task is cancelled, the fetch ends after at most 256 further records. Sorting without an index comes before the
    /// first record, and is not interrupted.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `CancellationError`.
    public func fetch<R: Record>(_ request: FetchRequest<R>, on thread: ReadThread) async throws -> [R] {
        try await read(on: thread) { tx in
            var records: [R] = []
            try tx.forEach(request) { record in
                if records.count.isMultiple(of: 256) { try Task.checkCancellation() }
                records.append(record)
                return true
            }
            return records
        }
    }

    /// `@concurrent`, because only functions without an actor run on the preferred executor.
    @concurrent
    private func readHere<T: Sendable>(_ body: @Sendable (inout ReadTransaction) throws -> T) async throws -> T {
        try Task.checkCancellation()
        return try read(body)
    }
}
