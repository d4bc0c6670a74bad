import LMDB

/// A stored record: a header, then its fields.
///
/// ```
/// bytes 0-3    checksum: the low 32 bits of XXH64 over all bytes after it
/// bytes 4-7    version of the record type's schema that the fields follow
/// bytes 8-15   incarnation: the sequence number of the change set that inserted the record
/// bytes 16-    field table, in the order of the schema version's fields
/// ```
@safe
package struct RecordBytes: ~Escapable {
    package let bytes: RawSpan
    package let schemaVersion: UInt32
    package let incarnation: UInt64

    package static let headerByteCount = 16

    /// Reads the header without a check of the checksum, so that reading one field takes constant time.
    @_lifetime(copy bytes)
    package init(unverified bytes: RawSpan) throws(CodecError) {
        guard bytes.byteCount >= RecordBytes.headerByteCount + FieldTable.prefixByteCount else {
            throw RecordBytes.tooShort(bytes.byteCount)
        }
        self.bytes = bytes
        schemaVersion = try RecordBytes.schemaVersion(of: bytes)
        incarnation = try bytes.loadInteger(at: 8, as: UInt64.self)
    }

    /// Returns the version of the schema that a record follows.
    static func schemaVersion(of bytes: RawSpan) throws(CodecError) -> UInt32 {
        try bytes.loadInteger(at: 4, as: UInt32.self)
    }

    /// Reads the header and verifies the checksum of the whole record.
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) throws(CodecError) {
        try self.init(unverified: bytes)
        let stored = try bytes.loadInteger(at: 0, as: UInt32.self)
        let computed = RecordBytes.checksum(of: bytes)
        guard stored == computed else {
            throw CodecError("the record's checksum is \(stored), but its bytes give \(computed)")
        }
    }

    /// The fields.
    package var table: FieldTable {
        @_lifetime(copy self)
        get throws(CodecError) { try RecordBytes.table(of: bytes) }
    }

    /// Returns the fields of a record without reading its header.
    @inline(__always)
    @_lifetime(copy bytes)
    static func table(of bytes: RawSpan) throws(CodecError) -> FieldTable {
        guard bytes.byteCount >= headerByteCount else { throw tooShort(bytes.byteCount) }
        return try FieldTable(bytes.extracting(droppingFirst: headerByteCount))
    }

    /// Returns the record as one of another version with the same form.
    func resealed(as version: UInt32) -> [UInt8] {
        var writer = ByteWriter(capacity: bytes.byteCount)
        writer.append(bytes)
        writer.overwrite(version, at: 4)
        writer.overwrite(RecordBytes.checksum(of: writer.bytes), at: 0)
        return writer.array()
    }

    private static func tooShort(_ byteCount: Int) -> CodecError {
        CodecError("a record of \(byteCount) bytes is shorter than its header")
    }

    /// Returns the correct checksum for a whole record.
    package static func checksum(of bytes: RawSpan) -> UInt32 {
        UInt32(truncatingIfNeeded: XXH64.hash(bytes.extracting(4..<bytes.byteCount)))
    }
}

extension FieldEncoder {
    /// Creates an encoder for records.
    package static func forRecords() -> FieldEncoder {
        FieldEncoder(headerByteCount: RecordBytes.headerByteCount)
    }

    /// Fills in the header of a record after ``finish()``. The fields must not change afterwards.
    package mutating func seal(schemaVersion: UInt32, incarnation: UInt64) {
        overwrite(integer: schemaVersion, at: 4)
        overwrite(integer: incarnation, at: 8)
        overwrite(integer: RecordBytes.checksum(of: bytes), at: 0)
    }
}
