// A changed record before and after the change, put together from what the feed holds.
extension FeedChange {
    /// Whether it is about a record, and not about a type.
    package var isOfRecord: Bool { kind != .schema && kind != .reset }

    /// The record after the change as bytes of the version that it was written in; nil after a delete.
    package var after: [UInt8]? { isOfRecord && kind != .delete ? record : nil }

    /// The record before the change as bytes of the version that it was written in; nil before an insert.
    package func before(_ type: OpenType) throws(CodecError) -> [UInt8]? {
        switch kind {
        case .insert, .schema, .reset: return nil
        case .delete: return record
        case .update, .replace: break
        }
        if let replaced { return replaced }
        let after = unsafe try RecordBytes(unverified: record.span.bytes)
        let table = try after.table
        let fields = try type.type.fields(ofVersion: after.schemaVersion)
        guard fields.count == table.count else { throw CodecError("a record has \(table.count) fields") }
        var encoder = FieldEncoder.forRecords()
        encoder.begin(fieldCount: fields.count)
        for (fieldIndex, field) in fields.enumerated() {
            if let bytes = earlier.first(where: { $0.field == field.id })?.bytes {
                unsafe encoder.append(encoded: bytes.span.bytes)
            } else {
                encoder.append(encoded: try table.field(fieldIndex))
            }
        }
        try encoder.finish()
        encoder.seal(schemaVersion: after.schemaVersion, incarnation: after.incarnation)
        return encoder.bytes.array()
    }
}

extension RecordType {
    /// The fields that records of a version hold, in their order.
    func fields(ofVersion version: UInt32) throws(CodecError) -> [StoredField] {
        if version == self.version { return fields }
        guard let earlier = earlierVersions.first(where: { $0.version == version }) else {
            throw CodecError("the record follows version \(version) of \(name), which the catalog does not know")
        }
        return earlier.fields
    }
}
