/// A record without its Swift type: a value for each of the type's newest fields.
package struct DynamicRecord: Hashable, Sendable {
    /// The values, in the order of the type's newest fields.
    package var values: [DynamicValue]

    package init(values: [DynamicValue]) { self.values = values }

    /// Decodes a stored record and checks its checksum.
    package init(_ bytes: RawSpan, of type: OpenType) throws(CodecError) {
        try self.init(RecordBytes(bytes), of: type)
    }

    /// Decodes a record and does not look at its checksum; one that is not sealed yet is of the newest version.
    package init(unverified bytes: RawSpan, of type: OpenType) throws(CodecError) {
        let record = try RecordBytes(unverified: bytes)
        let places = record.schemaVersion == 0 ? nil : try type.places(inVersion: record.schemaVersion)
        try self.init(record.table, places: places, of: type)
    }

    /// Decodes the fields of a record of the newest version.
    package init(table bytes: RawSpan, of type: OpenType) throws(CodecError) {
        try self.init(FieldTable(bytes), places: nil, of: type)
    }

    private init(_ record: RecordBytes, of type: OpenType) throws(CodecError) {
        try self.init(record.table, places: type.places(inVersion: record.schemaVersion), of: type)
    }

    private init(_ table: FieldTable, places: [Int32]?, of type: OpenType) throws(CodecError) {
        values = []
        values.reserveCapacity(type.type.fields.count)
        for (place, field) in type.type.fields.enumerated() {
            let stored = places.map { Int($0[place]) } ?? place
            if stored >= 0 {
                values.append(try DynamicValue(from: table.field(stored), as: field.type))
            } else if case .value(let bytes) = field.schema.defaultValue {
                values.append(unsafe try DynamicValue(from: bytes.span.bytes, as: field.type))
            } else {
                values.append(.none)
            }
        }
    }
}

extension FieldEncoder {
    /// Encodes a dynamic record.
    ///
    /// - Throws: ``CodecError`` naming the field whose value does not fit.
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
