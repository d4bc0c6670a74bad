public import StoreEngine

extension Store {
    /// Returns the whole change set that ends at a position.
    ///
    /// The change set is in memory at once, however large. Use ``changes(since:_:)`` to read a large change set in parts.
    ///
    /// - Parameter position: the position after the change set.
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionInFuture`, `positionCompacted`, `positionDiverged`;
    ///   `damaged`.
    public func changeSet(at position: Position) throws -> ChangeSet {
        let transaction = try beginRead()
        try transaction._reading.requireChangeSet(at: position)
        return try transaction._reading.changeSet(position.sequence)
    }

    /// Returns the whole change set with this sequence number. See ``changeSet(at:)``.
    ///
    /// - Throws: ``StoreError``: `positionInFuture`, `positionCompacted`; `invalidValue` for 0; `damaged`.
    public func changeSet(sequence: UInt64) throws -> ChangeSet {
        let transaction = try beginRead()
        return try transaction._reading.changeSet(sequence)
    }

    /// Undoes a change set of the feed, in a write of its own. See ``WriteTransaction/undo(_:conflicts:)``.
    ///
    /// A change set of any size is undone as a whole, or not at all.
    ///
    /// - Parameters:
    ///   - position: the position after the change set. A part that is not the last has the position before the change set: use
    ///     ``undo(sequence:conflicts:)`` for it.
    ///   - rule: what happens to a change that cannot be undone.
    /// - Returns: the conflicts, under ``ConflictRule/skip``.
    @discardableResult
    public func undo(
        _ position: Position, conflicts rule: ConflictRule = .fail
    ) async throws -> [ChangeConflict] {
        try await write { tx in try tx.undo(position, conflicts: rule) }
    }

    /// Undoes a change set of the feed by its sequence number, in a write of its own. See
    /// ``WriteTransaction/undo(sequence:conflicts:)``.
    ///
    /// - Returns: the conflicts, under ``ConflictRule/skip``.
    @discardableResult
    public func undo(
        sequence: UInt64, conflicts rule: ConflictRule = .fail
    ) async throws -> [ChangeConflict] {
        try await write { tx in try tx.undo(sequence: sequence, conflicts: rule) }
    }

    /// Undoes a given change set, in a write of its own. See ``WriteTransaction/undo(_:partially:conflicts:)``, which says when
    /// `partially` is needed.
    ///
    /// - Returns: the conflicts, under ``ConflictRule/skip``.
    @discardableResult
    public func undo(
        _ changeSet: ChangeSet, partially: Bool = false, conflicts rule: ConflictRule = .fail
    ) async throws -> [ChangeConflict] {
        try await write { tx in try tx.undo(changeSet, partially: partially, conflicts: rule) }
    }

    /// Returns all records to their state at a position, in a write of its own. See ``WriteTransaction/revert(to:)``.
    ///
    /// - Returns: how many change sets were undone.
    @discardableResult
    public func revert(to position: Position) async throws -> Int {
        try await write { tx in try tx.revert(to: position) }
    }
}
