import LMDB

/// Verifies the records of a type: each record itself, its state in the feed, its entry in each index, and its references.
final class RecordVerifier {
    /// The greatest assigned id among the records.
    private(set) var greatestID: UInt64 = 0
    /// The sum of the records; nil if it is not wanted.
    private(set) var content: ContentSum?
    private let type: OpenType
    private let states: FeedStates
    private let references: ReferenceVerifier

    init(_ type: OpenType, states: FeedStates, references: ReferenceVerifier, sumsContent: Bool) {
        content = sumsContent ? ContentSum() : nil
        self.type = type
        self.states = states
        self.references = references
    }

    func run(_ snapshot: LMDBSnapshot, _ report: VerifyReport) throws {
        var cursor = try snapshot.openCursor(type.database)
        var count = 0
        var isPositioned = try cursor.first()
        while isPositioned {
            report.visit()
            count += 1
            try check(key: cursor.key, value: cursor.value, snapshot, report)
            isPositioned = try cursor.next()
        }
        report.summary.recordCount += count
        let counted = try snapshot.statistics(of: type.database).entries
        if counted != count {
            report.add(
                .wrongCount, at: .database(StoreDatabases.recordsName(type: type.type.id)),
                "the database counts \(counted) records, but a walk finds \(count)")
        }
    }

    private func check(key: RawSpan, value: RawSpan, _ snapshot: LMDBSnapshot, _ report: VerifyReport) throws {
        let name = RecordBody.name(value, key: key, type)
        func location(_ field: String? = nil) -> VerifyLocation { .record(type: type.name, id: name, field: field) }
        let state = states.take(type: type.type.id, key: key)
        var isWhole = true
        do {
            let record = try RecordBytes(unverified: value)
            guard RecordBytes.isIntact(value) else {
                return report.add(.checksum, at: location(), "the record's checksum does not match its bytes")
            }
            try RecordBody.checkFields(record, of: type.type) { field, problem in
                isWhole = false
                report.add(.undecodable, at: location(field), problem)
            }
            greatestID = max(greatestID, RecordBody.assignedID(of: record, type))
            guard isWhole else { return }
            guard let expected = try RecordBody.key(of: record, type, type.keyHash) else {
                throw CodecError("the record has version \(record.schemaVersion), which had another id")
            }
            guard unsafe key.isEqual(to: expected.span.bytes) else {
                return report.add(
                    .wrongKey, at: location(),
                    "the record has the key \(HexText.of(key)), but its id gives \(unsafe HexText.of(expected.span.bytes))"
                )
            }
            states.compare(record, with: state, at: location(), report)
            if var sum = content {
                try type.withNewest(record) { (newest) throws(CodecError) in
                    sum.add(newest.bytes, type: type.type.id)
                }
                content = sum
            }
            // An index that is still being built lacks entries, but has no wrong ones: the walk over the index checks that.
            for index in type.indexes where !index.stored.isBuilding {
                let entries = try type.withNewest(record) { (newest) throws(CodecError) in
                    try ExpectedEntry.all(of: newest, key: key, index)
                }
                for entry in entries { try check(entry, index, location(), snapshot, report) }
            }
            try references.check(record, of: type, snapshot) { field, problem in
                report.add(.danglingReference, at: location(field), problem)
            }
        } catch let error as CodecError {
            report.add(.undecodable, at: location(), error.reason)
        }
    }

    private func check(
        _ expected: ExpectedEntry, _ index: OpenIndex, _ location: VerifyLocation, _ snapshot: LMDBSnapshot,
        _ report: VerifyReport
    ) throws {
        let fields = index.fieldNames(in: type.type)
        guard let data = unsafe try snapshot.get(index.database, key: expected.key.span.bytes) else {
            return report.add(
                .missingEntry, at: location,
                "the index (\(fields)) lacks the entry \(unsafe HexText.of(expected.key.span.bytes))")
        }
        guard unsafe !data.isEqual(to: expected.data.span.bytes), expected.isSole,
            let other = try? IndexEntry.recordKey(key: data, data: data)
        else { return }
        // One of the two records must be wrong. The walk over the index reports which entry leads elsewhere.
        report.add(
            .missingEntry, at: location,
            "the entry of its value in the unique index (\(fields)) leads to the record under \(HexText.of(other))")
    }
}
