import LMDB

/// Adds the entries of records that are older than an index, one chunk in each transaction.
///
/// The metadata records the progress in the same transaction as the entries. Another process, or the next process after a crash,
/// continues from there. Meanwhile every write keeps the index up to date. If a write has added an entry already, the builder
/// stores the same entry again.
package enum IndexBuilding {
    /// The progress of the construction of an index.
    package struct Step: Sendable {
        /// The number of records that have their entries.
        package let doneCount: Int
        /// Whether all records have their entries.
        package let isComplete: Bool
    }

    /// Adds the entries of at most `limit` more records.
    ///
    /// - Throws: ``StoreError``: `uniqueViolation` if two records have the same value and the index is unique; `damaged`.
    static func step(
        _ type: OpenType, _ index: OpenIndex, limit: Int, _ databases: StoreDatabases,
        in raw: inout LMDBWriteTransaction, onDuplicate: ((StoreError) -> Void)? = nil
    ) throws(StoreError) -> Step {
        let key = MetadataKey.building(type: type.type.id, index: index.stored.id)
        do {
            var state = try readState(key, databases, raw.snapshot)
            let chunk = try collect(type, index, after: state.last, limit: limit, raw.snapshot)
            for entry in chunk.entries {
                for expected in entry.expected { try put(expected, of: entry, type, index, in: &raw, onDuplicate) }
            }
            state.doneCount += chunk.entries.count
            if chunk.isLast {
                unsafe try raw.delete(databases.metadata, key: key.span.bytes)
                return Step(doneCount: state.doneCount, isComplete: true)
            }
            state.last = chunk.entries.last?.recordKey ?? state.last
            var encoded = ByteWriter(capacity: 64)
            encoded.append(UInt64(state.doneCount))
            encoded.append(state.last)
            unsafe try raw.put(databases.metadata, key: key.span.bytes, value: encoded.bytes)
            return Step(doneCount: state.doneCount, isComplete: false)
        } catch let error as StoreError {
            throw error
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch {
            throw StoreError(
                .damaged, "the \(type.name) cannot be indexed: \(ErrorText.of(error))", remedy: "run store-cli verify")
        }
    }

    private struct Entry {
        let recordKey: [UInt8]
        let expected: [ExpectedEntry]
    }

    /// Returns the entries of the next records. The caller writes them after this walk, because a write moves pages under a
    /// cursor of LMDB.
    private static func collect(
        _ type: OpenType, _ index: OpenIndex, after last: [UInt8], limit: Int, _ snapshot: LMDBSnapshot
    ) throws -> (entries: [Entry], isLast: Bool) {
        var entries: [Entry] = []
        var cursor = try snapshot.openCursor(type.database)
        var isPositioned = unsafe last.isEmpty ? try cursor.first() : try cursor.seek(atLeast: last.span.bytes)
        if !last.isEmpty, isPositioned, unsafe cursor.key.isEqual(to: last.span.bytes) {
            isPositioned = try cursor.next()
        }
        while isPositioned, entries.count < limit {
            let recordKey = cursor.key.array()
            let expected = try type.withNewest(RecordBytes(cursor.value)) { (newest) throws(CodecError) in
                unsafe try ExpectedEntry.all(of: newest, key: recordKey.span.bytes, index)
            }
            entries.append(Entry(recordKey: recordKey, expected: expected))
            isPositioned = try cursor.next()
        }
        return (entries, !isPositioned)
    }

    private static func put(
        _ expected: ExpectedEntry, of entry: Entry, _ type: OpenType, _ index: OpenIndex,
        in raw: inout LMDBWriteTransaction, _ onDuplicate: ((StoreError) -> Void)?
    ) throws {
        let key = unsafe expected.key.span.bytes
        if index.stored.isUnique, let holder = try holder(of: expected, entry, type, index, raw.snapshot) {
            let error = duplicate(entry, holder: holder, type, index, raw.snapshot)
            guard let onDuplicate else { throw error }
            return onDuplicate(error)
        }
        unsafe try raw.put(index.database, key: key, value: expected.data.span.bytes)
    }

    /// Returns the key of another record that has the entry's value; nil if there is none.
    private static func holder(
        of expected: ExpectedEntry, _ entry: Entry, _ type: OpenType, _ index: OpenIndex, _ snapshot: LMDBSnapshot
    ) throws -> [UInt8]? {
        let key = unsafe expected.key.span.bytes
        if expected.isSole {
            guard let data = try snapshot.get(index.database, key: key),
                let other = try IndexEntry.soleRecordKey(data)?.array(), other != entry.recordKey
            else { return nil }
            return other
        }
        guard expected.traits.isTruncated, !expected.traits.hasNone,
            let bytes = unsafe try snapshot.get(type.database, key: entry.recordKey.span.bytes)
        else { return nil }
        var holder: [UInt8]?
        try withNewest(bytes, type) { newest in
            holder = unsafe try LongValue.holder(
                of: newest.table, key: key, besides: entry.recordKey.span.bytes, index, type, limit: .max,
                snapshot)?.key
        }
        return holder
    }

    private static func withNewest(_ bytes: RawSpan, _ type: OpenType, _ body: (RecordBytes) throws -> Void) throws {
        let record = try RecordBytes(unverified: bytes)
        guard let upgrade = try type.upgrade(fromVersion: record.schemaVersion) else { return try body(record) }
        let newest = try upgrade.apply(to: record)
        unsafe try body(RecordBytes(unverified: newest.span.bytes))
    }

    private static func duplicate(
        _ entry: Entry, holder: [UInt8], _ type: OpenType, _ index: OpenIndex, _ snapshot: LMDBSnapshot
    ) -> StoreError {
        func text(_ key: [UInt8]) -> String {
            guard let bytes = unsafe try? snapshot.get(type.database, key: key.span.bytes) else { return "?" }
            return RecordText.id(bytes, type)
        }
        let names = index.fieldNames(in: type.type)
        return StoreError(
            .uniqueViolation,
            "the records \(text(holder)) and \(text(entry.recordKey)) of \(type.name) have the same \(names), "
                + "which must be unique",
            remedy: "change or delete one of them, then try again")
    }

    private struct State {
        var doneCount = 0
        var last: [UInt8] = []
    }

    private static func readState(
        _ key: [UInt8], _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws -> State {
        guard let bytes = unsafe try snapshot.get(databases.metadata, key: key.span.bytes) else { return State() }
        let count = try bytes.loadInteger(at: 0, as: UInt64.self)
        return State(doneCount: Int(clamping: count), last: bytes.extracting(8..<bytes.byteCount).array())
    }
}
