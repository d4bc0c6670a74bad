public import StoreEngine

extension Store {
    /// Deals with every change set in a write transaction that also notes that it was dealt with: what `body` writes to the store
    /// happens exactly once, whatever ends when.
    ///
    /// Waits while another holds the consumer; goes on until the task is cancelled, and then returns after the transaction at
    /// hand. Change sets that `body` itself makes are not given to it.
    ///
    /// ```swift
    /// try await store.consume("totals") { set, tx in
    ///     for change in try set.changes(of: Sale.self) { … }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - body: given the next change set (a large one in parts, all in one transaction). It runs again from the start when
    ///     it throws, and may run more than once for other reasons too; only what it writes last is kept. It runs on the
    ///     writer thread, as every write closure.
    /// - Throws: ``StoreError``: `consumerExpired`, `consumerLost`, `positionDiverged`, and as `write`. Under ``FailurePolicy/stop``
    ///   also the error of a consumer that gave up. It names the consumer, the change set and the number of attempts. Its
    ///   ``StoreError/cause`` is what `body` threw in the last one. Its code is that of the cause if the cause is a
    ///   ``StoreError``, else `consumerFailed`.
    public func consume(
        _ name: String, _ options: ConsumerOptions = ConsumerOptions(),
        _ body: @escaping @Sendable (ChangeSet, inout WriteTransaction) throws -> Void
    ) async throws {
        try await consume(name, options, .inStore(body))
    }

    /// Deals with every change set outside of the store and notes afterwards that it was dealt with: at least once, since the
    /// note may be lost. ``RecordChange/idempotencyKey`` tells a repeated change.
    ///
    /// Waits while another holds the consumer; goes on until the task is cancelled, and then returns after the change set at
    /// hand, with everything noted.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - body: given the next change set, a large one in parts.
    /// - Throws: as ``consume(_:_:_:)-(_,_,(ChangeSet,WriteTransaction)->Void)``.
    public func consume(
        _ name: String, _ options: ConsumerOptions = ConsumerOptions(),
        _ body: @escaping @Sendable (ChangeSet) async throws -> Void
    ) async throws {
        try await consume(name, options, .elsewhere(body))
    }

    private func consume(_ name: String, _ options: ConsumerOptions, _ effect: ConsumerRun.Effect) async throws {
        let consumer: FeedConsumer
        do {
            consumer = try await holdConsumer(name, options)
        } catch is CancellationError {
            return
        }
        // By now, and not when the last reference goes, which what was begun beside it may have a moment longer.
        defer { consumer.letGo() }
        try await ConsumerRun(consumer, effect: effect).run()
    }
}
