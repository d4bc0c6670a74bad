import LMDB

/// A unique index that refuses a record, and the record that already has the value.
struct UniqueViolation {
    let index: OpenIndex
    let holder: LongValue.Holder
}

/// Updates the indexes of a type when its records change.
enum IndexWriter {
    /// The form of a computed entry.
    struct Form {
        /// Whether the key is the value part alone, so that LMDB refuses a second entry.
        let isSole: Bool
        /// Whether the writer must search for an equal value among entries that share a truncated value part.
        let needsScan: Bool
    }

    /// Adds the entries of a new record. If a unique index refuses the record, adds none and returns the violation.
    static func add(
        _ record: borrowing FieldEncoder, of type: OpenType, recordKey: borrowing ByteWriter,
        to raw: inout LMDBWriteTransaction, scratch: inout WriteScratch
    ) throws -> UniqueViolation? {
        let table = try FieldTable(record.tableBytes)
        for (done, index) in type.singleIndexes.enumerated() {
            let form = try newEntry(of: table, index, recordKey, &scratch)
            if let holder = try put(index, form, record, recordKey, type, to: &raw, scratch: &scratch) {
                for earlier in type.singleIndexes[..<done] {
                    _ = try newEntry(of: table, earlier, recordKey, &scratch)
                    try raw.delete(earlier.database, key: scratch.newEntryKey)
                }
                return UniqueViolation(index: index, holder: holder)
            }
        }
        for index in type.multipleIndexes {
            let entries = try MultipleEntries.of(table, index, recordKey: recordKey.bytes)
            try MultipleEntries.move(from: [], to: entries, index, in: &raw)
        }
        return nil
    }

    /// Removes the entries of a stored record, and checks its checksum.
    static func remove(
        _ record: borrowing ByteWriter, of type: OpenType, recordKey: borrowing ByteWriter,
        from raw: inout LMDBWriteTransaction, scratch: inout WriteScratch
    ) throws {
        let old = try RecordBytes(record.bytes)
        for index in type.singleIndexes {
            try oldEntry(of: old, index, recordKey, &scratch)
            try deleteOldEntry(of: index, recordKey, from: &raw, scratch)
        }
        for index in type.multipleIndexes {
            let entries = try MultipleEntries.of(old.table, index, recordKey: recordKey.bytes)
            try MultipleEntries.move(from: entries, to: [], index, in: &raw)
        }
    }

    /// Moves the entries of a record from its old state to its new one. If a unique index refuses the record, moves none and
    /// returns the violation.
    static func move(
        changed: [Int], from oldRecord: borrowing ByteWriter, to record: borrowing FieldEncoder, of type: OpenType,
        recordKey: borrowing ByteWriter, in raw: inout LMDBWriteTransaction, scratch: inout WriteScratch
    ) throws -> UniqueViolation? {
        let all = type.indexes.filter { index in index.parts.contains { changed.contains($0.fieldIndex) } }
        if all.isEmpty { return nil }
        let old = try RecordBytes(unverified: oldRecord.bytes)
        let table = try FieldTable(record.tableBytes)
        let touched = all.filter { !$0.isMultiple }
        // Add all new entries first, because only they can be refused; then delete the old ones. Different values may have the
        // same key, such as zero and negative zero: their entry stays.
        for (done, index) in touched.enumerated() {
            let form = try newEntry(of: table, index, recordKey, &scratch)
            try oldEntry(of: old, index, recordKey, &scratch)
            if scratch.isUnmoved { continue }
            if let holder = try put(index, form, record, recordKey, type, to: &raw, scratch: &scratch) {
                for earlier in touched[..<done] {
                    _ = try newEntry(of: table, earlier, recordKey, &scratch)
                    try oldEntry(of: old, earlier, recordKey, &scratch)
                    if !scratch.isUnmoved { try raw.delete(earlier.database, key: scratch.newEntryKey) }
                }
                return UniqueViolation(index: index, holder: holder)
            }
        }
        for index in touched {
            _ = try newEntry(of: table, index, recordKey, &scratch)
            try oldEntry(of: old, index, recordKey, &scratch)
            if !scratch.isUnmoved { try deleteOldEntry(of: index, recordKey, from: &raw, scratch) }
        }
        for index in all where index.isMultiple {
            try MultipleEntries.move(
                from: MultipleEntries.of(old.table, index, recordKey: recordKey.bytes),
                to: MultipleEntries.of(table, index, recordKey: recordKey.bytes), index, in: &raw)
        }
        return nil
    }

    private static func deleteOldEntry(
        of index: OpenIndex, _ recordKey: borrowing ByteWriter, from raw: inout LMDBWriteTransaction,
        _ scratch: borrowing WriteScratch
    ) throws {
        // While a unique index is built, it may lack this record and contain another record with the same value.
        if index.stored.isBuilding, try holder(index, raw, at: scratch.oldEntryKey) != recordKey.array() { return }
        try raw.delete(index.database, key: scratch.oldEntryKey)
    }

    /// Computes the entry of a new record.
    private static func newEntry(
        of table: FieldTable, _ index: OpenIndex, _ recordKey: borrowing ByteWriter, _ scratch: inout WriteScratch
    ) throws(CodecError) -> Form {
        scratch.newEntryKey.removeAll()
        let traits = try IndexEntry.appendValue(of: table, index, to: &scratch.newEntryKey)
        let isSole = IndexEntry.complete(
            isUnique: index.stored.isUnique, traits: traits, recordKey: recordKey.bytes,
            key: &scratch.newEntryKey, data: &scratch.newEntryData)
        return Form(isSole: isSole, needsScan: index.stored.isUnique && traits.isTruncated && !traits.hasNone)
    }

    /// Computes the entry of a stored record.
    private static func oldEntry(
        of old: RecordBytes, _ index: OpenIndex, _ recordKey: borrowing ByteWriter,
        _ scratch: inout WriteScratch
    ) throws(CodecError) {
        scratch.oldEntryKey.removeAll()
        let traits = try IndexEntry.appendValue(of: old.table, index, to: &scratch.oldEntryKey)
        _ = IndexEntry.complete(
            isUnique: index.stored.isUnique, traits: traits, recordKey: recordKey.bytes,
            key: &scratch.oldEntryKey, data: &scratch.oldEntryData)
    }

    /// Puts the new entry in the scratch.
    ///
    /// - Returns: the record that already has the value, if the index is unique; otherwise nil.
    private static func put(
        _ index: OpenIndex, _ form: Form, _ record: borrowing FieldEncoder, _ recordKey: borrowing ByteWriter,
        _ type: OpenType, to raw: inout LMDBWriteTransaction, scratch: inout WriteScratch
    ) throws -> LongValue.Holder? {
        if form.needsScan {
            let table = try FieldTable(record.tableBytes)
            let holder = try LongValue.holder(
                of: table, key: scratch.newEntryKey.bytes, besides: recordKey.bytes, index, type,
                limit: LongValue.maximumCollisions, raw.snapshot)
            if let holder { return holder }
        }
        let options: LMDBWriteTransaction.PutOptions = form.isSole ? .noOverwrite : []
        if try raw.put(index.database, key: scratch.newEntryKey, value: scratch.newEntryData, options: options) {
            return nil
        }
        return LongValue.Holder(key: try holder(index, raw, at: scratch.newEntryKey), hasValue: true)
    }

    /// Returns the key of the record that an entry refers to; empty if there is no entry.
    private static func holder(
        _ index: OpenIndex, _ raw: borrowing LMDBWriteTransaction, at key: borrowing ByteWriter
    ) throws -> [UInt8] {
        guard let data = try raw.snapshot.get(index.database, key: key.bytes) else { return [] }
        return try IndexEntry.recordKey(key: key.bytes, data: data).array()
    }
}
