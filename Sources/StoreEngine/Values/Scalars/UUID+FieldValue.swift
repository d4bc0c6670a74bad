public import Foundation

extension UUID: IndexableValue {
    public static var fieldType: FieldType { .uuid }
    @inlinable public static var fixedByteCount: Int? { 16 }

    public func encode(to writer: inout ByteWriter) {
        let words = bigEndianWords
        writer.append(bigEndian: words.high)
        writer.append(bigEndian: words.low)
    }

    public init(from bytes: RawSpan) throws(CodecError) {
        try bytes.requireByteCount(16, "a UUID")
        let high = try bytes.loadInteger(at: 0, as: UInt64.self).byteSwapped
        let low = try bytes.loadInteger(at: 8, as: UInt64.self).byteSwapped
        self.init(high: high, low: low)
    }

    /// Appends the 16 bytes, so keys compare in the order of the written form of UUIDs.
    public func encodeKey(to writer: inout ByteWriter) { encode(to: &writer) }

    /// Creates a UUID from its 128 bits, the most significant first.
    package init(high: UInt64, low: UInt64) {
        func byte(_ word: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * index)) }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }

    /// The 128 bits, the most significant first.
    package var bigEndianWords: (high: UInt64, low: UInt64) {
        let u = uuid
        func word(_ bytes: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)) -> UInt64 {
            let upper =
                UInt64(bytes.0) << 56 | UInt64(bytes.1) << 48 | UInt64(bytes.2) << 40 | UInt64(bytes.3) << 32
            let lower = UInt64(bytes.4) << 24 | UInt64(bytes.5) << 16 | UInt64(bytes.6) << 8 | UInt64(bytes.7)
            return upper | lower
        }
        return (
            word((u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7)),
            word((u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15))
        )
    }

    /// A placeholder for an identifier that the transaction chooses, as the initial value of a field.
    ///
    /// With `var id: UUID = .newID`, the write transaction fills in a new identifier when it inserts the record. A replay of the
    /// recorded write can thus use the same identifier. Until then the field holds this token. It is a version 8 (custom) UUID,
    /// which generators of other versions never produce.
    public static var newID: UUID { UUID(high: DefaultToken.newIDWords.high, low: DefaultToken.newIDWords.low) }
}
