public import StoreEngine

extension Store {
    /// Runs `body` in a read transaction that shows the store as it was at an earlier position.
    ///
    /// ```swift
    /// let before = try store.read(at: position) { try $0.fetch(Sensor.where { $0.celsius > 30 }) }
    /// ```
    ///
    /// Everything a read transaction does, it does here too, with the same requests, indexes and plans. The records are those
    /// of the position; the schema, the statistics that plans are chosen by, and the greatest ids that were assigned are of
    /// now. Looks up first what has changed since, which takes time and memory for that; ``snapshot(at:)`` keeps it for further
    /// reads.
    ///
    /// - Parameters:
    ///   - position: one from which the feed can be resumed, or the newest.
    ///   - body: what to do. It runs on the calling thread and must not wait for long.
    /// - Throws: what `body` throws; ``StoreError``: `positionCompacted` (with the oldest position that can be read),
    ///   `positionInFuture`, `positionOfAnotherStore`, `positionDiverged`; `historyUnavailable` when the feed does not tell all
    ///   that has changed since: a program that is not ModelStore wrote, or a migration put other records in the place of
    ///   a type's; `closed` and others as ``read(_:)``.
    @inlinable
    public func read<T>(at position: Position, _ body: (inout ReadTransaction) throws -> T) throws -> T {
        var transaction = try beginRead(at: position)
        return try body(&transaction)
    }

    /// The store as it was at an earlier position, to be read many times.
    ///
    /// - Throws: as ``read(at:_:)``.
    public func snapshot(at position: Position) throws -> StoreSnapshot {
        let transaction = try beginRead()
        return StoreSnapshot(store: self, try PastState(at: position, transaction._reading))
    }

    /// What the records differ in between two positions, by record and field.
    ///
    /// ```swift
    /// for change in try store.difference(from: yesterday, to: store.position).changes(of: Sensor.self) {
    ///     print(change.id, change.kind, change.changedFields.names)
    /// }
    /// ```
    ///
    /// Takes time for all that changed between them, and memory for both states of the records that differ.
    ///
    /// - Parameters:
    ///   - from: the position of the first state.
    ///   - to: the position of the second state. It may be the earlier one: then what was inserted in between is deleted,
    ///     and so on.
    /// - Throws: as ``read(at:_:)``, of either position.
    public func difference(from: Position, to: Position) throws -> StoreDifference {
        let transaction = try beginRead()
        return try StoreDifference(from: from, to: to, transaction._reading)
    }

    @usableFromInline
    func beginRead(at position: Position) throws -> ReadTransaction {
        var transaction = try beginRead()
        transaction.show(try PastState(at: position, transaction._reading))
        return transaction
    }
}
