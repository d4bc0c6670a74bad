/// The keys of the trail's database.
///
/// ```
/// 00                                         the head, see ``TrailHead``
/// 01 · record type (4) · record key          the note of a record, see ``TrailNote``
/// 02 · sequence (8) · record type (4) · key  no value: the record changed last in this change set
/// 03 · kind (1) · record type (4)            the newest change set that changed or reset a record type (8 bytes)
/// ```
///
/// Numbers in keys are big endian.
enum TrailKey {
    /// A record, by its type and its key.
    struct Record: Hashable, Sendable {
        let type: UInt32
        let key: [UInt8]
    }

    static let head: [UInt8] = [0]
    /// The first byte of the keys of notes.
    static let recordMark: UInt8 = 1
    /// The first byte of the keys of marks, which are ordered by change set.
    static let sequenceMark: UInt8 = 2
    /// The first byte of the keys of changed types.
    static let typeMark: UInt8 = 3

    static func note(of record: Record) -> [UInt8] {
        var key = ByteWriter(capacity: 32)
        key.append(byte: recordMark)
        key.append(bigEndian: record.type)
        key.append(record.key)
        return key.array()
    }

    static func mark(of record: Record, at sequence: UInt64) -> [UInt8] {
        var key = ByteWriter(capacity: 32)
        key.append(byte: sequenceMark)
        key.append(bigEndian: sequence)
        key.append(bigEndian: record.type)
        key.append(record.key)
        return key.array()
    }

    static func type(_ type: UInt32, _ kind: ChangeKind) -> [UInt8] {
        var key = ByteWriter(capacity: 16)
        key.append(byte: typeMark)
        key.append(byte: kind.rawValue)
        key.append(bigEndian: type)
        return key.array()
    }

    /// Returns the lower bound of the marks of all records that changed after a change set.
    static func marks(after sequence: UInt64) -> [UInt8] {
        var key = ByteWriter(capacity: 16)
        key.append(byte: sequenceMark)
        key.append(bigEndian: sequence &+ 1)
        return key.array()
    }

    /// Returns the record of a note's key.
    static func record(ofNote key: RawSpan) throws(CodecError) -> Record {
        var reader = ByteReader(key)
        guard try reader.read(UInt8.self) == recordMark else { throw CodecError("a key does not belong to a record") }
        return Record(
            type: try reader.read(bigEndian: UInt32.self), key: try reader.read(byteCount: reader.remaining).array())
    }

    /// Returns the record and the change set of a mark's key.
    static func mark(_ key: RawSpan) throws(CodecError) -> (record: Record, sequence: UInt64) {
        var reader = ByteReader(key)
        guard try reader.read(UInt8.self) == sequenceMark else {
            throw CodecError("a key does not belong to a change set")
        }
        let sequence = try reader.read(bigEndian: UInt64.self)
        let type = try reader.read(bigEndian: UInt32.self)
        return (Record(type: type, key: try reader.read(byteCount: reader.remaining).array()), sequence)
    }

    /// Returns the kind of change and the record type of a changed type's key.
    static func changedType(_ key: RawSpan) throws(CodecError) -> (kind: ChangeKind, type: UInt32) {
        var reader = ByteReader(key)
        guard try reader.read(UInt8.self) == typeMark, let kind = ChangeKind(rawValue: try reader.read()),
            kind == .schema || kind == .reset
        else { throw CodecError("a key does not belong to a changed type") }
        let type = try reader.read(bigEndian: UInt32.self)
        guard reader.isAtEnd else { throw CodecError("a key of a changed type is too long") }
        return (kind, type)
    }
}
