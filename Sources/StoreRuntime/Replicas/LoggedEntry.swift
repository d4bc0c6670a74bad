import LMDB
package import StoreEngine

/// The change sets of one commit of a store, the ids that it has assigned, and the consumers that it has written, for a log.
package struct LoggedEntry: Sendable, Equatable {
    /// A change set as the feed has it.
    package struct ChangeSet: Sendable, Equatable {
        package var sequence: UInt64
        /// The chained hash.
        package var hash: UInt64
        /// The bytes of the change set, without their division into fragments.
        package var stream: [UInt8]

        package init(sequence: UInt64, hash: UInt64, stream: [UInt8]) {
            self.sequence = sequence
            self.hash = hash
            self.stream = stream
        }
    }

    /// In their order, without a gap.
    package var changeSets: [ChangeSet]
    /// The greatest id that the store has assigned, by the number of the type.
    package var assigned: [UInt32: UInt64]
    /// The consumers as they are after the commit, by name.
    package var consumers: [ConsumerRow]
    /// The sum of the store's records after the commit; nil for a change of the schema.
    package var contentSum: ContentSum?

    package init(changeSets: [ChangeSet], assigned: [UInt32: UInt64] = [:], consumers: [ConsumerRow] = []) {
        self.changeSets = changeSets
        self.assigned = assigned
        self.consumers = consumers
    }

    /// Reads the change sets after `first` up to `head`, and the consumers, from a transaction that has just written them.
    init(
        after first: UInt64, to head: FeedHead, _ aside: WrittenAside, _ databases: StoreDatabases,
        _ snapshot: LMDBSnapshot
    ) throws(StoreError) {
        var changeSets: [ChangeSet] = []
        if first < head.sequence {
            for sequence in first + 1...head.sequence {
                guard let found = try FeedReader.stream(sequence, in: databases.feed, snapshot) else {
                    throw StoreError(.other, "the feed lacks change set \(sequence) after it was written")
                }
                changeSets.append(ChangeSet(sequence: sequence, hash: found.hash, stream: found.bytes))
            }
        }
        var consumers: [ConsumerRow] = []
        for name in aside.consumers.sorted() { consumers.append(try ConsumerRow(name, databases, snapshot)) }
        self.init(changeSets: changeSets, assigned: aside.assigned, consumers: consumers)
    }

    /// Whether the entry adds nothing to a store.
    var isEmpty: Bool { changeSets.isEmpty && assigned.isEmpty && consumers.isEmpty }
}
