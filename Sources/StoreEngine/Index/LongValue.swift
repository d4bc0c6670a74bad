import LMDB

/// Values of a unique index that are too long for its keys. Several of them may share a truncated part, so their records are
/// compared.
enum LongValue {
    /// The most other values with the same truncated part that a write compares. Only a program that computes such values exceeds
    /// it, in a store without a secret: see ``KeyHash``. Without a limit, each further value would take longer to write.
    static let maximumCollisions = 64

    /// A record that keeps another from having a value.
    struct Holder {
        let key: [UInt8]
        /// Whether it has the value. If not, it is the last of as many records as may share a truncated part.
        let hasValue: Bool
    }

    /// Returns another record with the same value; nil if there is none.
    ///
    /// - Parameters:
    ///   - table: the fields of the record that has the value, in the form of the newest version.
    ///   - key: an entry's key that begins with the truncated value.
    ///   - recordKey: the key of the record itself, which the search ignores.
    ///   - limit: the most other values to compare.
    static func holder(
        of table: FieldTable, key: RawSpan, besides recordKey: RawSpan, _ index: OpenIndex, _ type: OpenType,
        limit: Int, _ snapshot: LMDBSnapshot
    ) throws -> Holder? {
        let valuePart = key.extracting(first: KeyLimit.indexValue)
        let value = try whole(index, table)
        var count = 0
        var cursor = try snapshot.openCursor(index.database)
        var isPositioned = try cursor.seek(atLeast: valuePart)
        while isPositioned, cursor.key.extracting(first: KeyLimit.indexValue).isEqual(to: valuePart) {
            let other = try IndexEntry.recordKey(key: cursor.key, data: cursor.value).array()
            if unsafe !recordKey.isEqual(to: other.span.bytes),
                let stored = unsafe try snapshot.get(type.database, key: other.span.bytes)
            {
                let isEqual = try type.withNewest(RecordBytes(stored)) { (newest) throws(CodecError) in
                    try whole(index, newest.table) == value
                }
                count += 1
                if isEqual || count == limit { return Holder(key: other, hasValue: isEqual) }
            }
            isPositioned = try cursor.next()
        }
        return nil
    }

    private static func whole(_ index: OpenIndex, _ table: FieldTable) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter(capacity: 512)
        for part in index.parts { try part.component.append(table.field(part.fieldIndex), to: &writer) }
        return writer.array()
    }
}
