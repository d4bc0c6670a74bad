/// The entry that a record must have in an index.
struct ExpectedEntry {
    let key: [UInt8]
    let data: [UInt8]
    let traits: IndexEntry.ValueTraits
    let isSole: Bool

    /// - Parameter record: in the form of the newest version.
    init(of record: RecordBytes, key recordKey: RawSpan, _ index: OpenIndex) throws(CodecError) {
        var key = ByteWriter(capacity: 64)
        var data = ByteWriter(capacity: 64)
        traits = try IndexEntry.appendValue(of: record.table, parts: index.parts, to: &key)
        isSole = IndexEntry.complete(
            isUnique: index.stored.isUnique, traits: traits, recordKey: recordKey, key: &key, data: &data)
        self.key = key.array()
        self.data = data.array()
    }
}
