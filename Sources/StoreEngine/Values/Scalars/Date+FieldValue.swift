public import Foundation

extension Date: IndexableValue {
    public static var fieldType: FieldType { .date }
    @inlinable public static var fixedByteCount: Int? { 8 }

    /// Appends the seconds since 2001-01-01 00:00:00 UTC as a `Double`. `Date` itself stores this number, so the encoding rounds
    /// nothing.
    @inlinable
    public func encode(to writer: inout ByteWriter) { timeIntervalSinceReferenceDate.encode(to: &writer) }

    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        try bytes.requireByteCount(8, "a Date")
        let bits = try bytes.loadInteger(at: 0, as: UInt64.self)
        self.init(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
    }

    @inlinable
    public func encodeKey(to writer: inout ByteWriter) { timeIntervalSinceReferenceDate.encodeKey(to: &writer) }

    /// A placeholder for the time of the transaction, as the initial value of a field.
    ///
    /// The macro `@Record` uses it for `= .now`. The write transaction fills in its own time when it inserts the record. A replay
    /// of the recorded write can thus use the same time. Until then the field holds this token, a moment in the first second of
    /// the year 1.
    @inlinable public static var transactionTime: Date {
        Date(timeIntervalSinceReferenceDate: DefaultToken.nowSeconds)
    }
}

extension Duration: IndexableValue {
    public static var fieldType: FieldType { .duration }
    @inlinable public static var fixedByteCount: Int? { 16 }

    /// Appends the attoseconds as a 128-bit integer, so the encoding rounds nothing.
    public func encode(to writer: inout ByteWriter) {
        let attoseconds = attoseconds
        writer.append(UInt64(truncatingIfNeeded: attoseconds))
        writer.append(Int64(truncatingIfNeeded: attoseconds >> 64))
    }

    public init(from bytes: RawSpan) throws(CodecError) {
        try bytes.requireByteCount(16, "a Duration")
        let low = try bytes.loadInteger(at: 0, as: UInt64.self)
        let high = try bytes.loadInteger(at: 8, as: Int64.self)
        self.init(attoseconds: Int128(high) << 64 | Int128(low))
    }

    public func encodeKey(to writer: inout ByteWriter) {
        let attoseconds = attoseconds
        writer.append(bigEndian: Int64(truncatingIfNeeded: attoseconds >> 64) ^ .min)
        writer.append(bigEndian: UInt64(truncatingIfNeeded: attoseconds))
    }
}
