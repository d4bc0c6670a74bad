extension WriteTransaction {
    /// Undoes what a change set did, as a new write: inserts are deleted, deleted records inserted again, and the fields that
    /// updates changed get their earlier values. Other fields stay as they are now.
    ///
    /// Rules of references hold: deleting what is referred to may be denied, or take others with it. What came to refer to it in the
    /// change set itself does not any more then.
    ///
    /// - Parameters:
    ///   - changeSet: the whole change set, or what is wanted of it.
    ///   - rule: what happens to a change whose record was changed since.
    /// - Returns: the conflicts, under ``ConflictRule/skip``.
    /// - Throws: ``StoreError``: `positionOfAnotherStore` for a change set of another store; `changeConflict` listing the
    ///   conflicts, or when the change set holds a reset; `uniqueViolation`, `referenced` and others as a write. Where some of it
    ///   was undone already the closure cannot be committed.
    @discardableResult
    public mutating func undo(
        _ changeSet: ChangeSet, conflicts rule: ConflictRule = .fail
    ) throws(StoreError) -> [ChangeConflict] {
        guard changeSet.position.store == state.identity else {
            throw StoreError(
                .positionOfAnotherStore,
                "change set \(changeSet.sequence) is of the store \(changeSet.position.store), not of \(state.identity)",
                remedy: "undo it there")
        }
        return try undo(changeSet.changes.map(\.change), sequence: changeSet.sequence, rule)
    }

    /// Brings all records back to where they were at a position, as a new write.
    ///
    /// Takes time and memory for all that changed since.
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
            guard let entry = try _reading.feedEntry(sequence) else {
                throw StoreError(.damaged, "change set \(sequence) is missing", remedy: "run `store-cli verify`")
            }
            // What was done since was undone before, so nothing conflicts, and only what goes too refers to what goes.
            do {
                try apply(inversions(of: entry.changes, sequence: sequence), followsRules: false)
            } catch {
                throw refuse(error)
            }
        }
        return Int(newest - position.sequence)
    }

    private mutating func undo(
        _ changes: [FeedChange], sequence: UInt64, _ rule: ConflictRule
    ) throws(StoreError) -> [ChangeConflict] {
        var free: [ChangeInversion] = []
        var conflicts: [ChangeConflict] = []
        for inversion in try inversions(of: changes, sequence: sequence) {
            if let conflict = try conflict(inversion) {
                conflicts.append(conflict)
            } else {
                free.append(inversion)
            }
        }
        if rule == .fail, !conflicts.isEmpty {
            let shown = conflicts.prefix(5).map(\.description) + (conflicts.count > 5 ? ["…"] : [])
            throw StoreError(
                .changeConflict, "change set \(sequence) cannot be undone: \(shown.joined(separator: "; "))",
                remedy: "undo what came after it first, or skip conflicts")
        }
        do {
            try apply(free, followsRules: true)
        } catch {
            throw refuse(error)
        }
        return conflicts
    }

    /// What undoes some changes, the last one first. A change of the schema stays.
    private func inversions(
        of changes: [FeedChange], sequence: UInt64
    ) throws(StoreError) -> [ChangeInversion] {
        var inversions: [ChangeInversion] = []
        for change in changes.reversed() where change.kind != .schema {
            inversions.append(try inversion(of: change, sequence: sequence))
        }
        return inversions
    }

    private func inversion(of change: FeedChange, sequence: UInt64) throws(StoreError) -> ChangeInversion {
        guard change.kind != .reset else {
            throw StoreError(
                .changeConflict,
                "change set \(sequence) cannot be undone: a program that is not ModelStore has written",
                remedy: "restore a backup from before it")
        }
        guard let typeIndex = state.catalog.place(ofType: change.type) else {
            throw StoreError(
                .changeConflict, "change set \(sequence) changes records of a type that a migration has replaced",
                remedy: "restore a backup from before the migration")
        }
        do {
            return try ChangeInversion(change, state.catalog.types[typeIndex], typeIndex: typeIndex)
        } catch {
            throw StoreError(error, at: "change set \(sequence) of the feed")
        }
    }

    private mutating func conflict(_ inversion: ChangeInversion) throws(StoreError) -> ChangeConflict? {
        let isStored = try load(inversion)
        do {
            let found = isStored ? try inversion.conflict(with: oldRecord.bytes) : try inversion.conflict(with: nil)
            guard let reason = found else { return nil }
            let id = unsafe RecordText.id(inversion.change.record.span.bytes, inversion.type)
            return ChangeConflict(typeName: inversion.type.name, id: id, reason: reason)
        } catch {
            throw _reading.damage(inversion.type, key: recordKey.bytes, error)
        }
    }

    /// Brings the record that a change was of to `oldRecord`; whether there is one.
    private mutating func load(_ inversion: ChangeInversion) throws(StoreError) -> Bool {
        recordKey.removeAll()
        recordKey.append(inversion.change.key)
        return try copyStored(inversion.type)
    }

    /// Does what undoes a change set.
    ///
    /// Records go last: those that came to refer to them in the change set do not any more then, and are not taken along.
    ///
    /// - Parameter followsRules: whether what refers to a record that goes is dealt with by the rules of references. Without, the end of
    ///   the write fails where something still does.
    private mutating func apply(_ inversions: [ChangeInversion], followsRules: Bool) throws(StoreError) {
        var stuck: [ChangeInversion] = []
        for inversion in inversions where !inversion.deletes {
            do {
                let isStored = try encodeInverted(inversion)
                try put(inversion.typeIndex, mode: isStored ? .update : .insert)
            } catch {
                guard error.code == .uniqueViolation else { throw error }
                stuck.append(inversion)
            }
        }
        // Records whose unique values others have that give them up: all are taken out before they come back.
        var records: [[UInt8]] = []
        for inversion in stuck {
            try encodeInverted(inversion)
            records.append(encoder.tableBytes.array())
        }
        for inversion in stuck where try load(inversion) { _ = try deleteAlone(inversion.typeIndex) }
        for inversion in inversions where inversion.deletes { try delete(inversion, followsRules: followsRules) }
        for (inversion, record) in zip(stuck, records) {
            do {
                try encoder.encode(fieldsOf: record)
            } catch {
                throw StoreError(error, at: "a record of \(inversion.type.name)")
            }
            try put(inversion.typeIndex, mode: .insert)
        }
    }

    private mutating func delete(_ inversion: ChangeInversion, followsRules: Bool) throws(StoreError) {
        if followsRules {
            // One that another took with it is gone already.
            _ = unsafe try delete(inversion.typeIndex, key: inversion.change.key.span.bytes)
        } else if try load(inversion) {
            _ = try deleteAlone(inversion.typeIndex)
            try noteDeletedTarget(inversion.typeIndex)
        }
    }

    /// Brings what a record is to be into the encoder; whether there is one now.
    @discardableResult
    private mutating func encodeInverted(_ inversion: ChangeInversion) throws(StoreError) -> Bool {
        let isStored = try load(inversion)
        do {
            if isStored {
                try Self.encode(inversion, over: oldRecord, to: &encoder)
            } else {
                try inversion.encode(over: nil, to: &encoder)
            }
        } catch {
            throw _reading.damage(inversion.type, key: recordKey.bytes, error)
        }
        return isStored
    }

    // Static, so that one buffer can be read while the other is written.
    private static func encode(
        _ inversion: ChangeInversion, over stored: borrowing ByteWriter, to encoder: inout FieldEncoder
    ) throws(CodecError) {
        try inversion.encode(over: stored.bytes, to: &encoder)
    }
}

extension FieldEncoder {
    /// Encodes a record with the fields of a field table.
    mutating func encode(fieldsOf bytes: [UInt8]) throws(CodecError) {
        let table = unsafe try FieldTable(bytes.span.bytes)
        begin(fieldCount: table.count)
        for place in 0..<table.count { append(encoded: try table.field(place)) }
        try finish()
    }
}
