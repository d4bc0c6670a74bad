// Undo takes three passes over the changes: find the conflicts, restore the records that stay, and delete the records that go.
extension WriteTransaction {
    /// The changes that cannot be undone, because later changes touched their records.
    struct FoundConflicts {
        /// The array indexes of the changes, in ascending order.
        var changeIndexes: [Int] = []
        /// The first conflicts, up to a limit.
        var listed: [ChangeConflict] = []
    }

    /// Finds the conflicts.
    ///
    /// - Parameter limit: the maximum number of conflicts to list.
    mutating func findConflicts(with changes: UndoneChanges, limit: Int) throws(StoreError) -> FoundConflicts {
        var found = FoundConflicts()
        try forEachInversion(of: changes, except: []) {
            (tx: inout WriteTransaction, inversion: ChangeInversion, changeIndex: Int) throws(StoreError) in
            guard let reason = try tx.conflictReason(inversion) else { return }
            found.changeIndexes.append(changeIndex)
            guard found.listed.count < limit else { return }
            found.listed.append(try tx.conflict(inversion, reason))
        }
        return found
    }

    /// Applies the inverse of each change.
    ///
    /// Deletes come last. By then, the references that the change set made to these records are undone, so the rules of
    /// references do not delete the referring records too.
    ///
    /// - Parameters:
    ///   - skipped: the array indexes of the changes to skip, in ascending order.
    ///   - followsRules: whether the rules of references apply to records that refer to a deleted one. Without the rules, the end
    ///     of the write fails if a record still refers to it.
    mutating func invert(
        _ changes: UndoneChanges, except skipped: [Int] = [], followsRules: Bool
    ) throws(StoreError) {
        var deletesSome = false
        // Records whose unique values are still held by records that give them up later. They are deleted here, and inserted at
        // the end.
        var stuck: [(typeIndex: Int, fields: [UInt8])] = []
        try forEachInversion(of: changes, except: skipped) {
            (tx: inout WriteTransaction, inversion: ChangeInversion, _: Int) throws(StoreError) in
            if inversion.deletes {
                deletesSome = true
            } else if let fields = try tx.restore(inversion) {
                stuck.append((inversion.typeIndex, fields))
            }
        }
        if deletesSome {
            try forEachInversion(of: changes, except: skipped) {
                (tx: inout WriteTransaction, inversion: ChangeInversion, _: Int) throws(StoreError) in
                if inversion.deletes { try tx.delete(inversion, followsRules: followsRules) }
            }
        }
        for (typeIndex, fields) in stuck {
            do {
                try encoder.encode(fieldsOf: fields)
            } catch {
                throw StoreError(error, at: "a record of \(state.catalog.types[typeIndex].name)")
            }
            try put(typeIndex, mode: .insert)
        }
    }

    /// Calls `body` with the inverse of each change, in the order of the changes. Changes of the schema are not undone.
    private mutating func forEachInversion(
        of changes: UndoneChanges, except skipped: [Int],
        _ body: (inout WriteTransaction, ChangeInversion, Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        var pass = changes.makePass()
        var skipped = skipped[...]
        var changeIndex = 0
        while let part = try pass.next(_reading) {
            for change in part {
                defer { changeIndex += 1 }
                if skipped.first == changeIndex {
                    skipped.removeFirst()
                } else if change.kind != .schema {
                    try body(&self, inversion(of: change, in: changes), changeIndex)
                }
            }
        }
    }

    private func inversion(of change: FeedChange, in changes: UndoneChanges) throws(StoreError) -> ChangeInversion {
        guard change.kind != .reset else {
            throw StoreError(
                .changeConflict,
                "\(changes.name) cannot be undone: a program that is not ModelStore wrote to the store",
                remedy: "restore a backup from before it")
        }
        guard let typeIndex = state.catalog.typeIndex(ofID: change.type) else {
            throw StoreError(
                .changeConflict,
                "\(changes.name) cannot be undone: a migration has replaced a record type that it changes",
                remedy: "restore a backup from before the migration")
        }
        do {
            return try ChangeInversion(change, state.catalog.types[typeIndex], typeIndex: typeIndex)
        } catch {
            throw StoreError(error, at: "\(changes.name) of the feed")
        }
    }

    private mutating func conflictReason(
        _ inversion: ChangeInversion
    ) throws(StoreError) -> ChangeConflict.Reason? {
        let isStored = try load(inversion)
        do {
            return isStored ? try inversion.conflict(with: oldRecord.bytes) : try inversion.conflict(with: nil)
        } catch {
            throw _reading.damage(inversion.type, key: recordKey.bytes, error)
        }
    }

    private func conflict(
        _ inversion: ChangeInversion, _ reason: ChangeConflict.Reason
    ) throws(StoreError) -> ChangeConflict {
        let (type, record) = (inversion.type, inversion.change.record)
        do throws(CodecError) {
            let json = unsafe try DynamicRecord(unverified: record.span.bytes, of: type).idJSON(type)
            let text = unsafe RecordText.id(record.span.bytes, type)
            return ChangeConflict(typeName: type.name, id: text, idJSON: json, reason: reason)
        } catch {
            throw StoreError(error, at: "a change of \(type.name) in the feed")
        }
    }

    /// Copies the record of a change to `oldRecord`. Returns whether the record exists.
    private mutating func load(_ inversion: ChangeInversion) throws(StoreError) -> Bool {
        recordKey.removeAll()
        recordKey.append(inversion.change.key)
        return try copyStored(inversion.type)
    }

    /// Restores a record to its state before a change.
    ///
    /// - Returns: nil, or the record's fields if another record holds one of its unique values. In that case the record is
    ///   deleted, and the caller inserts it after the others are stored.
    private mutating func restore(_ inversion: ChangeInversion) throws(StoreError) -> [UInt8]? {
        do {
            let isStored = try encodeInverted(inversion)
            try put(inversion.typeIndex, mode: isStored ? .update : .insert)
            return nil
        } catch {
            guard error.code == .uniqueViolation else { throw error }
        }
        let isStored = try encodeInverted(inversion)
        let fields = encoder.tableBytes.array()
        if isStored { _ = try deleteAlone(inversion.typeIndex) }
        return fields
    }

    private mutating func delete(_ inversion: ChangeInversion, followsRules: Bool) throws(StoreError) {
        if followsRules {
            // The rules of references may have deleted this record already, together with an earlier one.
            _ = unsafe try delete(inversion.typeIndex, key: inversion.change.key.span.bytes)
        } else if try load(inversion) {
            _ = try deleteAlone(inversion.typeIndex)
            try noteDeletedTarget(inversion.typeIndex)
        }
    }

    /// Encodes the record's state before a change into the encoder. Returns whether the record exists now.
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
        for fieldIndex in 0..<table.count { append(encoded: try table.field(fieldIndex)) }
        try finish()
    }
}
