import Dispatch
public import StoreEngine

extension Store {
    /// Runs `body` in a write transaction and returns its result once the transaction is committed.
    ///
    /// ```swift
    /// let id = try await store.write { tx in try tx.insert(Order(total: 12)).id }
    /// ```
    ///
    /// `body` runs on the store's writer thread and must not wait for anything. It may run more than once, for example after the
    /// map grew; only the result of its last run is returned.
    ///
    /// The writer commits waiting closures together in one transaction. Each closure is still kept or undone as a whole: if one
    /// throws, only that closure is undone.
    ///
    /// If the task is cancelled before the closure begins, the store withdraws the closure and throws `CancellationError`. A
    /// closure that has begun is completed.
    ///
    /// Without a timeout, a write waits for the writes of another process without limit, because that process holds LMDB's lock
    /// while its closures run. After one second the store reports the process that holds the lock, see
    /// ``StoreEvent/writerBlocked(processID:waited:)``.
    ///
    /// - Parameters:
    ///   - durability: the failures that the commit survives; nil for ``StoreOptions/durability``. A commit of several closures
    ///     is as durable as the strictest of them asks.
    ///   - timeout: the longest wait until `body` begins; nil for ``StoreOptions/writeTimeout``.
    ///   - body: the closure to run in the transaction.
    /// - Returns: the result of `body`. ``write(returning:durability:timeout:_:)-4x8lq`` returns the position too.
    /// - Throws: any error that `body` throws, or a ``StoreError``:
    ///   - `closed`, `readOnly`, `queueFull`, `writeTimeout`, `diskFull`, `ioError`: nothing was committed.
    ///   - `storeFull`: nothing was committed, because the store has reached ``StoreOptions/maximumByteCount``.
    ///   - `invalidValue`: the timeout is negative or longer than a century.
    ///   - `mapFull`: nothing was committed. The disk or the address space has no room for a larger map, or a read closure of
    ///     this process kept the map from growing for 10 seconds.
    ///   - `outcomeUnknown`: the commit may or may not be there after a reopen.
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
    /// - Parameters:
    ///   - returning: `.position`.
    ///   - durability: the failures that the commit survives; nil for ``StoreOptions/durability``.
    ///   - timeout: the longest wait until the closure begins; nil for ``StoreOptions/writeTimeout``.
    ///   - body: the closure to run in the transaction.
    /// - Throws: as ``write(durability:timeout:_:)-887qk``.
    public func write<T: Sendable>(
        returning: WriteReturn, durability: Durability? = nil, timeout: Duration? = nil,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) async throws -> Committed<T> {
        try requireWritable()
        return try await core.write(durability: durability, timeout: timeout, body)
    }

    /// Runs `body` in a write transaction and blocks until it is committed. Use it in programs without tasks.
    ///
    /// If no other write waits or runs, and there is no timeout, `body` runs on the calling thread.
    ///
    /// - Throws: as the asynchronous form; `nestedWrite` when called inside a write closure of any store, because the write could
    ///   wait for itself.
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
    /// - Parameters:
    ///   - returning: `.position`.
    ///   - durability: the failures that the commit survives; nil for ``StoreOptions/durability``.
    ///   - timeout: the longest wait until the closure begins; nil for ``StoreOptions/writeTimeout``.
    ///   - body: the closure to run in the transaction.
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

    /// Runs `body` in a read transaction: one consistent state of the store. Writers never block it.
    ///
    /// `body` runs on the calling thread and must not wait for long: while it runs, the store cannot reuse pages that writers
    /// free.
    ///
    /// Inside a write closure, the store still has the state before the write: read with the transaction of the closure. Debug
    /// builds give a notice (``OwnershipNotice/Code/readBesideWrite``).
    ///
    /// - Throws: any error that `body` throws; ``StoreError``: `closed` and others.
    @inlinable
    public func read<T>(_ body: (inout ReadTransaction) throws -> T) throws -> T {
        var transaction = try beginRead()
        return try body(&transaction)
    }

    @usableFromInline
    func beginRead() throws -> ReadTransaction {
        try requireOpen()
        if WriteClosure.isRunning(of: core.environment) { core.noteReadBesideWrite() }
        return try core.beginRead()
    }
}
