import LMDB

// The named consumers of a store, as stored in a transaction's snapshot.
extension ReadContext {
    /// Returns the consumer with this name; nil if there is none.
    package func consumer(named name: String) throws(StoreError) -> ConsumerState? {
        let key = try ConsumerStorage.key(name)
        guard let bytes = unsafe try value(state.databases.consumers, key: key.span.bytes) else { return nil }
        do {
            return try ConsumerState(from: bytes, store: state.identity)
        } catch {
            throw StoreError(error, at: "the consumer \(name)")
        }
    }

    /// Returns all consumers, sorted by name.
    package func consumers() throws(StoreError) -> [NamedConsumer] {
        try ConsumerStorage.all(state.databases, store: state.identity, snapshot)
    }
}

extension ReadContext {
    /// The maximum number of names in the error for an unknown consumer.
    private static let listedConsumerCount = 8

    /// Returns the error for a consumer that the store does not have. It lists the names of existing consumers.
    package func consumerNotFound(_ name: String) -> StoreError {
        let names = ((try? consumers()) ?? []).map { "\"\(RecordText.shortened($0.name))\"" }
        let listed = names.prefix(Self.listedConsumerCount).joined(separator: ", ")
        let more = names.count > Self.listedConsumerCount ? " and \(names.count - Self.listedConsumerCount) more" : ""
        return StoreError(
            .consumerNotFound, "there is no consumer \"\(RecordText.shortened(name))\"",
            remedy: names.isEmpty
                ? "start a consumer first, because the store has none" : "name one that the store has: \(listed)\(more)"
        )
    }
}

extension WriteTransaction {
    /// Stores a consumer. This write is not a change, and gets no change set.
    package mutating func put(_ consumer: ConsumerState, named name: String) throws(StoreError) {
        _ = try ConsumerStorage.key(name)
        do {
            try ConsumerStorage.put(NamedConsumer(name: name, state: consumer), state.databases, &raw)
        } catch {
            throw fail(error)
        }
        didKeepHouse = true
        writtenConsumers.insert(name)
    }

    /// Removes a consumer.
    ///
    /// - Returns: whether the consumer existed.
    package mutating func removeConsumer(named name: String) throws(StoreError) -> Bool {
        let key = try ConsumerStorage.key(name)
        try put(ConsumerInterest.all, ofConsumer: name)
        do {
            return unsafe try raw.delete(state.databases.consumers, key: key.span.bytes)
        } catch {
            throw fail(error)
        }
    }

    /// Returns the consumer with this name, and creates it if it does not exist.
    ///
    /// - Parameter start: the position of a new consumer.
    package mutating func makeConsumer(
        named name: String, at start: Position, lease: RetentionLease
    ) throws(StoreError) -> ConsumerState {
        if let known = try _reading.consumer(named: name) { return known }
        if DisplayText.isBlank(name) {
            throw refuse(
                StoreError(
                    .invalidValue, "the consumer's name is blank", remedy: "choose a name with visible characters"))
        }
        if name.contains(Origin.consumerMark) {
            throw refuse(
                StoreError(
                    .invalidValue, "the consumer's name \(name) contains \(Origin.consumerMark)",
                    remedy:
                        "choose a name without \(Origin.consumerMark), which separates the program's name from the consumer's in the feed"
                ))
        }
        if Origin(name: name, processID: 0).kind != .user {
            throw refuse(
                StoreError(
                    .invalidValue, "the consumer's name \(name) ends like the kind of a change set in the feed",
                    remedy: "choose another name"))
        }
        let numbers = Set(try _reading.consumers().map(\.state.number))
        // Both numbers are random, so that they differ from those of an earlier, deleted consumer. A process may still hold that
        // one without knowing that it was deleted.
        var number: UInt32 = 0
        while number == 0 || numbers.contains(number) { number = UInt32(truncatingIfNeeded: random.next()) }
        let consumer = ConsumerState(
            number: number, generation: random.next() >> 16, position: start, created: now, lease: lease)
        try put(consumer, named: name)
        return consumer
    }

    /// Returns the consumer with this name, which its reader holds in `generation`.
    ///
    /// - Throws: ``StoreError``: `consumerNotFound`; `consumerLost` when another reader took it over, or when it was reset;
    ///   `consumerExpired`. After an error, the closure cannot be committed.
    package mutating func heldConsumer(_ name: String, generation: UInt64) throws(StoreError) -> ConsumerState {
        guard let consumer = try _reading.consumer(named: name) else {
            throw refuse(ConsumerState.deleted(name))
        }
        guard consumer.generation == generation else {
            throw refuse(
                StoreError(
                    .consumerLost,
                    "the consumer \(name) is in generation \(consumer.generation), but its reader is in generation \(generation)",
                    remedy:
                        "start again at the consumer's current position: another reader took the consumer over or reset it"
                ))
        }
        if consumer.isExpired { throw refuse(ConsumerState.expired(name)) }
        return consumer
    }

    /// Notes that a consumer has seen the feed up to `position`.
    ///
    /// - Parameter skipped: the number of these change sets that the consumer skipped.
    /// - Throws: ``StoreError``: as ``heldConsumer(_:generation:)``; `consumerLost` when the consumer is already at or after
    ///   `position`; `positionOfAnotherStore`, `positionInFuture`. After an error, the closure cannot be committed.
    package mutating func acknowledge(
        _ name: String, generation: UInt64, to position: Position, skipped: Int = 0
    ) throws(StoreError) {
        var consumer = try heldConsumer(name, generation: generation)
        do {
            try _reading.requireKnown(position, head)
        } catch {
            throw refuse(error)
        }
        guard consumer.position.sequence < position.sequence else {
            throw refuse(
                StoreError(
                    .consumerLost,
                    "the consumer \(name) is already at \(consumer.position.sequence), not before \(position.sequence)",
                    remedy: "acknowledge each change set once, in the order of the feed"))
        }
        consumer.position = position
        consumer.moved = now
        consumer.skippedCount += UInt64(skipped)
        try put(consumer, named: name)
        // The origin marks the writes of this closure as the consumer's own, whichever program runs it next.
        context.origin = context.origin.asConsumer(name)
    }
}

extension ConsumerState {
    /// The error for a consumer that has fallen behind the change sets retained for it.
    package static func expired(_ name: String) -> StoreError {
        StoreError(
            .consumerExpired,
            "the consumer \(name) has expired: the feed no longer retains change sets that it has not seen",
            remedy: "read the records again, then reset the consumer to their position, or give it a longer lease"
        )
    }

    /// The error for a consumer that was deleted while its reader held it.
    package static func deleted(_ name: String) -> StoreError {
        StoreError(
            .consumerNotFound, "the consumer \"\(RecordText.shortened(name))\" no longer exists",
            remedy: "hold the consumer again, which creates a new one: it was deleted in the meantime")
    }
}
