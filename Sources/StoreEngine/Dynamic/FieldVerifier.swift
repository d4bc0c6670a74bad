import LMDB

/// Verifies the bytes of one field by its type alone.
enum FieldVerifier {
    /// Returns why `bytes` are not the encoding that a writer of this type makes, or nil if they are.
    ///
    /// Decodes the bytes and encodes the value again. This also finds forms that decode but are never written: an unsorted set,
    /// an enum's unknown case, a gap inside an embedded struct.
    static func problem(_ bytes: RawSpan, _ type: FieldType) -> String? {
        do {
            var again = ByteWriter(capacity: bytes.byteCount)
            try DynamicValue(from: bytes, as: type).encode(as: type, to: &again)
            return again.bytes.isEqual(to: bytes)
                ? nil : "the bytes are not in the form that the store writes for \(type)"
        } catch {
            return error.reason
        }
    }

    static func problem(_ bytes: [UInt8], _ type: FieldType) -> String? { unsafe problem(bytes.span.bytes, type) }
}
