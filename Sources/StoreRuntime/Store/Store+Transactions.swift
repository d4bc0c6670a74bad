import Dispatch
public import StoreEngine

extension Store {
    /// Runs `body` in a write transaction and returns its result once the transaction is committed.
    ///
    /// ```swift
    /// let id = try await store.write { tx in try tx.insert(Order(total: 12)).id }
    /// ```
    ///
    /// The writer commits closures that wait together in one transaction. Each closure is still kept or undone as a whole:
    /// one that throws is undone alone. `body` may run more than once, for example after the map grew, and only its last
    /// result is returned. It runs on the store's writer thread and must not wait for anything.
    ///
    /// Without a timeout there is no limit on the wait for a write of another process: LMDB's lock is held for as long as
    /// its closures run. After one second the store reports the process that holds it, see
    /// ``StoreEvent/writerBlocked(processID:waited:)``.
    ///
    /// Cancelling the task withdraws a closure that has not begun (`CancellationError`). A closure that has begun is
    /// completed.
    ///
    /// - Parameters:
    ///   - durability: what the commit survives; the store's standard when nil. A commit shared with others is as
    ///     durable as the strictest of them asks.
    ///   - timeout: the longest wait until `body` begins; ``StoreOptions/writeTimeout`` when nil.
    ///   - body: what to do.
    /// - Returns: what `body` returned. ``write(returning:durability:timeout:_:)`` returns the position too.
    /// - Throws: what `body` throws; ``StoreError``: `closed`, `readOnly`, `queueFull`, `writeTimeout`, `diskFull`,
    ///   `ioError`: not committed; `mapFull`: not committed, because the disk or the address space has no room for a
    ///   larger map, or a read closure of this process kept the map from growing for 10 seconds; `outcomeUnknown`: the
    ///   commit may or may not be there after a reopen.
    @discardableResult
    public func write<T: Sendable>(
        durability: Durability? = nil, timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) async throws -> T {
        try await write(returning: .position, durability: durability, timeout: timeout, body).result
    }

    /// Runs `body` in a write transaction, and returns its result and the position of the commit.
    ///
    /// ```swift
    /// let written = try await store.write(returning: .position) { tx in try tx.insert(order) }
    /// try await elsewhere.wait(for: written.position)
    /// ```
    ///
    /// - Parameter returning: `.position`.
    /// - Throws: as ``write(durability:timeout:_:)``.
    public func write<T: Sendable>(
        returning: WriteReturn, durability: Durability? = nil, timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) async throws -> Committed<T> {
        try requireWritable()
        return try await core.write(durability: durability, timeout: timeout, body)
    }

    /// Runs `body` in a write transaction and blocks until it is committed: for programs without tasks.
    ///
    /// If no other write waits or runs, and there is no timeout, `body` runs on the calling thread.
    ///
    /// - Throws: as the asynchronous form; `nestedWrite` when called inside a write closure of any store, where it
    ///   could wait for itself.
    @available(*, noasync, message: "use the asynchronous form in tasks")
    @discardableResult
    public func write<T: Sendable>(
        durability: Durability? = nil, timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) throws -> T {
        try write(returning: .position, durability: durability, timeout: timeout, body).result
    }

    /// Runs `body` in a write transaction, blocks until it is committed, and returns its result and the position of the
    /// commit.
    ///
    /// - Parameter returning: `.position`.
    /// - Throws: as the form without a position.
    @available(*, noasync, message: "use the asynchronous form in tasks")
    public func write<T: Sendable>(
        returning: WriteReturn, durability: Durability? = nil, timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) throws -> Committed<T> {
        try requireWritable()
        try WriterThread.requireElsewhere()
        return try core.writeBlocking(durability: durability, timeout: timeout, body)
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
