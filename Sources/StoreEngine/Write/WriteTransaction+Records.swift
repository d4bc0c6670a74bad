import LMDB

// Writing encoded records. Each operation performs all of its puts and deletes, or none of them if it throws the error of a
// constraint.
extension WriteTransaction {
    /// Stores the record in `encoder`. Its fields are final except for those that the transaction fills in.
    ///
    /// - Parameter kept: the parts that the writer does not know. A stored record keeps its values there.
    package mutating func put(
        _ typeIndex: Int, mode: WriteMode, keeping kept: UndeclaredParts = UndeclaredParts()
    ) throws(StoreError) {
        let type = state.catalog.types[typeIndex]
        try requireNotEnded(type)
        let assignedBefore = assigned[type.type.id]
        do {
            try putFilled(type, typeIndex, mode: mode, keeping: kept)
        } catch {
            // A failed write changes nothing, including the greatest assigned id.
            assigned[type.type.id] = assignedBefore
            throw error
        }
    }

    private mutating func putFilled(
        _ type: OpenType, _ typeIndex: Int, mode: WriteMode, keeping kept: UndeclaredParts
    ) throws(StoreError) {
        if mode != .update { try fillGeneratedID(of: type) }
        do {
            try Self.encodeKey(of: encoder, type, to: &recordKey)
        } catch {
            throw StoreError(.invalidValue, "the id of \(type.name) cannot be a key: \(error)")
        }
        try requireOwnKey(type, typeIndex)
        let isStored = mode == .insert ? false : try copyStored(type)
        if isStored ? !kept.isEmpty : !kept.partial.isEmpty { try complete(kept, of: type, isStored: isStored) }
        guard encoder.byteCount <= state.limits.recordByteCount else {
            throw StoreError(
                .tooLarge,
                "a record of \(type.name) takes \(encoder.byteCount) bytes, but at most \(state.limits.recordByteCount) are allowed",
                remedy: "store large data elsewhere, or raise the limit recordByteCount")
        }
        try replaceTokens(of: type, isStored: isStored)
        if mode == .insert { return try insertNew(type, typeIndex) }
        guard isStored else {
            if mode == .upsert { return try insertNew(type, typeIndex) }
            throw StoreError(
                .recordNotFound, "there is no \(type.name) with the id \(RecordText.id(encoder.bytes, type))",
                remedy: "insert it first, or use upsert")
        }
        try replace(type, typeIndex)
    }

    /// Throws if another record's id has the key of the record in the encoder. Only truncated keys of long ids can be equal. The
    /// other record may be one that this write has deleted: the change set has one change for each key.
    ///
    /// - Throws: ``StoreError`` with the code `keyCollision`.
    private mutating func requireOwnKey(_ type: OpenType, _ typeIndex: Int) throws(StoreError) {
        guard recordKey.count == KeyLimit.recordKey else { return }
        if try !copyStored(type) {
            let removed = changes.findRemoved(changes.address(type: typeIndex, key: recordKey), key: recordKey)
            guard let before = removed.flatMap({ changes.before($0) }) else { return }
            oldRecord.removeAll()
            oldRecord.append(before)
        }
        let (own, stored): ([UInt8]?, [UInt8]?)
        do {
            own = try type.longID(of: FieldTable(encoder.tableBytes), recordKey.bytes)
            stored = try type.longID(of: RecordBytes(unverified: oldRecord.bytes).table, recordKey.bytes)
        } catch {
            throw _reading.unreadable(type, key: recordKey.bytes, error)
        }
        guard own != stored else { return }
        let ids = RecordText.differentIDs(encoder.bytes, oldRecord.bytes, type)
        throw StoreError(
            .keyCollision,
            "the id \(ids.first) of \(type.name) has the same key as the id \(ids.second) of another record",
            remedy: "choose another id, or one of fewer than \(KeyLimit.recordKey) bytes")
    }

    /// Deletes the record with this key.
    ///
    /// - Returns: whether the record existed.
    @usableFromInline
    package mutating func delete(_ typeIndex: Int, key: RawSpan) throws(StoreError) -> Bool {
        recordKey.removeAll()
        recordKey.append(key)
        KeyLimit.truncateRecordKey(&recordKey, state.catalog.types[typeIndex].keyHash)
        guard try deleteAlone(typeIndex) else { return false }
        try followDelete(typeIndex)
        return true
    }

    /// Deletes the record under `recordKey`, and does not touch the records that refer to it.
    ///
    /// - Returns: whether the record existed. If so, it is now in `oldRecord`.
    mutating func deleteAlone(_ typeIndex: Int) throws(StoreError) -> Bool {
        let type = state.catalog.types[typeIndex]
        guard try copyStored(type) else { return false }
        do {
            try IndexWriter.remove(oldRecord, of: type, recordKey: recordKey, from: &raw, scratch: &scratch)
            try raw.delete(type.database, key: recordKey)
            try keepSample(.deleted, of: type)
        } catch {
            throw failed(error, type)
        }
        let index = noteTouched(typeIndex)
        changes.remove(index)
        try requireRoomForChanges()
        return true
    }

    private mutating func insertNew(_ type: OpenType, _ typeIndex: Int) throws(StoreError) {
        let address = changes.address(type: typeIndex, key: recordKey)
        let known = changes.findRemoved(address, key: recordKey)
        // The closure deleted the record earlier, so the net change is an update of the same incarnation.
        let earlier = known.flatMap { changes.incarnationBefore($0) }
        encoder.seal(schemaVersion: type.type.version, incarnation: earlier ?? incarnation)
        do {
            guard try raw.putNew(type.database, key: recordKey, record: encoder) else {
                throw StoreError(
                    .recordExists,
                    "there is already a record of \(type.name) with the id \(RecordText.id(encoder.bytes, type))",
                    remedy: "update it, or use upsert")
            }
            let violated = try IndexWriter.add(encoder, of: type, recordKey: recordKey, to: &raw, scratch: &scratch)
            if let violated {
                try raw.delete(type.database, key: recordKey)
                throw try uniqueViolation(type, violated)
            }
            try keepSample(.inserted, of: type)
        } catch {
            throw failed(error, type)
        }
        // A record that is stored without a change set is no change.
        if seededIncarnation != nil { return }
        let index = known ?? changes.add(address, key: recordKey)
        changes.set(index, after: encoder)
        try requireRoomForChanges()
        try noteReferences(typeIndex, changed: nil)
    }

    /// Replaces the record in `oldRecord` with the record in `encoder`.
    mutating func replace(_ type: OpenType, _ typeIndex: Int) throws(StoreError) {
        let changed: [Int]
        do {
            let difference = try Self.difference(oldRecord, encoder)
            if difference.changed.isEmpty { return }
            changed = difference.changed
            encoder.seal(schemaVersion: type.type.version, incarnation: difference.incarnation)
            let violated = try IndexWriter.move(
                changed: difference.changed, from: oldRecord, to: encoder, of: type, recordKey: recordKey, in: &raw,
                scratch: &scratch)
            if let violated { throw try uniqueViolation(type, violated) }
            try raw.put(type.database, key: recordKey, record: encoder)
            try keepSample(.replaced, of: type)
        } catch {
            throw failed(error, type)
        }
        let index = noteTouched(typeIndex)
        changes.set(index, after: encoder)
        try requireRoomForChanges()
        try noteReferences(typeIndex, changed: changed)
    }

    /// Returns the entry of the record under `recordKey` among the changes, and adds one if necessary, with `oldRecord` as its
    /// earlier state.
    mutating func noteTouched(_ typeIndex: Int) -> Int {
        let address = changes.address(type: typeIndex, key: recordKey)
        return changes.find(address, key: recordKey) ?? changes.add(address, key: recordKey, before: oldRecord)
    }

    /// Copies the stored record under `recordKey` to `oldRecord`, in the form of the newest version.
    mutating func copyStored(_ type: OpenType) throws(StoreError) -> Bool {
        do {
            guard try raw.copy(type.database, key: recordKey, to: &oldRecord) else { return false }
        } catch {
            throw fail(error)
        }
        do {
            if let newest = try Self.upgraded(oldRecord, type) {
                oldRecord.removeAll()
                oldRecord.append(newest)
            }
        } catch {
            throw _reading.unreadable(type, key: recordKey.bytes, error)
        }
        return true
    }

    /// Returns the newest form of a stored record; nil if the record already has it.
    private static func upgraded(_ stored: borrowing ByteWriter, _ type: OpenType) throws(CodecError) -> [UInt8]? {
        let version = try RecordBytes(unverified: stored.bytes).schemaVersion
        if version == type.type.version { return nil }
        // The new form gets a new checksum, so this is the last chance to check the old one.
        let record = try RecordBytes(stored.bytes)
        if let upgrade = try type.upgrade(fromVersion: version) { return try upgrade.apply(to: record) }
        // A renamed field makes a version of the same form.
        return record.resealed(as: type.type.version)
    }

    /// Completes the record in the encoder with the parts that its writer does not know. They get the values of the stored
    /// record. If there is no stored record, unknown parts of partly known fields get their replacement values.
    private mutating func complete(
        _ kept: UndeclaredParts, of type: OpenType, isStored: Bool
    ) throws(StoreError) {
        let mine = encoder.tableBytes.array()
        do {
            if !isStored { oldRecord.removeAll() }
            try Self.merge(mine, with: oldRecord, kept, into: &encoder)
        } catch {
            throw _reading.unreadable(type, key: recordKey.bytes, error)
        }
    }

    /// - Parameter old: the stored record; empty if there is none.
    private static func merge(
        _ mine: [UInt8], with old: borrowing ByteWriter, _ kept: UndeclaredParts, into encoder: inout FieldEncoder
    ) throws(CodecError) {
        let table = unsafe try FieldTable(mine.span.bytes)
        encoder.begin(fieldCount: table.count)
        for fieldIndex in 0..<table.count {
            let isKept = kept.fields.contains(fieldIndex)
            guard old.count > 0, isKept || kept.partial[fieldIndex] != nil else {
                try append(table.field(fieldIndex), with: nil, kept.partial[fieldIndex], to: &encoder)
                continue
            }
            let stored = try RecordBytes(unverified: old.bytes).table.field(fieldIndex)
            try append(isKept ? stored : table.field(fieldIndex), with: stored, kept.partial[fieldIndex], to: &encoder)
        }
        try encoder.finish()
    }

    private static func append(
        _ field: RawSpan, with stored: RawSpan?, _ form: PartialForm?, to encoder: inout FieldEncoder
    ) throws(CodecError) {
        guard let form else { return encoder.append(encoded: field) }
        var whole = ByteWriter(capacity: 64)
        try form.complete(field, with: stored, to: &whole)
        encoder.append(encoded: whole.bytes)
    }

    /// Makes the closure fail for good, because the operation that exceeded the limit has already run.
    private mutating func requireRoomForChanges() throws(StoreError) {
        guard changes.byteCount <= state.limits.changeSetByteCount else {
            throw refuse(
                StoreError(
                    .tooLarge,
                    "the change set of one write takes more than \(state.limits.changeSetByteCount) bytes",
                    remedy: "write in several closures, or raise the limit changeSetByteCount"))
        }
    }

    private func uniqueViolation(_ type: OpenType, _ violation: UniqueViolation) throws -> StoreError {
        let names = violation.index.fieldNames(in: type.type)
        let values = RecordText.values(of: violation.index.parts, encoder.bytes, type)
        var text = "?"
        if let holder = unsafe try raw.snapshot.get(type.database, key: violation.holder.key.span.bytes) {
            text = RecordText.id(holder, type)
        }
        guard violation.holder.hasValue else {
            return StoreError(
                .keyCollision,
                "\(names) of \(RecordText.id(encoder.bytes, type)) has the same key as \(LongValue.maximumCollisions) other "
                    + "values, such as that of \(type.name) \(text)",
                remedy:
                    "choose another value, or one of fewer than \(KeyLimit.indexValue - 1) bytes, or export the records and "
                    + "import them into a new store, whose keys have a secret")
        }
        return StoreError(
            .uniqueViolation,
            "another \(type.name) (id \(text)) already has \(names) \(values), so \(RecordText.id(encoder.bytes, type)) cannot have it",
            remedy: "choose another value, as \(names) is unique, or change that record first")
    }

    /// Returns the store error for an error that occurred while writing the record under `recordKey`.
    mutating func failed(_ error: any Error, _ type: OpenType) -> StoreError {
        switch error {
        case let error as StoreError: return error
        case let error as LMDBError: return fail(error)
        case let error as CodecError: return _reading.unreadable(type, key: recordKey.bytes, error)
        default: return StoreError(.other, "\(error)", cause: error)
        }
    }

    /// Fills `key` from the id fields of a record.
    private static func encodeKey(
        of record: borrowing FieldEncoder, _ type: OpenType, to key: inout ByteWriter
    ) throws(CodecError) {
        key.removeAll()
        let table = try FieldTable(record.tableBytes)
        for part in type.idParts { try part.component.append(table.field(part.fieldIndex), to: &key) }
        KeyLimit.truncateRecordKey(&key, type.keyHash)
    }

    /// Returns the indexes of the changed fields and the incarnation of a stored record. Checks the stored record's checksum.
    private static func difference(
        _ old: borrowing ByteWriter, _ new: borrowing FieldEncoder
    ) throws(CodecError) -> (changed: [Int], incarnation: UInt64) {
        let stored = try RecordBytes(old.bytes)
        return (try RecordDifference.changedFieldIndexes(from: stored, to: new.bytes), stored.incarnation)
    }
}
