/// Encodes the fields of one record or embedded struct, in the order of their declaration.
///
/// Macro-generated code calls ``encode(_:)-1oinz`` once for each field. The width of the offset table depends on the size
/// of all fields. The encoder therefore leaves room for the widest table in front, and `finish()` writes the table directly
/// before the fields.
public struct FieldEncoder: ~Copyable {
    @usableFromInline var writer: ByteWriter
    @usableFromInline var ends: ByteWriter
    /// The offset of the fields in `writer`, after the header and the widest possible table.
    @usableFromInline var dataStart: Int
    let headerByteCount: Int
    private(set) var start = 0

    /// Creates an encoder that leaves `headerByteCount` bytes free before the table.
    package init(headerByteCount: Int = 0) {
        writer = ByteWriter(capacity: 512)
        ends = ByteWriter(capacity: 64)
        self.headerByteCount = headerByteCount
        dataStart = 0
    }

    /// Begins a new record of `fieldCount` fields and removes the previous one.
    package mutating func begin(fieldCount: Int) {
        writer.removeAll()
        ends.removeAll()
        dataStart = headerByteCount + FieldTable.prefixByteCount + 4 * fieldCount
        writer.reserve(dataStart)
        for _ in 0..<(dataStart + 7) / 8 { writer.append(UInt64(0)) }
        writer.truncate(to: dataStart)
    }

    /// Encodes the next field.
    @inlinable
    public mutating func encode<V: FieldValue>(_ value: V) throws(CodecError) {
        do {
            try value.encode(to: &writer)
        } catch {
            throw error.inField(ends.count / 4)
        }
        ends.append(UInt32(truncatingIfNeeded: writer.count - dataStart))
    }

    /// Encodes the raw value of an enum that does not conform to ``FieldValue`` as the next field.
    @inlinable
    @_disfavoredOverload
    public mutating func encode<V: RawRepresentable>(_ value: V) throws(CodecError) where V.RawValue: FieldValue {
        try encode(value.rawValue)
    }

    /// Encodes the raw value of an optional enum that does not conform to ``FieldValue`` as the next field.
    @inlinable
    @_disfavoredOverload
    public mutating func encode<V: RawRepresentable>(_ value: V?) throws(CodecError) where V.RawValue: FieldValue {
        try encode(value?.rawValue)
    }

    /// Encodes the raw value of a `Codable` enum that does not conform to ``FieldValue`` as the next field.
    @inlinable
    @_disfavoredOverload
    public mutating func encode<V: RawRepresentable & Codable & Sendable>(_ value: V) throws(CodecError)
    where V.RawValue: FieldValue {
        try encode(value.rawValue)
    }

    /// Encodes the raw value of an optional `Codable` enum that does not conform to ``FieldValue`` as the next field.
    @inlinable
    @_disfavoredOverload
    public mutating func encode<V: RawRepresentable & Codable & Sendable>(_ value: V?) throws(CodecError)
    where V.RawValue: FieldValue {
        try encode(value?.rawValue)
    }

    /// Encodes the next field as JSON with sorted keys, for a type that conforms only to `Codable`.
    @_disfavoredOverload
    public mutating func encode<V: Codable & Sendable>(_ value: V) throws(CodecError) {
        try encode(JSONField(value))
    }

    /// Appends the next field from bytes that are already encoded.
    package mutating func append(encoded bytes: RawSpan) {
        writer.append(bytes)
        ends.append(UInt32(truncatingIfNeeded: writer.count - dataStart))
    }

    /// Writes the table and so completes ``bytes``.
    ///
    /// - Throws: ``CodecError`` if the fields are longer than 4 GiB.
    package mutating func finish() throws(CodecError) {
        let count = ends.count / 4
        let dataByteCount = writer.count - dataStart
        guard dataByteCount <= Int(UInt32.max) else { throw CodecError("a record is longer than 4 GiB") }
        let width = dataByteCount <= 0xFF ? 1 : dataByteCount <= 0xFFFF ? 2 : 4
        let tableStart = dataStart - FieldTable.prefixByteCount - width * count
        start = tableStart - headerByteCount
        writer.overwrite(UInt8(width), at: tableStart)
        writer.overwrite(UInt16(truncatingIfNeeded: count), at: tableStart + 1)
        var offset = tableStart + FieldTable.prefixByteCount
        for index in 0..<count {
            let end = try ends.bytes.loadInteger(at: 4 * index, as: UInt32.self)
            switch width {
            case 1: writer.overwrite(UInt8(truncatingIfNeeded: end), at: offset)
            case 2: writer.overwrite(UInt16(truncatingIfNeeded: end), at: offset)
            default: writer.overwrite(end, at: offset)
            }
            offset += width
        }
    }

    /// The header, table and fields, valid until the next mutation.
    package var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            let all = writer.bytes
            return unsafe _overrideLifetime(all.extracting(start..<all.byteCount), borrowing: self)
        }
    }

    /// The size of ``bytes`` in bytes.
    package var byteCount: Int { writer.count - start }

    /// The table and fields without the header, valid until the next mutation.
    package var tableBytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            let all = writer.bytes
            return unsafe _overrideLifetime(
                all.extracting(start + headerByteCount..<all.byteCount), borrowing: self)
        }
    }

    /// Reorders the encoded fields. Call it before ``finish()``.
    ///
    /// - Parameters:
    ///   - order: for each field of the new order, its index in the old order, or -1 for a field that was not encoded.
    ///   - missing: for each field of the new order, the bytes to use if `order` has -1 for it.
    @usableFromInline
    package mutating func reorder(_ order: [Int], filling missing: [[UInt8]]) throws(CodecError) {
        var unordered = ByteWriter(capacity: writer.count)
        unordered.append(writer.bytes)
        let oldEnds = ends.array()
        writer.truncate(to: dataStart)
        ends.removeAll()
        for (fieldIndex, index) in order.enumerated() {
            guard index >= 0 else {
                let bytes = missing[fieldIndex]
                unsafe append(encoded: bytes.span.bytes)
                continue
            }
            let end = try unsafe oldEnds.span.bytes.loadInteger(at: 4 * index, as: UInt32.self)
            let start = index == 0 ? 0 : try unsafe oldEnds.span.bytes.loadInteger(at: 4 * (index - 1), as: UInt32.self)
            append(encoded: unordered.bytes.extracting(dataStart + Int(start)..<dataStart + Int(end)))
        }
    }

    /// Overwrites bytes at `offset` of ``bytes``.
    package mutating func overwrite(_ span: RawSpan, at offset: Int) { writer.overwrite(span, at: start + offset) }

    /// Overwrites an integer at `offset` of ``bytes``.
    package mutating func overwrite<I: FixedWidthInteger & BitwiseCopyable>(integer: I, at offset: Int) {
        writer.overwrite(integer, at: start + offset)
    }
}
