/// An entry that a record must have in an index.
struct ExpectedEntry {
    let key: [UInt8]
    let data: [UInt8]
    let traits: IndexEntry.ValueTraits
    let isSole: Bool

    /// Returns all entries of a record in an index: one, or one for each distinct element of its array or set.
    ///
    /// - Parameter record: a record in the form of the newest version.
    static func all(
        of record: RecordBytes, key recordKey: RawSpan, _ index: OpenIndex
    ) throws(CodecError) -> [ExpectedEntry] {
        guard index.isMultiple else { return [try ExpectedEntry(of: record, key: recordKey, index)] }
        return try MultipleEntries.of(record.table, index, recordKey: recordKey).map {
            ExpectedEntry(key: $0.key, data: $0.data, traits: IndexEntry.ValueTraits(), isSole: false)
        }
    }

    private init(key: [UInt8], data: [UInt8], traits: IndexEntry.ValueTraits, isSole: Bool) {
        self.key = key
        self.data = data
        self.traits = traits
        self.isSole = isSole
    }

    private init(of record: RecordBytes, key recordKey: RawSpan, _ index: OpenIndex) throws(CodecError) {
        var key = ByteWriter(capacity: 64)
        var data = ByteWriter(capacity: 64)
        traits = try IndexEntry.appendValue(of: record.table, index, to: &key)
        isSole = IndexEntry.complete(
            isUnique: index.stored.isUnique, traits: traits, recordKey: recordKey, key: &key, data: &data)
        self.key = key.array()
        self.data = data.array()
    }
}
