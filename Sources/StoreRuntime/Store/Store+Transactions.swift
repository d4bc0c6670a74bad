import Dispatch
public import StoreEngine

extension Store {
    /// Runs `body` in a write transaction and returns once it is committed.
    ///
    /// Closures that wait together are committed together; each is still kept or undone as a whole, and one that throws
    /// is undone alone. `body` may run more than once, after the map grew; only its last result is returned. It runs on
    /// the store's writer thread and must not wait for anything.
    ///
    /// There is no limit on the wait for another process's write: LMDB's lock is held for as long as its closures run, and
    /// only the end of that process gives it up early.
    ///
    /// Cancelling the task withdraws a closure that has not begun (`CancellationError`); one that has begun is
    /// completed.
    ///
    /// - Parameters:
    ///   - durability: what the commit survives; the store's standard when nil. A commit shared with others is as
    ///     durable as the strictest of them asks.
    ///   - body: what to do.
    /// - Throws: what `body` throws; ``StoreError``: `closed`, `readOnly`, `queueFull`, `diskFull`, `inputOutput`: not
    ///   committed; `mapFull`: not committed, since the disk or the address space has no room for a larger map, or a read
    ///   closure of this process kept the map from growing for 10 seconds; `outcomeUnknown`: the commit may or may not be
    ///   there after a reopen.
    @discardableResult
    public func write<T: Sendable>(
        durability: Durability? = nil, _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) async throws -> Committed<T> {
        try requireWritable()
        return try await core.write(durability: durability, body)
    }

    /// Runs `body` in a write transaction and blocks until it is committed: for programs without tasks.
    ///
    /// While no other write waits or runs, `body` runs on the calling thread.
    ///
    /// - Throws: as the asynchronous form; `nestedWrite` when called inside a write closure of any store, where it
    ///   could wait for itself.
    @available(*, noasync, message: "use the asynchronous form in tasks")
    @discardableResult
    public func write<T: Sendable>(
        durability: Durability? = nil, _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) throws -> Committed<T> {
        try requireWritable()
        try WriterThread.requireElsewhere()
        let result = ResultBox<T>()
        let job = core.makeJob(durability, body, result)
        return try core.committed(result, try core.runHere(job))
    }

    /// Runs `body` in a read transaction: one consistent state of the store, never blocked by writers.
    ///
    /// `body` runs on the calling thread and must not wait for long: while it runs, pages that writers free cannot be
    /// used again.
    ///
    /// - Throws: what `body` throws; ``StoreError``: `closed` and others.
    @inlinable
    public func read<T>(_ body: (inout ReadTransaction) throws -> T) throws -> T {
        var transaction = try beginRead()
        return try body(&transaction)
    }

    @usableFromInline
    func beginRead() throws -> ReadTransaction {
        try requireOpen()
        return try core.beginRead()
    }
}
