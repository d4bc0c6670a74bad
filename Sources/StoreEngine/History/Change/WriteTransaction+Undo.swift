// Undoing change sets in a new write.
extension WriteTransaction {
    /// Undoes a change set of the feed. Inserted records are deleted, deleted records are inserted again, and updated fields get
    /// their earlier values. Other fields keep their current values.
    ///
    /// The transaction reads the change set from the feed in parts. Besides the memory for this write, it needs little memory
    /// even for a large change set.
    ///
    /// The rules of references apply: deleting a record that other records refer to may be denied, or may delete those records
    /// too. The transaction first undoes references that the change set itself made.
    ///
    /// - Parameters:
    ///   - position: the position after the change set. A part that is not the last has the position before the change set
    ///     (``ChangeSet/position``): use ``undo(sequence:conflicts:)`` for it.
    ///   - rule: how to handle a change whose record has changed since.
    /// - Returns: all conflicts, under ``ConflictRule/skip``.
    /// - Throws: ``StoreError``: `positionOfAnotherStore`, `positionInFuture`, `positionCompacted`, `positionDiverged`;
    ///   `changeConflict` with the first conflicts and their number, or when the change set contains a reset; `uniqueViolation`,
    ///   `deleteDenied` and other errors of a write. If the error comes after the first change was undone, the closure cannot be
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
    /// A number alone does not identify the history: after a backup is restored, it may name another change set.
    @discardableResult
    public mutating func undo(
        sequence: UInt64, conflicts rule: ConflictRule = .fail
    ) throws(StoreError) -> [ChangeConflict] {
        try undo(sequence: sequence, conflicts: rule, changesPerPart: UndoneChanges.changesPerPart)
    }

    /// Undoes a change set as ``undo(sequence:conflicts:)`` does, with at most `changesPerPart` of its changes in memory at a
    /// time.
    @discardableResult
    package mutating func undo(
        sequence: UInt64, conflicts rule: ConflictRule = .fail, changesPerPart: Int
    ) throws(StoreError) -> [ChangeConflict] {
        let before = try _reading.position(before: sequence)
        return try undo(UndoneChanges(after: before, changesPerPart: changesPerPart), sequence, rule)
    }

    /// Returns the conflicts that undoing a change set would have now. Undoes nothing.
    package mutating func conflicts(undoing sequence: UInt64) throws(StoreError) -> [ChangeConflict] {
        let before = try _reading.position(before: sequence)
        let changes = UndoneChanges(after: before, changesPerPart: UndoneChanges.changesPerPart)
        return try findAllConflicts(with: changes).listed
    }

    /// Undoes a change set in memory. See ``undo(_:conflicts:)``, which also undoes a change set that is too large to hold in
    /// memory.
    ///
    /// - Parameters:
    ///   - changeSet: the change set, or a combination of several.
    ///   - partially: whether to undo only the changes in `changeSet` when others are missing. If false, the transaction refuses
    ///     a part of a large change set, and a change set from which a filter removed changes (``ChangeSet/isWhole``).
    ///   - rule: how to handle a change whose record has changed since.
    /// - Returns: all conflicts, under ``ConflictRule/skip``.
    /// - Throws: ``StoreError``: `changeSetIncomplete` when `changeSet` lacks some of its changes; `positionOfAnotherStore`;
    ///   otherwise as ``undo(_:conflicts:)``.
    @discardableResult
    public mutating func undo(
        _ changeSet: ChangeSet, partially: Bool = false, conflicts rule: ConflictRule = .fail
    ) throws(StoreError) -> [ChangeConflict] {
        guard changeSet.position.store == state.identity else {
            throw StoreError(
                .positionOfAnotherStore,
                "change set \(changeSet.sequence) belongs to the store \(changeSet.position.store), not to \(state.identity)",
                remedy: "undo it in that store")
        }
        guard partially || changeSet.isWhole else { throw changeSet.incomplete }
        return try undo(UndoneChanges(changeSet), changeSet.sequence, rule)
    }

    /// Restores all records to their state at a position, in a new write.
    ///
    /// Only the states at the position and now count. States in between may violate a rule that was added since, or not fit their
    /// type any more.
    ///
    /// The time grows with the number of changes since the position, and the memory with the number of records that changed
    /// since. The transaction reads change sets in parts.
    ///
    /// - Returns: the number of change sets that were undone.
    /// - Throws: ``StoreError``: `positionCompacted` and others when the feed cannot be resumed from the position.
    ///   `historyUnavailable` when a program that is not ModelStore has written since, when a migration has replaced a record
    ///   type, or when a record of the position does not fit its type any more. `uniqueViolation` and other errors of a write.
    ///   After an error other than those of the position, the closure cannot be committed.
    @discardableResult
    public mutating func revert(to position: Position) throws(StoreError) -> Int {
        try _reading.requireResumable(position)
        let newest = head.sequence
        guard position.sequence < newest else { return 0 }
        do {
            var earlier = EarlierRecords(state.catalog)
            try _reading.forEachPart(after: position, upTo: newest) { (part) throws(StoreError) in try earlier.add(part)
            }
            try restore(earlier)
        } catch {
            throw refuse(error)
        }
        noteKind(.restore(to: position.sequence))
        return Int(newest - position.sequence)
    }

    /// Gives changed records their earlier states, the record that changed last first.
    private mutating func restore(_ earlier: EarlierRecords) throws(StoreError) {
        var held = HeldBackRecords()
        for entry in earlier.entries.reversed() {
            let type = state.catalog.types[entry.typeIndex]
            let before = try earlier.newest(entry)
            recordKey.removeAll()
            recordKey.append(entry.key)
            guard let before else {
                // Without the rules of references: the records that refer to this one get their earlier states too.
                if try deleteAlone(entry.typeIndex) { try noteDeletedTarget(entry.typeIndex) }
                continue
            }
            let isStored = try copyStored(type)
            do {
                try encoder.encode(fieldsOf: Array(before.dropFirst(RecordBytes.headerByteCount)))
            } catch {
                throw StoreError(error, at: "an earlier record of \(type.name)")
            }
            try put(entry.typeIndex, mode: isStored ? .update : .insert, holdingBack: &held)
        }
        for entry in held.entries { try put(entry) }
    }

    private mutating func undo(
        _ changes: UndoneChanges, _ sequence: UInt64, _ rule: ConflictRule
    ) throws(StoreError) -> [ChangeConflict] {
        let shownCount = 5
        let conflicts =
            rule == .fail ? try findConflicts(with: changes, limit: shownCount) : try findAllConflicts(with: changes)
        if rule == .fail, !conflicts.changeIndexes.isEmpty {
            let count = conflicts.changeIndexes.count
            let shown = conflicts.listed.map(\.description) + (count > shownCount ? ["…"] : [])
            throw StoreError(
                .changeConflict,
                "\(changes.name) cannot be undone, because of \(count == 1 ? "1 conflict" : "\(count) conflicts"): "
                    + shown.joined(separator: "; "),
                remedy: "undo the later changes first, or skip conflicts")
        }
        do {
            var refused: [Int: StoreError]?
            try invert(changes, except: conflicts.changeIndexes, refused: &refused)
        } catch {
            throw refuse(error)
        }
        noteKind(.undo(of: sequence))
        return conflicts.listed
    }

    /// Notes why the change set of this closure is written. It also has the other writes of the closure, if there are any.
    private mutating func noteKind(_ kind: ChangeSetKind) {
        context.origin = context.origin.writing(kind)
    }
}

extension ChangeSet {
    /// The error for undoing a change set that lacks some of its changes.
    fileprivate var incomplete: StoreError {
        guard let wholeCount else {
            return StoreError(
                .changeSetIncomplete, "\(name) were combined without the changes that a filter removed",
                remedy: "call undo(sequence:) for each, the newest first, or pass partially: true to undo only these"
            )
        }
        return StoreError(
            .changeSetIncomplete, "\(name) has \(wholeCount) changes, but undo received only \(changes.count) of them",
            remedy: "call undo(sequence: \(sequence)) to undo all of it, or pass partially: true to undo only these")
    }
}
