package import LMDB

/// The stored parts of a consumer, as bytes. Replicas take them over from each other.
package struct ConsumerRow: Sendable, Equatable {
    package let name: String
    /// The stored ``ConsumerState``; nil for a consumer that was deleted.
    package let state: [UInt8]?
    /// The stored ``ConsumerInterest``; empty for a consumer that wants everything.
    package let interest: [UInt8]

    package init(name: String, state: [UInt8]?, interest: [UInt8]) {
        self.name = name
        self.state = state
        self.interest = interest
    }

    /// Reads the row of a consumer.
    package init(_ name: String, _ databases: StoreDatabases, _ snapshot: LMDBSnapshot) throws(StoreError) {
        do {
            let key = Array(name.utf8)
            let interestKey = MetadataKey.interest(consumer: name)
            self.init(
                name: name, state: unsafe try snapshot.get(databases.consumers, key: key.span.bytes)?.array(),
                interest: unsafe try snapshot.get(databases.metadata, key: interestKey.span.bytes)?.array() ?? [])
        } catch {
            throw StoreError(reading: error, at: "the consumer \(name)")
        }
    }
}

extension WriteTransaction {
    /// Stores the row of a consumer, as another replica has it. This write is not a change, and gets no change set.
    ///
    /// - Throws: ``StoreError`` with the code `damaged` for bytes that no consumer has.
    package mutating func put(_ row: ConsumerRow) throws(StoreError) {
        guard let bytes = row.state else {
            _ = try removeConsumer(named: row.name)
            return
        }
        var consumer: ConsumerState
        let interest: ConsumerInterest
        do throws(CodecError) {
            consumer = unsafe try ConsumerState(from: bytes.span.bytes, store: state.identity)
            interest = row.interest.isEmpty ? .all : try ConsumerInterest(from: row.interest)
        } catch {
            throw StoreError(error, at: "the consumer \(row.name)")
        }
        // Each replica retains change sets by limits of its own.
        consumer.isExpired = consumer.position.sequence + 1 < head.oldest
        try put(consumer, named: row.name)
        try put(interest, ofConsumer: row.name)
    }
}
