import LMDB

/// Verifies the samples of the records: each sample must hold exactly the entries that the records give at its level.
///
/// A wrong sample makes requests slow, but their results stay right.
struct StatisticsVerifier {
    let type: OpenType
    let database: LMDBDatabase

    func run(_ snapshot: LMDBSnapshot, _ report: VerifyReport) throws {
        let location = VerifyLocation.database(StoreDatabases.statisticsName)
        var key = ByteWriter(capacity: SampleKey.stateByteCount)
        SampleKey.appendState(type: type.type.id, to: &key)
        let stored = try RecordSample.keys(of: type.type.id, database, snapshot) { _ in true }
        guard let state = try RecordSample.state(of: type.type.id, database, snapshot) else {
            if try snapshot.get(database, key: key.bytes) != nil {
                report.add(.undecodable, at: location, "the state of the sample of \(type.name) cannot be read")
            } else if !stored.isEmpty {
                report.add(.missing, at: location, "the state of the sample of \(type.name) is missing")
            }
            return
        }
        var (expected, damaged) = try expectedKeys(state, snapshot)
        let readable = Set(type.indexes.map(\.stored.id))
        var recordCount = 0
        for key in stored {
            report.visit()
            if unsafe SampleKey.index(of: key.span.bytes) == SampleKey.records { recordCount += 1 }
            if expected.remove(key) != nil { continue }
            if let hash = unsafe try? SampleKey.hash(of: key.span.bytes), damaged.contains(hash) { continue }
            // The index is missing, which the verification of the catalog reports.
            if let index = unsafe SampleKey.index(of: key.span.bytes), index < type.type.nextIndexID,
                !readable.contains(index)
            {
                continue
            }
            let text = unsafe HexText.of(key.span.bytes)
            report.add(.strayEntry, at: location, "the sample of \(type.name) holds \(text), which no record has")
        }
        for key in expected.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let text = unsafe HexText.of(key.span.bytes)
            report.add(.missingEntry, at: location, "the sample of \(type.name) lacks \(text)")
        }
        if recordCount != state.count {
            report.add(
                .wrongCount, at: location,
                "the sample of \(type.name) counts \(state.count) records, but the type has \(recordCount)")
        }
    }

    /// Returns the entries that the sample should hold, and the hashes of the keys of damaged records. Damaged records give no
    /// entries. The walk over the records reports them.
    private func expectedKeys(
        _ state: SampleState, _ snapshot: LMDBSnapshot
    ) throws -> (keys: Set<[UInt8]>, damaged: Set<UInt64>) {
        var keys: Set<[UInt8]> = []
        var damaged: Set<UInt64> = []
        var cursor = try snapshot.openCursor(type.database)
        var isPositioned = try cursor.first()
        while isPositioned {
            let hash = SampleKey.hash(cursor.key)
            if state.includes(hash) {
                if let own = try? sampleKeys(of: RecordBytes(cursor.value), key: cursor.key, hash: hash) {
                    keys.formUnion(own)
                } else {
                    damaged.insert(hash)
                }
            }
            isPositioned = try cursor.next()
        }
        return (keys, damaged)
    }

    /// Returns the keys of a record's entries in the sample.
    private func sampleKeys(
        of record: RecordBytes, key recordKey: RawSpan, hash: UInt64
    ) throws(CodecError) -> [[UInt8]] {
        var isWhole = true
        try RecordBody.checkFields(record, of: type.type) { _, _ in isWhole = false }
        guard isWhole else { throw CodecError("the record is damaged") }
        var key = ByteWriter(capacity: 512)
        var keys: [[UInt8]] = []
        try type.withNewest(record) { (newest) throws(CodecError) in
            for index in type.singleIndexes {
                try RecordSample.appendKey(of: newest.table, hash: hash, type, index, to: &key)
                keys.append(key.array())
            }
        }
        RecordSample.appendKey(ofRecord: recordKey, hash: hash, type, to: &key)
        return keys + [key.array()]
    }
}

extension StatisticsVerifier {
    /// Verifies the samples of `types`, and that there are no samples of unknown types.
    static func run(
        _ types: [OpenType], knownTypes: Set<UInt32>, _ database: LMDBDatabase, _ snapshot: LMDBSnapshot,
        _ report: VerifyReport
    ) throws {
        for type in types { try StatisticsVerifier(type: type, database: database).run(snapshot, report) }
        var cursor = try snapshot.openCursor(database)
        var isPositioned = try cursor.first()
        while isPositioned {
            let type = try? UInt32(bigEndian: cursor.key.loadInteger(at: 0, as: UInt32.self))
            if type.map({ !knownTypes.contains($0) }) ?? true {
                report.add(
                    .unknown, at: .database(StoreDatabases.statisticsName),
                    "the entry \(HexText.of(cursor.key)) belongs to no record type")
            }
            isPositioned = try cursor.next()
        }
    }
}
