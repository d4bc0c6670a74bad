import StoreEngine

/// One transaction of a consumer with effects in the store. It reads the feed inside the transaction, from the consumer's
/// position there, so that no change set can come twice or be missed.
struct ConsumerStep: Sendable {
    /// The error of `body`, or the reason why its writes cannot be committed, with the change set.
    struct Failure: Error {
        let sequence: UInt64
        let error: any Error
    }

    let consumer: FeedConsumer
    /// The first wanted change set, as found outside the transaction. Those before it need no second look.
    let first: UInt64
    /// The most change sets that the transaction handles.
    let limit: Int
    let body: @Sendable (ChangeSet, inout WriteTransaction) throws -> Void

    /// Handles the next change sets with `body`.
    ///
    /// - Returns: the consumer's position afterwards.
    func run(_ tx: inout WriteTransaction) throws -> Position {
        let held = try tx.heldConsumer(consumer.name, generation: consumer.generation)
        var dealt = held.position
        if first > dealt.sequence + 1 { dealt = try tx._reading.position(at: first - 1) }
        var walk = FeedWalk(after: dealt)
        var sieve = FeedSieve(
            consumer.feedOptions, own: consumer.store.core.ownOrigin, skippedConsumer: consumer.name)
        var count = 0
        var last: UInt64?
        reading: while walk.isInside || count < limit {
            let limits = FeedWalk.Limits(changes: consumer.feedOptions.changesPerPart, changeSets: limit - count)
            let parts = try walk.read(tx._reading, limits)
            if parts.isEmpty { break }
            let state = tx._reading.state
            for part in parts {
                if let set = try sieve.wanted(part, state) {
                    try deal(with: set, &tx)
                    last = set.sequence
                }
                guard part.isLast else { continue }
                dealt = part.position
                count += 1
                if count >= limit { break reading }
            }
        }
        guard dealt.sequence > held.position.sequence else { return held.position }
        if let last {
            do {
                try tx.requireWhole()
            } catch {
                throw Failure(sequence: last, error: error)
            }
        }
        try tx.acknowledge(consumer.name, generation: consumer.generation, to: dealt)
        return dealt
    }

    private func deal(with set: ChangeSet, _ tx: inout WriteTransaction) throws {
        do {
            try body(set, &tx)
        } catch {
            throw Failure(sequence: set.sequence, error: error)
        }
    }
}
