import StoreEngine

/// Reports the updates of a model's subscriber to the witness of a store, as those of a live query for that record alone.
/// The subscription ends with the record. Used by one task at a time.
final class ModelWitnessing {
    private let core: StoreCore
    private let key: [UInt8]
    private let typeName: String
    /// Encodes the record of a version as the store would, and returns it with its type; nil if the program does not know all
    /// fields.
    private let content: (AnyModelVersion, Catalog) -> (RecordContent, OpenType)?
    /// Nil until the store has a witness, so that most subscriptions need no memory for it.
    private var subscription: Subscription?

    /// The subscription as a witness knows it.
    private final class Subscription {
        let interest: WitnessedInterest
        var witnessed: WitnessedSubscription?
        /// The last update that the subscriber received while the witness knew the subscription.
        var last: LiveVersion?

        init(_ interest: WitnessedInterest) { self.interest = interest }
    }

    init<R: Record>(_ model: Model<R>) {
        core = model.core
        key = model.state.key
        typeName = R.recordSchema.name
        content = { version, catalog in
            guard let binding = try? catalog.binding(R.self),
                let content = try? RecordContent(version.of(R.self).record, binding)
            else { return nil }
            return (content, binding.type)
        }
    }

    /// Reports a new subscription to the model.
    func begin(_ model: ModelState) {
        core.witnesses.withState { state in
            guard state.witness != nil else { return }
            let subscription = subscription(of: model.publishedVersion)
            subscription.witnessed = state.subscribed(nil, to: subscription.interest)
        }
    }

    /// Whether the model's version is published. At first, the version may be ahead of the published position.
    func isSettled(_ model: ModelState) -> Bool { core.dispatcher.hasPublished(model.publishedVersion.sequence) }

    /// Waits until the model's version is published.
    func settle(_ model: ModelState) async { await core.dispatcher.waitUntilPublished(model.publishedVersion.sequence) }

    /// Calls a closure once the model's version is published.
    func afterSettling(_ model: ModelState, _ body: @escaping @Sendable () -> Void) {
        core.dispatcher.afterPublishing(model.publishedVersion.sequence, body)
    }

    /// Reports the end of the subscription, if it was not reported yet.
    func end() {
        guard let witnessed = subscription?.witnessed else { return }
        core.witnesses.withState { $0.unsubscribed(witnessed) }
        subscription?.witnessed = nil
    }

    /// Returns the step that `look` finds. No position is published between the look and reporting the step to the witness.
    func given(_ look: () -> VersionWatch.Step?) -> VersionWatch.Step? {
        core.witnesses.withState { state in
            let step = look()
            if let step, let witness = state.witness { deliver(step.new, witness, &state) }
            return step
        }
    }

    private func deliver(
        _ version: AnyModelVersion, _ witness: any RuntimeWitness, _ state: inout WitnessStand.State
    ) {
        guard !version.isDeleted else {
            if let witnessed = subscription?.witnessed { state.unsubscribed(witnessed) }
            subscription?.witnessed = nil
            return
        }
        let subscription = subscription(of: version)
        let known = subscription.witnessed?.number
        subscription.witnessed = state.subscribed(subscription.witnessed, to: subscription.interest)
        // A new witness has not received the earlier steps.
        if subscription.witnessed?.number != known { subscription.last = nil }
        guard let witnessed = subscription.witnessed, let new = liveVersion(version) else { return }
        let step = LiveStep(from: subscription.last, to: new)
        subscription.last = new
        if step.isDifferent { witness.delivered(witnessed.number, step) }
    }

    private func liveVersion(_ version: AnyModelVersion) -> LiveVersion? {
        let catalog = core.state.catalog
        guard let (content, type) = content(version, catalog) else { return nil }
        let row = LiveRow(sortKey: key, key: key, content: content)
        return LiveVersion(
            rows: LiveRows(row), count: 1, position: version.position, catalog: catalog, type: type)
    }

    /// Returns the subscription as a witness knows it, with the live query that stands for it.
    private func subscription(of version: AnyModelVersion) -> Subscription {
        if let subscription { return subscription }
        let interest: WitnessedInterest
        if let (content, type) = content(version, core.state.catalog), let request = Self.request(content, type) {
            interest = .query(LiveKey(typeName: type.name, request: request, fields: nil, isCount: false))
        } else {
            interest = .unrecorded(typeName: typeName, reason: "the program does not know all fields of the record")
        }
        let new = Subscription(interest)
        subscription = new
        return new
    }

    /// Returns the request for one record.
    private static func request(_ content: RecordContent, _ type: OpenType) -> Request? {
        let bytes = content.bytes
        guard let record = unsafe try? DynamicRecord(unverified: bytes.span.bytes, of: type) else { return nil }
        let parts = type.idParts.map { part in
            ConditionNode.comparison(
                FieldName(type.type.fields[part.fieldIndex].name), .equal, record.values[part.fieldIndex])
        }
        var request = Request()
        request.condition = parts.count == 1 ? parts[0] : .and(parts)
        return request
    }
}
