// Ids whose keys are truncated: only the records contain the order of these ids.
extension OpenType {
    /// Returns the whole key of a record's id if the record's key is truncated; otherwise nil.
    ///
    /// - Parameter table: the fields of the record, in the form of the newest version.
    func longID(of table: FieldTable, _ key: RawSpan) throws(CodecError) -> [UInt8]? {
        guard key.byteCount == KeyLimit.recordKey else { return nil }
        var whole = ByteWriter(capacity: 512)
        for part in idParts { try part.component.append(table.field(part.fieldIndex), to: &whole) }
        // A key of exactly the limit's length is not truncated.
        return whole.count > KeyLimit.recordKey ? whole.array() : nil
    }

    /// Appends bytes that sort like the record's id: its key, or the whole key if the record's key is truncated.
    ///
    /// - Parameter table: the fields of the record, in the form of the newest version.
    func appendIDOrder(of table: FieldTable, key: RawSpan, to writer: inout ByteWriter) throws(CodecError) {
        if let longID = try longID(of: table, key) { writer.append(longID) } else { writer.append(key) }
    }
}
