import LMDB

/// Values of a unique index that are too long for its keys. Several of them may share a truncated part, so their records are
/// compared.
enum LongValue {
    /// Returns the key of another record with the same value; nil if there is none.
    ///
    /// - Parameters:
    ///   - table: the fields of the record that has the value, in the form of the newest version.
    ///   - key: an entry's key that begins with the truncated value.
    ///   - recordKey: the key of the record itself, which the search ignores.
    static func holder(
        of table: FieldTable, key: RawSpan, besides recordKey: RawSpan, _ index: OpenIndex, _ type: OpenType,
        _ snapshot: LMDBSnapshot
    ) throws -> [UInt8]? {
        let valuePart = key.extracting(first: KeyLimit.indexValue)
        let value = try whole(index, table)
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
                if isEqual { return other }
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
