import LMDB
public import StoreEngine

extension Store {
    /// Handles every change set in a write transaction that also notes it. So the writes of `body` to the store happen exactly
    /// once, whichever process ends at whatever moment.
    ///
    /// Waits while another process has the consumer. Runs until the task is cancelled, and then returns after the current
    /// transaction. `body` does not receive the change sets that it makes itself.
    ///
    /// One node of a replicated store runs the consumer. While the log cannot be reached, or after another node has taken the
    /// consumer over, this holder waits to take it again (``ConsumerEvent/interrupted(_:)``).
    ///
    /// ```swift
    /// try await store.consume("totals") { set, tx in
    ///     for change in try set.changes(of: Sale.self) { … }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - options: how the consumer reads the feed, and how it handles failures.
    ///   - body: handles the next change set. A large change set comes in parts, all in one transaction. If `body` throws, it
    ///     reruns from the start. It may rerun for other reasons too; only the writes of its last run are kept. It runs on the
    ///     writer thread, like every write closure.
    /// - Throws: ``StoreError``: `inUse` while this program runs the consumer already. `invalidValue` for an option outside its
    ///   range. `unknownType`, `unknownField` or `invalidValue` for a filter that does not match the store's record types.
    ///   `consumerExpired`, `consumerLost`, `positionDiverged`, and as `write`. Under ``FailurePolicy/stop`` also the error of a
    ///   consumer that gave up. It names the consumer, the change set and the number of attempts. Its ``StoreError/cause`` is the
    ///   error that `body` threw in the last attempt. Its code is that of the cause if the cause is a ``StoreError``, otherwise
    ///   `consumerFailed`.
    public func consume(
        _ name: String, _ options: ConsumerOptions = ConsumerOptions(),
        _ body: @escaping @Sendable (ChangeSet, inout WriteTransaction) throws -> Void
    ) async throws {
        try await consume(name, options, .inStore(body))
    }

    /// Handles every change set outside the store, and notes afterwards that it was handled. Each change set is handled at least
    /// once, because the note may be lost. ``RecordChange/idempotencyKey`` identifies a repeated change.
    ///
    /// Waits while another process has the consumer. Runs until the task is cancelled, and then returns after the current change
    /// set, with everything noted.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - options: how the consumer reads the feed, and how it handles failures.
    ///   - body: handles the next change set. A large change set comes in parts.
    /// - Throws: as ``consume(_:_:_:)-(_,_,(ChangeSet,WriteTransaction)->Void)``.
    public func consume(
        _ name: String, _ options: ConsumerOptions = ConsumerOptions(),
        _ body: @escaping @Sendable (ChangeSet) async throws -> Void
    ) async throws {
        try await consume(name, options, .elsewhere(body))
    }

    private func consume(_ name: String, _ options: ConsumerOptions, _ effect: ConsumerRun.Effect) async throws {
        try core.registerConsumer(name)
        defer { core.unregisterConsumer(name) }
        var interruptions = 0
        while true {
            do {
                let consumer = try await takeConsumer(name, options, isRun: true)
                // Releases the consumer now: its last reference may live a moment longer in work that was started beside it.
                defer {
                    if (try? consumer.position) != consumer.firstPosition { interruptions = 0 }
                    consumer.letGo()
                }
                return try await ConsumerRun(consumer, effect: effect).run()
            } catch is CancellationError where Task.isCancelled {
                return
            } catch let end as ConsumerRun.GivenUp {
                throw end.error
            } catch let error as StoreError where isInterruption(error) {
                if Task.isCancelled { return }
                options.onEvent(.interrupted(error))
                interruptions += 1
                do { try await options.sleep(options.retry.delay(after: interruptions)) } catch { return }
            }
        }
    }

    /// Whether a consumer of a replica goes on after an error, once it can take the consumer again.
    private func isInterruption(_ error: StoreError) -> Bool {
        guard let log = core.options.commitLog else { return false }
        return error.code == .consumerLost || log.isOutage(error)
    }
}

extension StoreCore {
    /// Notes that this process runs a consumer.
    ///
    /// - Throws: ``StoreError``: `inUse` if it runs the consumer already.
    fileprivate func registerConsumer(_ name: String) throws(StoreError) {
        guard runConsumers.withLock({ $0.insert(name).inserted }) else { throw Self.runsAlready(name) }
    }

    fileprivate func unregisterConsumer(_ name: String) { runConsumers.withLock { _ = $0.remove(name) } }

    /// Throws `inUse` if this process runs a consumer: another holder would wait as long as the run goes on.
    func requireNotRun(_ name: String) throws(StoreError) {
        if runConsumers.withLock({ $0.contains(name) }) { throw Self.runsAlready(name) }
    }

    private static func runsAlready(_ name: String) -> StoreError {
        StoreError(
            .inUse, "this program runs the consumer \"\(RecordText.shortened(name))\" already",
            remedy: "give each consumer its own name, or wait until the first run has returned")
    }
}
