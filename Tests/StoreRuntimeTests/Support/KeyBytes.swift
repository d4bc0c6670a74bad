import StoreEngine

/// Bytes that tests plant in a store, made with the codec.
enum KeyBytes {
    /// Returns the key of an id or an indexed value, not truncated.
    static func of(_ value: some IndexableValue) -> [UInt8] {
        var writer = ByteWriter()
        value.encodeKey(to: &writer)
        return writer.array()
    }

    /// Returns the key of a fragment in the feed.
    static func fragment(_ sequence: UInt64, _ number: UInt32 = 0) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(bigEndian: sequence)
        writer.append(bigEndian: number)
        return writer.array()
    }

    /// Returns a stored record with a valid checksum.
    static func record<R: Record>(_ record: R, version: UInt32 = 1, incarnation: UInt64) throws -> [UInt8] {
        var encoder = FieldEncoder.forRecords()
        encoder.begin(fieldCount: R.recordSchema.fields.count)
        try record.encode(to: &encoder)
        try encoder.finish()
        encoder.seal(schemaVersion: version, incarnation: incarnation)
        return encoder.bytes.array()
    }

    /// Returns the bytes of a record with a new, valid checksum.
    static func resealed(_ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(bytes)
        writer.overwrite(RecordBytes.checksum(of: writer.bytes), at: 0)
        return writer.array()
    }

    /// Returns the bytes of an integer, least significant byte first.
    static func little<I: FixedWidthInteger & BitwiseCopyable>(_ value: I) -> [UInt8] {
        var writer = ByteWriter()
        writer.append(value)
        return writer.array()
    }
}
