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
/// At a graceful shutdown, each consumer finishes its current change set or transaction, stores its position and releases its
/// name. Then ``run()`` returns. Cancelling the task does the same, but also cancels running effects outside of the store. If
/// such an effect throws, its change set is delivered again at the next start.
public struct ConsumerService: Service {
    private struct Consumer {
        let name: String
        let options: ConsumerOptions
        let run: @Sendable (_ options: ConsumerOptions, _ unfinished: UnfinishedWork) async throws -> Void
    }

    private let store: Store
    private let adjust: @Sendable (_ name: String, _ options: inout ConsumerOptions) -> Void
    private var consumers: [Consumer] = []

    /// Creates a service without consumers. Add consumers with `consuming`.
    ///
    /// - Parameters:
    ///   - store: the store that the consumers read.
    ///   - adjust: changes the options of every consumer, for example to log its events.
    public init(
        _ store: Store,
        adjust: @escaping @Sendable (_ name: String, _ options: inout ConsumerOptions) -> Void = { _, _ in }
    ) {
        self.store = store
        self.adjust = adjust
    }

    /// Adds a consumer whose effects are in the store. It processes each change set exactly once.
    /// See ``/ModelStore/Store/consume(_:_:_:)-(_,_,(ChangeSet,WriteTransaction)->Void)``.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - options: how it reads the feed.
    ///   - body: processes a change set.
    public func consuming(
        _ name: String, _ options: ConsumerOptions = ConsumerOptions(),
        _ body: @escaping @Sendable (ChangeSet, inout WriteTransaction) throws -> Void
    ) -> ConsumerService {
        adding(
            Consumer(name: name, options: options) { [store] options, _ in
                try await store.consume(name, options, body)
            })
    }

    /// Adds a consumer whose effects are outside of the store. It processes each change set at least once.
    /// See ``/ModelStore/Store/consume(_:_:_:)-(_,_,(ChangeSet)->Void)``.
    ///
    /// - Parameters:
    ///   - name: the consumer's name in the store.
    ///   - options: how it reads the feed.
    ///   - body: processes a change set. A graceful shutdown does not cancel it, but waits for it.
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

    /// Runs the consumers until the group shuts down, the task is cancelled, or one of them fails. When it returns, all consumers
    /// have released their names.
    ///
    /// - Throws: ``/ModelStore/StoreError`` with the code `invalidValue` if two consumers have one name, before any of them
    ///   begins; the error of the first consumer that failed, as `consume` throws it.
    public func run() async throws {
        try requireDistinctNames()
        let unfinished = UnfinishedWork()
        try await withTaskCancellationHandler {
            try await cancelWhenGracefulShutdown { try await runConsumers(unfinished) }
        } onCancel: {
            unfinished.cancel()
        }
    }

    private func requireDistinctNames() throws {
        var names: Set<String> = []
        for consumer in consumers where !names.insert(consumer.name).inserted {
            throw StoreError(
                .invalidValue, "the service lists the consumer \"\(consumer.name)\" twice",
                remedy: "give each consumer its own name")
        }
    }

    private func runConsumers(_ unfinished: UnfinishedWork) async throws {
        try await withThrowingTaskGroup { group in
            for consumer in consumers {
                var options = consumer.options
                adjust(consumer.name, &options)
                group.addTask { [options] in
                    do {
                        try await consumer.run(options, unfinished)
                    } catch let error as StoreError where error.code == .closed {
                        throw StoreError(
                            .closed, "the store was closed while its consumer \"\(consumer.name)\" ran",
                            remedy:
                                "list StoreService before the services that use the store, or pass them to StoreService(_:after:)",
                            cause: error)
                    }
                }
            }
            // The first error ends the loop and cancels the other consumers. `waitForAll` would wait for them first.
            for try await _ in group {}
        }
    }
}
#endif
