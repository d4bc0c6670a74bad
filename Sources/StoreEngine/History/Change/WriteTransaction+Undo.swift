// Undoing change sets, as a new write.
extension WriteTransaction {
    /// Undoes a change set of the feed: inserts are deleted, deleted records inserted again, and the fields that updates
    /// changed get their earlier values. Other fields stay as they are now.
    ///
    /// The change set is read from the feed in parts, so that memory beyond that of this write stays small, however large it is.
    ///
    /// Rules of references hold: deleting a record that others refer to may be denied, or take them along. References that
    /// the change set itself made are taken back first.
    ///
    /// - Parameters:
    ///   - position: the position after the change set. A part that is not the last has the position before it
    ///     (``ChangeSet/position``): use ``undo(sequence:conflicts:)`` there.
    ///   - rule: what happens to a change whose record was changed since.
    /// - Returns: all conflicts, under ``ConflictRule/skip``.
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionInFuture`, `positionCompacted`, `positionDiverged`;
    ///   `changeConflict` with the first conflicts and their number, or when the change set holds a reset; `uniqueViolation`,
    ///   `deleteDenied` and others as a write. If the error comes after the first change was undone, the closure cannot be
    ///   committed.
    @discardableResult
    public mutating func undo(
        _ position: Position, conflicts rule: ConflictRule = .fail
    ) throws(StoreError) -> [ChangeConflict] {
        try _reading.requireChangeSet(at: position)
        return try undo(sequence: position.sequence, conflicts: rule)
    }

    /// Undoes a change set of the feed by its sequence number. See ``undo(_:conflicts:)``.
    ///
    /// A number alone does not say which history it is of: after a restored backup it may name another change set.
    @discardableResult
    public mutating func undo(
        sequence: UInt64, conflicts rule: ConflictRule = .fail
    ) throws(StoreError) -> [ChangeConflict] {
        try undo(sequence: sequence, conflicts: rule, changesPerPart: UndoneChanges.changesPerPart)
    }

    /// As ``undo(sequence:conflicts:)``, with so many changes of it in memory at a time.
    @discardableResult
    package mutating func undo(
        sequence: UInt64, conflicts rule: ConflictRule = .fail, changesPerPart: Int
    ) throws(StoreError) -> [ChangeConflict] {
        let before = try _reading.position(before: sequence)
        return try undo(UndoneChanges(after: before, changesPerPart: changesPerPart), rule)
    }

    /// The conflicts that undoing a change set would meet now. Nothing is undone.
    package mutating func conflicts(undoing sequence: UInt64) throws(StoreError) -> [ChangeConflict] {
        let before = try _reading.position(before: sequence)
        let changes = UndoneChanges(after: before, changesPerPart: UndoneChanges.changesPerPart)
        return try findConflicts(with: changes, limit: .max).listed
    }

    /// Undoes a change set at hand. See ``undo(_:conflicts:)``, which also undoes one that is too large to hold.
    ///
    /// - Parameters:
    ///   - changeSet: the change set, or several that were put together.
    ///   - partially: whether to undo the changes that `changeSet` holds although they are not all. Without, a part of a
    ///     large change set and one that a filter has left changes out of are refused (``ChangeSet/isWhole``).
    ///   - rule: what happens to a change whose record was changed since.
    /// - Returns: all conflicts, under ``ConflictRule/skip``.
    /// - Throws: ``StoreError``: `changeSetIncomplete` when `changeSet` lacks some of its changes;
    ///   `positionOfAnotherStore`; otherwise as ``undo(_:conflicts:)``.
    @discardableResult
    public mutating func undo(
        _ changeSet: ChangeSet, partially: Bool = false, conflicts rule: ConflictRule = .fail
    ) throws(StoreError) -> [ChangeConflict] {
        guard changeSet.position.store == state.identity else {
            throw StoreError(
                .positionOfAnotherStore,
                "change set \(changeSet.sequence) is of the store \(changeSet.position.store), not of \(state.identity)",
                remedy: "undo it there")
        }
        guard partially || changeSet.isWhole else { throw changeSet.incomplete }
        return try undo(UndoneChanges(changeSet), rule)
    }

    /// Brings all records back to where they were at a position, as a new write.
    ///
    /// Takes time for all that changed since, and memory for the records that differ then. Change sets are read in parts.
    ///
    /// - Returns: how many change sets were undone.
    /// - Throws: ``StoreError``: `positionCompacted` and others when the feed cannot be read from there; `changeConflict` when a
    ///   foreign program has written since; as ``undo(_:conflicts:)``. The closure cannot be committed then.
    @discardableResult
    public mutating func revert(to position: Position) throws(StoreError) -> Int {
        try _reading.requireResumable(position)
        let newest = head.sequence
        guard position.sequence < newest else { return 0 }
        for sequence in ((position.sequence + 1)...newest).reversed() {
            // The changes since are undone already, so nothing conflicts, and only records that go too refer to those that go.
            do {
                let before = try _reading.position(before: sequence)
                let changes = UndoneChanges(after: before, changesPerPart: UndoneChanges.changesPerPart)
                try invert(changes, followsRules: false)
            } catch {
                throw refuse(error)
            }
        }
        return Int(newest - position.sequence)
    }

    private mutating func undo(
        _ changes: UndoneChanges, _ rule: ConflictRule
    ) throws(StoreError) -> [ChangeConflict] {
        let shownCount = 5
        let conflicts = try findConflicts(with: changes, limit: rule == .fail ? shownCount : .max)
        if rule == .fail, !conflicts.changeIndexes.isEmpty {
            let count = conflicts.changeIndexes.count
            let shown = conflicts.listed.map(\.description) + (count > shownCount ? ["…"] : [])
            let records = count == 1 ? "1 record was" : "\(count) records were"
            throw StoreError(
                .changeConflict,
                "\(changes.name) cannot be undone: \(records) changed since: \(shown.joined(separator: "; "))",
                remedy: "undo the later changes first, or skip conflicts")
        }
        do {
            try invert(changes, except: conflicts.changeIndexes, followsRules: true)
        } catch {
            throw refuse(error)
        }
        return conflicts.listed
    }
}

extension ChangeSet {
    /// The error of undoing one that lacks some of its changes.
    fileprivate var incomplete: StoreError {
        guard let wholeCount else {
            return StoreError(
                .changeSetIncomplete, "\(name) were put together without the changes that a filter left out",
                remedy: "call undo(sequence:) for each, the newest first, or pass partially: true to undo only these"
            )
        }
        return StoreError(
            .changeSetIncomplete, "\(name) has \(wholeCount) changes, and \(changes.count) of them were given to undo",
            remedy: "call undo(sequence: \(sequence)) to undo all of it, or pass partially: true to undo only these")
    }
}
