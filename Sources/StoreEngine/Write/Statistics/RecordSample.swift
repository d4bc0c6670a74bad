package import LMDB

/// The sample of a record type in the database `statistics`. For each sampled record it contains the key, and the value part of
/// its entry in each index that has one entry for each record.
package enum RecordSample {
    /// Returns the state of a type's sample. Returns nil if there is none, because the store was created before there were
    /// statistics.
    package static func state(
        of type: UInt32, _ database: LMDBDatabase, _ snapshot: LMDBSnapshot
    ) throws(LMDBError) -> SampleState? {
        var key = ByteWriter(capacity: SampleKey.stateByteCount)
        SampleKey.appendState(type: type, to: &key)
        guard let found = try snapshot.get(database, key: key.bytes) else { return nil }
        return SampleState(found)
    }

    static func write(
        _ state: SampleState, of type: UInt32, _ database: LMDBDatabase, to raw: inout LMDBWriteTransaction
    ) throws(LMDBError) {
        var key = ByteWriter(capacity: SampleKey.stateByteCount)
        SampleKey.appendState(type: type, to: &key)
        var value = ByteWriter(capacity: 16)
        state.encode(to: &value)
        try raw.put(database, key: key.bytes, value: value.bytes)
    }

    /// The operation on a record's sample entries.
    enum Step {
        case put, delete
    }

    /// Puts or deletes the entries of a record in the sample of its type. The record is in the form of the newest version.
    ///
    /// - Parameters:
    ///   - key: a buffer.
    static func apply(
        _ step: Step, _ record: borrowing ByteWriter, key recordKey: borrowing ByteWriter, hash: UInt64,
        _ type: OpenType, _ database: LMDBDatabase, to raw: inout LMDBWriteTransaction,
        scratch key: inout ByteWriter
    ) throws {
        let table = try RecordBytes(unverified: record.bytes).table
        for index in type.singleIndexes {
            try appendKey(of: table, hash: hash, type, index, to: &key)
            try apply(step, database, to: &raw, key: key)
        }
        appendKey(ofRecord: recordKey.bytes, hash: hash, type, to: &key)
        try apply(step, database, to: &raw, key: key)
    }

    /// Puts the entries of a record that is about to be stored.
    static func put(
        _ record: borrowing FieldEncoder, key recordKey: borrowing ByteWriter, hash: UInt64, _ type: OpenType,
        _ database: LMDBDatabase, to raw: inout LMDBWriteTransaction, scratch key: inout ByteWriter
    ) throws {
        let table = try FieldTable(record.tableBytes)
        for index in type.singleIndexes {
            try appendKey(of: table, hash: hash, type, index, to: &key)
            try apply(.put, database, to: &raw, key: key)
        }
        appendKey(ofRecord: recordKey.bytes, hash: hash, type, to: &key)
        try apply(.put, database, to: &raw, key: key)
    }

    private static func apply(
        _ step: Step, _ database: LMDBDatabase, to raw: inout LMDBWriteTransaction, key: borrowing ByteWriter
    ) throws(LMDBError) {
        switch step {
        case .put: try raw.put(database, key: key.bytes, value: RawSpan())
        case .delete: try raw.delete(database, key: key.bytes)
        }
    }

    /// Sets `key` to the key of a record's sample entry for an index.
    package static func appendKey(
        of table: FieldTable, hash: UInt64, _ type: OpenType, _ index: OpenIndex,
        to key: inout ByteWriter
    ) throws(CodecError) {
        key.removeAll()
        SampleKey.appendPrefix(type: type.type.id, index: index.stored.id, to: &key)
        _ = try IndexEntry.appendValue(of: table, index, to: &key)
        key.append(bigEndian: hash)
    }

    /// Sets `key` to the key of a record's sample entry for the records themselves.
    package static func appendKey(
        ofRecord recordKey: RawSpan, hash: UInt64, _ type: OpenType, to key: inout ByteWriter
    ) {
        key.removeAll()
        SampleKey.appendPrefix(type: type.type.id, index: SampleKey.records, to: &key)
        key.append(recordKey)
        key.append(bigEndian: hash)
    }

    /// Raises the level until the sample is within its limit.
    static func shrink(
        _ state: inout SampleState, of type: UInt32, _ database: LMDBDatabase, in raw: inout LMDBWriteTransaction
    ) throws {
        while state.count > SampleState.maximumCount, state.level < SampleState.lastLevel {
            state.level += 1
            let dropped = try keys(of: type, database, raw.snapshot) { try !state.includes(SampleKey.hash(of: $0)) }
            for key in dropped {
                unsafe try raw.delete(database, key: key.span.bytes)
                if unsafe SampleKey.index(of: key.span.bytes) == SampleKey.records { state.count -= 1 }
            }
        }
    }

    /// Returns the keys of a type's entries that `isWanted` accepts. Their number is bounded by the size of the sample.
    static func keys(
        of type: UInt32, _ database: LMDBDatabase, _ snapshot: LMDBSnapshot, where isWanted: (RawSpan) throws -> Bool
    ) throws -> [[UInt8]] {
        var prefix = ByteWriter(capacity: 16)
        SampleKey.appendState(type: type, to: &prefix)
        var found: [[UInt8]] = []
        var cursor = try snapshot.openCursor(database)
        var isPositioned = try cursor.seek(atLeast: prefix.bytes)
        while isPositioned, cursor.key.extracting(first: prefix.count).isEqual(to: prefix.bytes) {
            if cursor.key.byteCount > SampleKey.stateByteCount, try isWanted(cursor.key) {
                found.append(cursor.key.array())
            }
            isPositioned = try cursor.next()
        }
        return found
    }
}
