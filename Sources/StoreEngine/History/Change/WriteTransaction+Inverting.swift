// Undo takes three passes over the changes: find the conflicts, restore the records that stay, and delete the records that go.
extension WriteTransaction {
    /// The changes that cannot be undone, because later changes touched their records.
    struct FoundConflicts {
        /// The array indexes of the changes, in ascending order.
        var changeIndexes: [Int] = []
        /// The first conflicts, up to a limit.
        var listed: [ChangeConflict] = []
    }

    /// Finds the conflicts that later changes made.
    ///
    /// - Parameter limit: the maximum number of conflicts to list.
    mutating func findConflicts(with changes: UndoneChanges, limit: Int) throws(StoreError) -> FoundConflicts {
        var found = FoundConflicts()
        try forEachUndoing(of: changes, except: []) {
            (tx: inout WriteTransaction, undoing: Undoing, changeIndex: Int) throws(StoreError) in
            var conflict: ChangeConflict?
            switch undoing {
            case .impossible(let reason): conflict = reason
            case .inversion(let inversion):
                if let reason = try tx.conflictReason(inversion) { conflict = try tx.conflict(inversion, reason) }
            }
            guard let conflict else { return }
            found.changeIndexes.append(changeIndex)
            if found.listed.count < limit { found.listed.append(conflict) }
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
    ///   - refused: receives the changes that a unique index keeps from being undone; nil to throw the first such error.
    mutating func invert(
        _ changes: UndoneChanges, except skipped: [Int], refused: inout [Int: StoreError]?
    ) throws(StoreError) {
        var deletesSome = false
        var held = HeldBackRecords()
        try forEachInversion(of: changes, except: skipped) {
            (tx: inout WriteTransaction, inversion: ChangeInversion, changeIndex: Int) throws(StoreError) in
            if inversion.deletes {
                deletesSome = true
            } else {
                let isStored = try tx.encodeInverted(inversion)
                try tx.put(
                    inversion.typeIndex, mode: isStored ? .update : .insert, holdingBack: &held, tag: changeIndex)
            }
        }
        if deletesSome {
            try forEachInversion(of: changes, except: skipped) {
                (tx: inout WriteTransaction, inversion: ChangeInversion, _: Int) throws(StoreError) in
                // The rules of references may have deleted this record already, together with an earlier one.
                guard inversion.deletes else { return }
                _ = unsafe try tx.delete(inversion.typeIndex, key: inversion.change.key.span.bytes)
            }
        }
        for entry in held.entries {
            do {
                try put(entry)
            } catch {
                guard refused != nil, error.code == .uniqueViolation else { throw error }
                refused?[entry.tag] = error
            }
        }
    }

    /// The way to undo one change.
    private enum Undoing {
        case inversion(ChangeInversion)
        case impossible(ChangeConflict)
    }

    /// Calls `body` with the inverse of each change, in the order of the changes.
    ///
    /// - Throws: ``StoreError`` with the code `changeConflict` if there is no inverse.
    mutating func forEachInversion(
        of changes: UndoneChanges, except skipped: [Int],
        _ body: (inout WriteTransaction, ChangeInversion, Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        try forEachUndoing(of: changes, except: skipped) {
            (tx: inout WriteTransaction, undoing: Undoing, changeIndex: Int) throws(StoreError) in
            switch undoing {
            case .inversion(let inversion): try body(&tx, inversion, changeIndex)
            case .impossible(let conflict):
                throw StoreError(
                    .changeConflict, "\(changes.name) cannot be undone: \(conflict)", remedy: "skip conflicts")
            }
        }
    }

    private mutating func forEachUndoing(
        of changes: UndoneChanges, except skipped: [Int],
        _ body: (inout WriteTransaction, Undoing, Int) throws(StoreError) -> Void
    ) throws(StoreError) {
        var pass = changes.makePass()
        var skipped = skipped[...]
        var changeIndex = 0
        while let part = try pass.next(_reading) {
            let sources = part.replacedIndexes
            for (index, change) in part.changes.enumerated() {
                defer { changeIndex += 1 }
                if skipped.first == changeIndex {
                    skipped.removeFirst()
                } else {
                    let replaced = sources[index].map { part.changes[$0].type }
                    try body(&self, undoing(change, replaced: replaced), changeIndex)
                }
            }
        }
    }

    /// - Parameter replaced: the type of the record that the change replaced; nil if there is none.
    private func undoing(_ change: FeedChange, replaced: UInt32?) throws(StoreError) -> Undoing {
        let type = state.catalog.description(ofID: change.type)
        func impossible(
            _ code: StoreError.Code, _ message: String, id: JSONValue = .null, _ text: String = ""
        ) -> Undoing {
            .impossible(
                ChangeConflict(
                    typeName: type?.name ?? "*", id: text, idJSON: id, reason: .refused(code, message: message)))
        }
        if change.kind == .reset {
            return impossible(.historyUnavailable, "was changed by a program that is not ModelStore")
        }
        if change.kind == .schema {
            return impossible(.schemaMismatch, "was added or changed, and a change of the schema is not undone")
        }
        guard let typeIndex = state.catalog.typeIndex(ofID: change.type) else {
            let (id, text) = try type.map { (type) throws(StoreError) in try name(of: change, type) } ?? (.null, "")
            return impossible(.unknownType, "was replaced by a migration", id: id, text)
        }
        // Without its insert, the record that it replaced would be gone.
        if let replaced, state.catalog.typeIndex(ofID: replaced) == nil {
            let (id, text) = try name(of: change, state.catalog.types[typeIndex].type)
            let old = state.catalog.description(ofID: replaced)?.name ?? "#\(replaced)"
            return impossible(.unknownType, "replaces a record of \(old) as it was before a migration", id: id, text)
        }
        let open = state.catalog.types[typeIndex]
        do {
            return .inversion(try ChangeInversion(change, open, typeIndex: typeIndex))
        } catch {
            let reason = "does not fit its type any more: \(error.reason)"
            let (id, text) = try name(of: change, open.type)
            return impossible(.valueDoesNotFit, reason, id: id, text)
        }
    }

    private func name(of change: FeedChange, _ type: RecordType) throws(StoreError) -> (json: JSONValue, text: String) {
        do {
            let record = unsafe try RecordBytes(unverified: change.record.span.bytes)
            return (
                try RecordBody.idJSON(of: record, type), unsafe RecordBody.id(of: change.record.span.bytes, type) ?? ""
            )
        } catch {
            throw StoreError(error, at: "a change of \(type.name) in the feed")
        }
    }

    private mutating func conflictReason(
        _ inversion: ChangeInversion
    ) throws(StoreError) -> ChangeConflict.Reason? {
        let isStored = try load(inversion)
        do {
            return isStored ? try inversion.conflict(with: oldRecord.bytes) : try inversion.conflict(with: nil)
        } catch {
            throw _reading.unreadable(inversion.type, key: recordKey.bytes, error)
        }
    }

    /// Returns the conflict of a change that cannot be undone for a reason.
    func conflict(_ inversion: ChangeInversion, _ reason: ChangeConflict.Reason) throws(StoreError) -> ChangeConflict {
        let type = inversion.type.type
        let (json, text) = try name(of: inversion.change, type)
        return ChangeConflict(typeName: type.name, id: text, idJSON: json, reason: reason)
    }

    /// Copies the record of a change to `oldRecord`. Returns whether the record exists.
    mutating func load(_ inversion: ChangeInversion) throws(StoreError) -> Bool {
        recordKey.removeAll()
        recordKey.append(inversion.change.key)
        return try copyStored(inversion.type)
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
            throw _reading.unreadable(inversion.type, key: recordKey.bytes, error)
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
