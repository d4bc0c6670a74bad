/// The fields of a record or an embedded struct as bytes: an offset table, then the fields.
///
/// ```
/// byte 0       width w of a table entry: 1, 2 or 4
/// bytes 1-2    number of fields n
/// bytes 3-     n entries of w bytes: the end of each field, counted from the first byte after the table
/// then         the fields, one after the other
/// ```
///
/// Access to a field takes constant time. Each access checks bounds, so damaged bytes cause an error and never a trap.
@safe
@usableFromInline package struct FieldTable: ~Escapable {
    @usableFromInline let bytes: RawSpan
    @usableFromInline let width: Int
    @usableFromInline let dataStart: Int

    /// The number of fields.
    @usableFromInline package let count: Int

    /// The maximum number of fields in a record or an embedded struct.
    package static var maximumCount: Int { 4_096 }

    /// The size of the header before the entries, in bytes.
    @usableFromInline static var prefixByteCount: Int { 3 }

    /// Reads the header of the table.
    ///
    /// - Throws: ``CodecError`` if `bytes` cannot be a field table.
    @inlinable
    @inline(__always)
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) throws(CodecError) {
        let width = Int(try bytes.loadInteger(at: 0, as: UInt8.self))
        let count = Int(try bytes.loadInteger(at: 1, as: UInt16.self))
        guard width == 1 || width == 2 || width == 4 else { throw FieldTable.wrongWidth(width) }
        let dataStart = FieldTable.prefixByteCount + width * count
        guard dataStart <= bytes.byteCount else { throw FieldTable.tooLong(count, bytes.byteCount) }
        self.bytes = bytes
        self.width = width
        self.count = count
        self.dataStart = dataStart
    }

    /// Returns the bytes of field `index`.
    ///
    /// - Throws: ``CodecError`` if the table has no such field, or if the field lies outside the bytes.
    @inlinable
    @inline(__always)
    @_lifetime(copy self)
    package func field(_ index: Int) throws(CodecError) -> RawSpan {
        let range = try range(of: index)
        return unsafe bytes.extracting(unchecked: range)
    }

    /// Returns the range of field `index` in the bytes that the table was created from.
    @inlinable
    @inline(__always)
    package func range(of index: Int) throws(CodecError) -> Range<Int> {
        guard index >= 0, index < count else { throw missing(index) }
        // No sum can overflow: an end has at most 32 bits.
        let start = index == 0 ? dataStart : dataStart &+ end(index &- 1)
        let end = dataStart &+ end(index)
        guard start <= end, end <= bytes.byteCount else { throw misplaced(index, start, end) }
        return unsafe Range(uncheckedBounds: (start, end))
    }

    // These functions are not inlined, which keeps the code that is inlined for every decoded field small.
    @usableFromInline
    static func wrongWidth(_ width: Int) -> CodecError {
        CodecError("an offset table has entries of 1, 2 or 4 bytes, found \(width)")
    }

    @usableFromInline
    static func tooLong(_ count: Int, _ byteCount: Int) -> CodecError {
        CodecError("an offset table of \(count) fields does not fit \(byteCount) bytes")
    }

    @usableFromInline
    func missing(_ index: Int) -> CodecError { CodecError("there is no field \(index), only \(count)") }

    @usableFromInline
    func misplaced(_ index: Int, _ start: Int, _ end: Int) -> CodecError {
        CodecError("field \(index) lies at \(start) to \(end), outside of \(bytes.byteCount) bytes")
    }

    /// Throws an error unless the fields fill the bytes exactly, one after the other.
    package func requireExactFill() throws(CodecError) {
        for index in 0..<count { _ = try range(of: index) }
        let end = dataStart + (count == 0 ? 0 : end(count - 1))
        guard end == bytes.byteCount else {
            throw CodecError("the fields end at byte \(end) of \(bytes.byteCount)")
        }
    }

    // The initializer has checked that all entries lie inside the bytes.
    @inlinable
    @inline(__always)
    func end(_ index: Int) -> Int {
        let offset = FieldTable.prefixByteCount &+ index &* width
        switch width {
        case 1: return Int(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self))
        case 2:
            let end = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)
            return Int(UInt16(littleEndian: end))
        default:
            let end = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return Int(UInt32(littleEndian: end))
        }
    }
}
