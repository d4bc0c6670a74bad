/// A record without its Swift type: a value for each of the type's newest fields.
package struct DynamicRecord: Hashable, Sendable {
    /// The values, in the order of the type's newest fields.
    package var values: [DynamicValue]

    package init(values: [DynamicValue]) { self.values = values }

    /// Decodes a stored record and checks its checksum.
    package init(_ bytes: RawSpan, of type: OpenType) throws(CodecError) {
        try self.init(RecordBytes(bytes), of: type)
    }

    /// Decodes a record without checking its checksum. A record that is not yet sealed has the newest version.
    package init(unverified bytes: RawSpan, of type: OpenType) throws(CodecError) {
        let record = try RecordBytes(unverified: bytes)
        if record.schemaVersion == 0 {
            try self.init(record.table, of: type)
        } else {
            try self.init(record, of: type)
        }
    }

    /// Decodes the fields of a record of the newest version.
    package init(table bytes: RawSpan, of type: OpenType) throws(CodecError) {
        try self.init(FieldTable(bytes), of: type)
    }

    private init(_ record: RecordBytes, of type: OpenType) throws(CodecError) {
        self = try type.withNewest(record) { (newest) throws(CodecError) in
            try DynamicRecord(newest.table, of: type)
        }
    }

    private init(_ table: FieldTable, of type: OpenType) throws(CodecError) {
        values = []
        values.reserveCapacity(type.type.fields.count)
        for (fieldIndex, field) in type.type.fields.enumerated() {
            values.append(try DynamicValue(from: table.field(fieldIndex), as: field.type))
        }
    }
}

extension FieldEncoder {
    /// Encodes a dynamic record.
    ///
    /// - Throws: ``CodecError`` that names the field whose value does not match its type.
    package mutating func encode(_ record: DynamicRecord, of type: OpenType) throws(CodecError) {
        begin(fieldCount: type.type.fields.count)
        for (value, field) in zip(record.values, type.type.fields) {
            var bytes = ByteWriter()
            do {
                try value.encode(as: field.type, to: &bytes)
            } catch {
                throw CodecError("\(field.name): \(error.reason)")
            }
            append(encoded: bytes.bytes)
        }
        try finish()
    }
}
