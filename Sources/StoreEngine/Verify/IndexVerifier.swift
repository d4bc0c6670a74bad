import LMDB

/// Verifies an index by its entries: each entry must lead to a record that has exactly this entry.
final class IndexVerifier {
    private let type: OpenType
    private let index: OpenIndex
    /// In a unique index, the truncated value part that the walk has reached, and the whole values seen under that part.
    private var sharedPart: [UInt8] = []
    private var sharedValues: Set<[UInt8]> = []

    init(_ type: OpenType, _ index: OpenIndex) {
        self.type = type
        self.index = index
    }

    func run(_ snapshot: LMDBSnapshot, _ report: VerifyReport) throws {
        var cursor = try snapshot.openCursor(index.database)
        var count = 0
        var isPositioned = try cursor.first()
        while isPositioned {
            report.visit()
            count += 1
            try check(key: cursor.key, data: cursor.value, snapshot, report)
            isPositioned = try cursor.next()
        }
        report.summary.entryCount += count
        let counted = try snapshot.statistics(of: index.database).entries
        if counted != count {
            report.add(
                .wrongCount,
                at: .database(StoreDatabases.indexName(type: type.type.id, index: index.stored.id)),
                "the database counts \(counted) entries, but a walk finds \(count)")
        }
    }

    private func check(key: RawSpan, data: RawSpan, _ snapshot: LMDBSnapshot, _ report: VerifyReport) throws {
        let location = VerifyLocation.entry(
            type: type.name, fields: index.fieldNames(in: type.type), key: HexText.of(key))
        do {
            let recordKey = try IndexEntry.recordKey(key: key, data: data)
            guard recordKey.byteCount <= KeyLimit.recordKey else {
                throw CodecError("it names a record key of \(recordKey.byteCount) bytes")
            }
            guard let bytes = try snapshot.get(type.database, key: recordKey) else {
                return report.add(
                    .strayEntry, at: location, "it leads to the key \(HexText.of(recordKey)), which has no record")
            }
            // The expected entry of a damaged record is unknown. The walk over the records reports the damage.
            guard RecordBytes.isIntact(bytes), let found = try? expectation(bytes, recordKey: recordKey) else { return }
            guard let expected = found.entries.first(where: { unsafe key.isEqual(to: $0.key.span.bytes) }) else {
                let name = RecordBody.name(bytes, key: recordKey, type)
                return report.add(.strayEntry, at: location, "it leads to the record \(name), which has another value")
            }
            guard unsafe data.isEqual(to: expected.data.span.bytes) else {
                throw CodecError(
                    "it should hold \(unsafe HexText.of(expected.data.span.bytes)), found \(HexText.of(data))")
            }
            if let value = found.wholeValue { checkUnique(value, expected, recordKey: recordKey, location, report) }
        } catch let error as CodecError {
            report.add(.undecodable, at: location, error.reason)
        }
    }

    /// Returns the entries that a record must have in the index. Also returns the record's whole value, if the index is unique
    /// and the entry holds only part of the value.
    private func expectation(
        _ bytes: RawSpan, recordKey: RawSpan
    ) throws(CodecError) -> (entries: [ExpectedEntry], wholeValue: [UInt8]?) {
        try type.withNewest(RecordBytes(unverified: bytes)) { (newest) throws(CodecError) in
            let expected = try ExpectedEntry.all(of: newest, key: recordKey, index)
            guard index.stored.isUnique, let only = expected.first, only.traits.isTruncated, !only.traits.hasNone else {
                return (expected, nil)
            }
            let table = try newest.table
            var whole = ByteWriter(capacity: 512)
            for part in index.parts { try part.component.append(table.field(part.fieldIndex), to: &whole) }
            return (expected, whole.array())
        }
    }

    // LMDB refuses a second entry of the sole form. Long values use the shared form and may have the same truncated part, so the
    // whole values are compared.
    private func checkUnique(
        _ value: [UInt8], _ expected: ExpectedEntry, recordKey: RawSpan, _ location: VerifyLocation,
        _ report: VerifyReport
    ) {
        let part = Array(expected.key.dropLast(recordKey.byteCount))
        if part != sharedPart {
            sharedPart = part
            sharedValues = []
        }
        if !sharedValues.insert(value).inserted {
            report.add(.duplicateValue, at: location, "another record has the same value, but the index is unique")
        }
    }
}
