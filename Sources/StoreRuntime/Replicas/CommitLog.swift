import LMDB
package import StoreEngine

/// A log outside of the store that orders its commits with those of other stores, its replicas.
///
/// The store calls it in a write transaction, on the thread that writes. It may block.
package protocol CommitLog: AnyObject, Sendable {
    /// Appends the change sets of a transaction that is about to commit.
    ///
    /// - Parameters:
    ///   - entry: the change sets, the assigned ids, and the consumers.
    ///   - replica: the replica state, which the last append or ``catchUp()`` has given; nil before the first. The store keeps it
    ///     in its metadata and does not read it.
    /// - Returns: the replica state after this commit.
    /// - Throws: ``CommitLogIsAhead`` if the log has entries that the store has not applied. The store then aborts the
    ///   transaction, calls ``catchUp()``, and runs it again. Any other error aborts the transaction, and its writes fail with
    ///   it.
    func append(_ entry: LoggedEntry, after replica: [UInt8]?) throws -> [UInt8]

    /// Checks that the running programs of other nodes can use the record types that the next append gives the store.
    ///
    /// - Throws: an error, which aborts the transaction.
    func requirePrograms(using types: [RecordType]) throws

    /// Applies the entries of the log that the store lacks. Called on the writer thread, between transactions.
    func catchUp() throws

    /// Waits a moment before the next append, if other replicas have often written first. Called on the writer thread, between
    /// transactions.
    func holdBack() throws

    /// The transaction of the last append is committed.
    func committed()

    /// The store is closed.
    func stop()

    /// Takes the turn to run a consumer, which one node at a time has.
    ///
    /// - Returns: nil while another node has it.
    /// - Throws: an error. A later attempt may succeed if ``isOutage(_:)`` is true for it.
    func takeTurn(ofConsumer name: String) async throws -> (any ConsumerTurn)?

    /// Whether an error ends once the log can be reached again.
    func isOutage(_ error: StoreError) -> Bool
}

/// A node's turn to run a consumer. It is given back when the last reference to it goes away.
///
/// A node may lose its turn without noticing it. So no promise rests on it: the consumer's generation keeps two holders apart.
package protocol ConsumerTurn: AnyObject, Sendable {}

/// The log has entries that the store has not applied.
package struct CommitLogIsAhead: Error {
    package init() {}
}

extension CommitLog {
    /// Appends what the closures of a transaction have written, and notes that in the transaction.
    ///
    /// - Returns: whether there was anything to append.
    /// - Throws: ``CommitLogIsAhead`` and other errors, as ``append(_:after:)``.
    func order(
        after first: UInt64, to head: FeedHead, _ aside: WrittenAside, _ state: StoreState,
        _ raw: inout LMDBWriteTransaction
    ) throws -> Bool {
        var entry = try LoggedEntry(after: first, to: head, aside, state.databases, raw.snapshot)
        if entry.isEmpty { return false }
        let content = try Self.contentSum(ReadContext(snapshot: raw.snapshot, state: state), aside)
        try mapLMDB { () throws(LMDBError) in try content.write(state.databases, &raw) }
        entry.contentSum = content
        try append(entry, state.databases, &raw)
        return true
    }

    /// Returns the sum of the records after a transaction.
    private static func contentSum(_ reading: ReadContext, _ aside: WrittenAside) throws -> ContentSum {
        guard var sum = try reading.storedContentSum() else { return try reading.contentSum() }
        sum += aside.contentChange
        return sum
    }

    /// Appends a change of the schema, and notes that in the transaction.
    ///
    /// - Parameter types: the record types after the change.
    /// - Returns: whether there was anything to append.
    /// - Throws: ``CommitLogIsAhead`` and other errors, as ``append(_:after:)``.
    func orderSchema(
        _ types: [RecordType], after first: UInt64, to head: FeedHead, _ databases: StoreDatabases,
        _ raw: inout LMDBWriteTransaction
    ) throws -> Bool {
        let entry = try LoggedEntry(after: first, to: head, WrittenAside(), databases, raw.snapshot)
        if entry.isEmpty { return false }
        try requirePrograms(using: types)
        try append(entry, databases, &raw)
        return true
    }

    private func append(
        _ entry: LoggedEntry, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws {
        let before = try StoreFormat.replica(databases, raw.snapshot)
        // After the append, a full map could no longer be grown without a second append. The state keeps its length, so this
        // write takes the page that the next one needs.
        if let before { try StoreFormat.writeReplica(before, databases, &raw) }
        let replica = try append(entry, after: before)
        try StoreFormat.writeReplica(replica, databases, &raw)
    }
}
