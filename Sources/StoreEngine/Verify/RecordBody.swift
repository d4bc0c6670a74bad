/// Reads a record's bytes by the catalog alone, in the version that the record has.
enum RecordBody {
    /// Calls `body` with the name of each field that does not decode, and with the reason. Throws an error when the bytes cannot
    /// be divided into fields.
    static func checkFields(
        _ record: RecordBytes, of type: RecordType, _ body: (_ field: String, _ problem: String) -> Void
    ) throws(CodecError) {
        let fields = try type.fields(ofVersion: record.schemaVersion)
        let table = try record.table
        guard table.count == fields.count else {
            throw CodecError("the record has \(table.count) fields, but its version has \(fields.count)")
        }
        try table.requireExactFill()
        for (fieldIndex, field) in fields.enumerated() {
            if let problem = FieldVerifier.problem(try table.field(fieldIndex), field.type) {
                body(field.name, problem)
            }
        }
    }

    /// Returns the key that the record's id gives; nil for a record of a version with another id.
    static func key(of record: RecordBytes, _ type: OpenType) throws(CodecError) -> [UInt8]? {
        var key = ByteWriter(capacity: 64)
        guard try appendIDKey(of: record, type, to: &key) else { return nil }
        KeyLimit.truncateRecordKey(&key)
        return key.array()
    }

    /// Appends the untruncated key of the record's id. Returns false for a record of a version with another id.
    @discardableResult
    static func appendIDKey(
        of record: RecordBytes, _ type: OpenType, to key: inout ByteWriter
    ) throws(CodecError) -> Bool {
        guard let fieldIndexes = try idFieldIndexes(of: record, type) else { return false }
        let table = try record.table
        for (part, fieldIndex) in zip(type.idParts, fieldIndexes) {
            try part.component.append(table.field(fieldIndex), to: &key)
        }
        return true
    }

    /// Returns the indexes of the id's fields in a record of any version; nil for a version with another id. The encoding of
    /// these fields is the same in all other versions.
    private static func idFieldIndexes(of record: RecordBytes, _ type: OpenType) throws(CodecError) -> [Int]? {
        guard type.type.hasNewestID(inVersion: record.schemaVersion) else { return nil }
        let fields = try type.type.fields(ofVersion: record.schemaVersion)
        let fieldIndexes = type.type.idFields.map { number in fields.firstIndex { $0.id == number } }
        let found = fieldIndexes.compactMap { $0 }
        guard found.count == fieldIndexes.count else { throw CodecError("the record lacks a field of its id") }
        return found
    }

    /// Returns the integer that the store assigned as the record's id; 0 where it is none or negative.
    static func assignedID(of record: RecordBytes, _ type: OpenType) -> UInt64 {
        guard let newest = type.assignedFieldIndex, let fieldIndex = try? idFieldIndexes(of: record, type)?.first,
            let bytes = try? record.table.field(fieldIndex),
            let value = try? DynamicValue(from: bytes, as: type.type.fields[newest].type)
        else { return 0 }
        return switch value {
        case .int(let value): UInt64(max(value, 0))
        case .uint(let value): value
        default: 0
        }
    }

    /// Returns the name of the record for messages: its id, even where other fields are damaged, or its key where the id cannot
    /// be read.
    static func name(_ bytes: RawSpan, key: RawSpan, _ type: OpenType) -> String {
        do {
            let record = try RecordBytes(unverified: bytes)
            guard let fieldIndexes = try idFieldIndexes(of: record, type) else { return HexText.of(key) }
            let table = try record.table
            var texts: [String] = []
            for (part, fieldIndex) in zip(type.idParts, fieldIndexes) {
                texts.append(
                    try DynamicValue(from: table.field(fieldIndex), as: type.type.fields[part.fieldIndex].type).text)
            }
            return texts.count == 1 ? texts[0] : "(" + texts.joined(separator: ", ") + ")"
        } catch {
            return HexText.of(key)
        }
    }
}

extension RecordBytes {
    /// Returns whether the checksum of a record matches its bytes.
    static func isIntact(_ bytes: RawSpan) -> Bool {
        guard let stored = try? bytes.loadInteger(at: 0, as: UInt32.self), bytes.byteCount >= headerByteCount else {
            return false
        }
        return stored == checksum(of: bytes)
    }
}
