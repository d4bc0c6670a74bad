// A changed record before and after the change, assembled from the entry in the feed.
extension FeedChange {
    /// Whether the change is of a record, and not of a type.
    package var isOfRecord: Bool { kind != .schema && kind != .reset }

    /// The record after the change, as bytes in the version of the write; nil for a delete.
    package var after: [UInt8]? { isOfRecord && kind != .delete ? record : nil }

    /// Returns the record before the change, as bytes in the version of the write; nil for an insert.
    package func before(_ type: RecordType) throws(CodecError) -> [UInt8]? {
        switch kind {
        case .insert, .schema, .reset: return nil
        case .delete: return record
        case .update, .replace: break
        }
        if let replaced { return replaced }
        let after = unsafe try RecordBytes(unverified: record.span.bytes)
        let table = try after.table
        let fields = try type.fields(ofVersion: after.schemaVersion)
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
    /// Returns the fields of records of a version, in their order.
    func fields(ofVersion version: UInt32) throws(CodecError) -> [StoredField] {
        if version == self.version { return fields }
        guard let earlier = earlierVersions.first(where: { $0.version == version }) else {
            throw CodecError("the record has version \(version) of \(name), which the catalog lacks")
        }
        return earlier.fields
    }
}
