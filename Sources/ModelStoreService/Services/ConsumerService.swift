#if ServiceLifecycle
public import ModelStore
public import ServiceLifecycle

/// Runs consumers of a store until the service group shuts down.
///
/// ```swift
/// ConsumerService(store)
///     .consuming("totals") { set, tx in … }
///     .consuming("mailer") { set in … }
/// ```
///
/// At a graceful shutdown each consumer finishes the change set or the transaction at hand, notes it in the store and lets
/// go; then ``run()`` returns. Cancelling the task does the same, but also cancels the effects outside of the store that
/// are being done: what then throws comes again at the next start.
public struct ConsumerService: Service {
    private struct Consumer {
        let name: String
        let options: ConsumerOptions
        let run: @Sendable (_ options: ConsumerOptions, _ unfinished: UnfinishedWork) async throws -> Void
    }

    private let store: Store
    private let adjust: @Sendable (_ name: String, _ options: inout ConsumerOptions) -> Void
    private var consumers: [Consumer] = []

    /// A service without consumers, to which some are added.
    ///
    /// - Parameters:
    ///   - store: the store that they read.
    ///   - adjust: changes the options of every consumer, for example to have its events logged.
    public init(
        _ store: Store,
        adjust: @escaping @Sendable (_ name: String, _ options: inout ConsumerOptions) -> Void = { _, _ in }
    ) {
        self.store = store
        self.adjust = adjust
    }

    /// Also runs a consumer whose effects are in the store, exactly once.
    /// See ``Store/consume(_:_:_:)-(_,_,(ChangeSet,WriteTransaction)->Void)``.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - options: how it reads the feed.
    ///   - body: what it does with the next change set.
    public func consuming(
        _ name: String, _ options: ConsumerOptions = ConsumerOptions(),
        _ body: @escaping @Sendable (ChangeSet, inout WriteTransaction) throws -> Void
    ) -> ConsumerService {
        adding(
            Consumer(name: name, options: options) { [store] options, _ in
                try await store.consume(name, options, body)
            })
    }

    /// Also runs a consumer whose effects are elsewhere, at least once.
    /// See ``Store/consume(_:_:_:)-(_,_,(ChangeSet)->Void)``.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - options: how it reads the feed.
    ///   - body: what it does with the next change set. A graceful shutdown does not cancel it, but waits for it.
    public func consuming(
        _ name: String, _ options: ConsumerOptions = ConsumerOptions(),
        _ body: @escaping @Sendable (ChangeSet) async throws -> Void
    ) -> ConsumerService {
        adding(
            Consumer(name: name, options: options) { [store] options, unfinished in
                try await store.consume(name, options) { set in
                    try await unfinished.run { try await body(set) }
                }
            })
    }

    private func adding(_ consumer: Consumer) -> ConsumerService {
        var more = self
        more.consumers.append(consumer)
        return more
    }

    /// Runs the consumers until the group shuts down, the task is cancelled, or one of them fails; all have let go then.
    ///
    /// - Throws: what the first consumer threw that failed, as `consume`.
    public func run() async throws {
        let unfinished = UnfinishedWork()
        try await withTaskCancellationHandler {
            try await cancelWhenGracefulShutdown { try await runConsumers(unfinished) }
        } onCancel: {
            unfinished.cancel()
        }
    }

    private func runConsumers(_ unfinished: UnfinishedWork) async throws {
        try await withThrowingTaskGroup { group in
            for consumer in consumers {
                var options = consumer.options
                adjust(consumer.name, &options)
                group.addTask { [options] in try await consumer.run(options, unfinished) }
            }
            // The first error ends the loop, and with it all others; `waitForAll` would wait for them first.
            for try await _ in group {}
        }
    }
}
#endif
