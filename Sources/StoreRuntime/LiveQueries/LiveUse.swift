import StoreEngine

/// One use of a live result. The store keeps the result up to date while it has a use.
final class LiveUse: Sendable {
    let result: LiveResult
    private let core: StoreCore
    /// Reports the deliveries to subscribers.
    var witnesses: WitnessStand { core.witnesses }

    init(_ key: LiveKey, _ core: StoreCore) throws {
        try core.dispatcher.start()
        self.core = core
        result = try core.dispatcher.use(key)
    }

    deinit { core.dispatcher.release(result) }

    /// Waits until two positions are published: that of the result's first state, and `sequence`, which this process has applied.
    nonisolated(nonsending) func waitUntilPublished(_ sequence: UInt64) async {
        await core.dispatcher.waitUntilPublished(Swift.max(result.oldestSequence, sequence))
    }

    /// The published position; nil while an applied position waits to be published.
    var publishedPosition: Position? { core.dispatcher.publishedPosition }
}

extension LiveUse: LiveSubscribable {
    func subscribe(_ signal: Signal) -> LiveSubscription { LiveSubscription(use: self, id: result.subscribe(signal)) }

    func refresh(_ subscription: LiveSubscription, _ signal: Signal) -> LiveSubscription { subscription }

    func unsubscribe(_ subscription: LiveSubscription, _ signal: Signal) { result.unsubscribe(subscription.id) }
}

extension StoreCore {
    /// Returns the key of a request for records of a Swift type.
    ///
    /// - Throws: ``StoreError`` with the code `unknownType` if the store was opened without `R`.
    func liveKey<R: Record>(_ request: FetchRequest<R>, isCount: Bool = false) throws(StoreError) -> LiveKey {
        let binding = try state.catalog.binding(R.self)
        let watched = isCount ? nil : request.watched
        let stored = watched?.indexes.map { declared in
            LiveFields(
                FieldIndexSet(
                    declared.map { fieldIndex in
                        binding.fieldIndexesByDeclared.map { Int($0[fieldIndex]) } ?? fieldIndex
                    }),
                of: binding.type.type)
        }
        return LiveKey(typeName: binding.type.name, request: request.request, fields: stored, isCount: isCount)
    }
}
