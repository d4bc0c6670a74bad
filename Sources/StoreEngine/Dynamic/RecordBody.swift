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

    /// Returns whether the checksum of a record matches, and each field is a value of its type in the version of the write.
    static func isSound(_ bytes: RawSpan, of type: RecordType) -> Bool {
        do {
            var isSound = true
            try checkFields(RecordBytes(bytes), of: type) { _, _ in isSound = false }
            return isSound
        } catch {
            return false
        }
    }

    /// Returns the key that the record's id gives; nil for a record of a version with another id.
    ///
    /// - Parameter hash: how long keys are hashed.
    static func key(of record: RecordBytes, _ type: OpenType, _ hash: KeyHash) throws(CodecError) -> [UInt8]? {
        var key = ByteWriter(capacity: 64)
        guard try appendIDKey(of: record, type, to: &key) else { return nil }
        KeyLimit.truncateRecordKey(&key, hash)
        return key.array()
    }

    /// Appends the untruncated key of the id that the record had in its own version.
    static func appendIDKey(
        of record: RecordBytes, _ type: RecordType, to key: inout ByteWriter
    ) throws(CodecError) {
        let fields = try type.fields(ofVersion: record.schemaVersion)
        let table = try record.table
        for fieldIndex in try indexes(of: idFields(ofVersion: record.schemaVersion, type), in: fields) {
            guard let component = KeyComponent(fields[fieldIndex].type) else {
                throw CodecError("the field \(fields[fieldIndex].name) cannot be a key")
            }
            try component.append(table.field(fieldIndex), to: &key)
        }
    }

    private static func idFields(ofVersion version: UInt32, _ type: RecordType) -> [UInt32] {
        type.earlierVersions.first { $0.version == version }?.idFields ?? type.idFields
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
        return try indexes(of: type.type.idFields, in: type.type.fields(ofVersion: record.schemaVersion))
    }

    private static func indexes(of numbers: [UInt32], in fields: [StoredField]) throws(CodecError) -> [Int] {
        let found = numbers.compactMap { number in fields.firstIndex { $0.id == number } }
        guard found.count == numbers.count else { throw CodecError("the record lacks a field of its id") }
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
        id(of: bytes, type.type) ?? HexText.of(key)
    }
}

// The id and the fields of a record in the version of its write, with the names of that version.
extension RecordBody {
    /// Returns the id of a record as text; nil where it cannot be read.
    static func id(of bytes: RawSpan, _ type: RecordType) -> String? {
        let values = try? idValues(of: RecordBytes(unverified: bytes), type)
        return values.map { RecordText.list($0.map(\.value.text)) }
    }

    /// Returns the id of a record as a JSON value: an array if the id has several fields.
    static func idJSON(of record: RecordBytes, _ type: RecordType) throws(CodecError) -> JSONValue {
        let parts = try idValues(of: record, type).map { $0.value.json(as: $0.field.type) }
        return parts.count == 1 ? parts[0] : .array(parts)
    }

    /// Returns a record as a JSON object.
    static func json(of record: RecordBytes, _ type: RecordType) throws(CodecError) -> JSONValue {
        let fields = try type.fields(ofVersion: record.schemaVersion)
        return .object(
            try values(of: record, fields, at: Array(fields.indices)).map {
                JSONMember($0.field.name, $0.value.json(as: $0.field.type))
            })
    }

    /// Returns the id of a record, encoded as in a reference to the record.
    static func encodedID(of record: RecordBytes, _ type: OpenType) throws(CodecError) -> [UInt8] {
        if let fieldIndexes = try idFieldIndexes(of: record, type) {
            return try encodedID(of: record.table, at: fieldIndexes)
        }
        return try type.withNewest(record) { (newest) throws(CodecError) in
            try encodedID(of: newest.table, at: type.idParts.map(\.fieldIndex))
        }
    }

    /// Returns the same for a record in the form in which it was written.
    static func encodedID(of record: RecordBytes, writtenAs type: RecordType) throws(CodecError) -> [UInt8] {
        let fields = try type.fields(ofVersion: record.schemaVersion)
        let numbers = idFields(ofVersion: record.schemaVersion, type)
        return try encodedID(of: record.table, at: indexes(of: numbers, in: fields))
    }

    private static func encodedID(of table: FieldTable, at fieldIndexes: [Int]) throws(CodecError) -> [UInt8] {
        if fieldIndexes.count == 1 { return try table.field(fieldIndexes[0]).array() }
        var encoder = FieldEncoder()
        encoder.begin(fieldCount: fieldIndexes.count)
        for fieldIndex in fieldIndexes { encoder.append(encoded: try table.field(fieldIndex)) }
        try encoder.finish()
        return encoder.tableBytes.array()
    }

    private static func idValues(
        of record: RecordBytes, _ type: RecordType
    ) throws(CodecError) -> [(field: StoredField, value: DynamicValue)] {
        let fields = try type.fields(ofVersion: record.schemaVersion)
        let numbers = idFields(ofVersion: record.schemaVersion, type)
        return try values(of: record, fields, at: indexes(of: numbers, in: fields))
    }

    private static func values(
        of record: RecordBytes, _ fields: [StoredField], at fieldIndexes: [Int]
    ) throws(CodecError) -> [(field: StoredField, value: DynamicValue)] {
        let table = try record.table
        var values: [(field: StoredField, value: DynamicValue)] = []
        for fieldIndex in fieldIndexes {
            let field = fields[fieldIndex]
            values.append((field, try DynamicValue(from: table.field(fieldIndex), as: field.type)))
        }
        return values
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
