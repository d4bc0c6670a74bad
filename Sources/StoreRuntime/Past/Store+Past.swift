public import StoreEngine

extension Store {
    /// Runs `body` in a read transaction that reads the store as it was at an earlier position.
    ///
    /// ```swift
    /// let before = try store.read(at: position) { try $0.fetch(Sensor.where { $0.celsius > 30 }) }
    /// ```
    ///
    /// The transaction has all features of a read transaction, with the same requests, indexes and plans. The records are those
    /// at `position`. The schema, the statistics that the planner uses, and the greatest assigned ids are the current ones.
    ///
    /// Each call first looks up the changes since `position`, which takes time and memory for all of them. ``snapshot(at:)``
    /// keeps them for further reads.
    ///
    /// - Parameters:
    ///   - position: a position from which the feed can be resumed, or the newest one.
    ///   - body: the reads. It runs on the calling thread and must not block for long.
    /// - Throws: the errors of `body`; ``StoreError`` with one of these codes:
    ///   - `positionCompacted` (with the oldest position that can be read), `positionInFuture`, `positionOfAnotherStore`,
    ///     `positionDiverged`;
    ///   - `historyUnavailable`: the feed lacks some of the changes since. A program that is not ModelStore wrote, or a migration
    ///     replaced the records of a type;
    ///   - `closed` and others, as ``read(_:)``.
    @inlinable
    public func read<T>(at position: Position, _ body: (inout ReadTransaction) throws -> T) throws -> T {
        var transaction = try beginRead(at: position)
        return try body(&transaction)
    }

    /// Returns the store as it was at an earlier position, for many reads.
    ///
    /// - Throws: as ``read(at:_:)``.
    public func snapshot(at position: Position) throws -> StoreSnapshot {
        let transaction = try beginRead()
        return StoreSnapshot(store: self, try PastState(at: position, transaction._reading))
    }

    /// Returns how the records differ between two positions, by record and field.
    ///
    /// ```swift
    /// for change in try store.difference(from: yesterday, to: store.position).changes(of: Sensor.self) {
    ///     print(change.id, change.kind, change.changedFields.names)
    /// }
    /// ```
    ///
    /// Takes time for all changes between the positions, and memory for both states of the records that differ.
    ///
    /// - Parameters:
    ///   - from: the position of the first state.
    ///   - to: the position of the second state. If it is the earlier one, a record that was inserted in between counts as
    ///     deleted, and so on.
    /// - Throws: as ``read(at:_:)``, for either position.
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
