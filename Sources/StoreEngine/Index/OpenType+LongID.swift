// Ids whose keys are truncated: what they are ordered by is in the records alone.
extension OpenType {
    /// The whole key of a record's id where the record's key is a truncated one; nil where it is not.
    ///
    /// - Parameter table: the fields of the record, in the form of the newest version.
    func longID(of table: FieldTable, _ key: RawSpan) throws(CodecError) -> [UInt8]? {
        guard key.byteCount == KeyLimit.recordKey else { return nil }
        var whole = ByteWriter(capacity: 512)
        for part in idParts { try part.component.append(table.field(part.fieldIndex), to: &whole) }
        // One that is just as long as the limit is whole itself.
        return whole.count > KeyLimit.recordKey ? whole.array() : nil
    }

    /// Appends what compares as the record's id does: its key, or the whole of that where it is truncated.
    ///
    /// - Parameter table: the fields of the record, in the form of the newest version.
    func appendIDOrder(of table: FieldTable, key: RawSpan, to writer: inout ByteWriter) throws(CodecError) {
        if let longID = try longID(of: table, key) { writer.append(longID) } else { writer.append(key) }
    }
}
