package import LMDB

/// Creates samples of existing records.
package enum SampleBuilder {
    /// The maximum number of records of a type for which opening the store creates a missing sample.
    package static let maximumRecordsAtOpen = 100_000

    /// Creates the sample of a type that has none, unless that would take long.
    ///
    /// This gives a sample to a new type, and to the types of a store that was created before there were statistics.
    package static func makeMissing(
        of type: OpenType, _ database: LMDBDatabase, in raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Bool {
        guard try lacksSample(type, database, raw.snapshot) else { return false }
        try rebuild(type, database, in: &raw)
        return true
    }

    /// Returns whether a type has no sample and gets one when the store is opened.
    package static func lacksSample(
        _ type: OpenType, _ database: LMDBDatabase, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> Bool {
        try mapLMDB { () throws(LMDBError) in
            guard try RecordSample.state(of: type.type.id, database, snapshot) == nil else { return false }
            return try snapshot.statistics(of: type.database).entries <= maximumRecordsAtOpen
        }
    }

    /// Recreates the sample of a type, after its records were written without write transactions.
    ///
    /// - Complexity: linear in the number of records. It reads all keys, and the sampled records.
    package static func rebuild(
        _ type: OpenType, _ database: LMDBDatabase, in raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        try mappingErrors(type) {
            var sample = SampleState.empty
            let keys = try sampledKeys(of: type, raw.snapshot, &sample)
            try replaceEntries(of: type, by: keys, database, in: &raw)
            try RecordSample.write(sample, of: type.type.id, database, to: &raw)
        }
    }

    /// Updates the sample of a type after a change of its fields or indexes.
    ///
    /// - Complexity: linear in the size of the sample, which is bounded.
    package static func refresh(
        _ type: OpenType, _ database: LMDBDatabase, in raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        try mappingErrors(type) {
            let keys = try RecordSample.keys(of: type.type.id, database, raw.snapshot) {
                SampleKey.index(of: $0) == SampleKey.records
            }
            let recordKeys = keys.map { key in unsafe SampleKey.value(of: key.span.bytes).array() }
            try replaceEntries(of: type, by: recordKeys, database, in: &raw)
        }
    }

    private static func replaceEntries(
        of type: OpenType, by recordKeys: [[UInt8]], _ database: LMDBDatabase, in raw: inout LMDBWriteTransaction
    ) throws {
        for key in try RecordSample.keys(of: type.type.id, database, raw.snapshot, where: { _ in true }) {
            unsafe try raw.delete(database, key: key.span.bytes)
        }
        for recordKey in recordKeys { try add(recordKey, type, database, to: &raw) }
    }

    /// Returns the keys of the sampled records, at the lowest level at which the sample is within its limit.
    private static func sampledKeys(
        of type: OpenType, _ snapshot: LMDBSnapshot, _ sample: inout SampleState
    ) throws(LMDBError) -> [[UInt8]] {
        var keys: [(key: [UInt8], hash: UInt64)] = []
        var cursor = try snapshot.openCursor(type.database)
        var isPositioned = try cursor.first()
        while isPositioned {
            let hash = SampleKey.hash(cursor.key)
            if sample.includes(hash) {
                keys.append((cursor.key.array(), hash))
                while keys.count > SampleState.maximumCount, sample.level < SampleState.lastLevel {
                    sample.level += 1
                    keys.removeAll { !sample.includes($0.hash) }
                }
            }
            isPositioned = try cursor.next()
        }
        sample.count = keys.count
        return keys.map(\.key)
    }

    private static func add(
        _ key: [UInt8], _ type: OpenType, _ database: LMDBDatabase, to raw: inout LMDBWriteTransaction
    ) throws {
        var recordKey = ByteWriter(capacity: 64)
        recordKey.append(key)
        var stored = ByteWriter()
        var record = ByteWriter()
        guard try raw.copy(type.database, key: recordKey, to: &stored) else { return }
        try type.withNewest(RecordBytes(unverified: stored.bytes)) { (newest) throws(CodecError) in
            record.append(newest.bytes)
        }
        var scratch = ByteWriter(capacity: 512)
        try RecordSample.apply(
            .put, record, key: recordKey, hash: SampleKey.hash(recordKey.bytes), type, database, to: &raw,
            scratch: &scratch)
    }

    private static func mappingErrors(_ type: OpenType, _ body: () throws -> Void) throws(StoreError) {
        do {
            try body()
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch let error as CodecError {
            throw StoreError(error, at: "a record of \(type.name), which its statistics need")
        } catch {
            throw StoreError(.other, "\(error)")
        }
    }
}
