public import Foundation

/// Reads encoded bytes from front to back and checks the bounds of every read.
///
/// Bytes from disk may be damaged, so a read past the end throws an error and never traps.
@safe
@usableFromInline package struct ByteReader: ~Escapable {
    @usableFromInline let bytes: RawSpan
    @usableFromInline var position: Int

    /// Creates a reader that starts at the first byte of `bytes`.
    @inlinable
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) {
        self.bytes = bytes
        position = 0
    }

    /// The offset of the next byte.
    @inlinable package var offset: Int { position }

    /// Whether all bytes have been read.
    @inlinable package var isAtEnd: Bool { position == bytes.byteCount }

    /// The number of bytes left.
    @inlinable package var remaining: Int { bytes.byteCount - position }

    /// Reads the next integer, least significant byte first.
    @inlinable
    package mutating func read<I: FixedWidthInteger & BitwiseCopyable>(_ type: I.Type = I.self) throws(CodecError) -> I
    {
        let value = try bytes.loadInteger(at: position, as: I.self)
        position += MemoryLayout<I>.size
        return value
    }

    /// Reads the next integer, most significant byte first.
    @inlinable
    package mutating func read<I: FixedWidthInteger & BitwiseCopyable>(
        bigEndian type: I.Type
    ) throws(CodecError) -> I {
        try read(I.self).byteSwapped
    }

    /// Reads the next LEB128 integer.
    @inlinable
    package mutating func readVarint() throws(CodecError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try read(UInt8.self)
            if shift == 63, byte > 1 { throw CodecError("a variable-length integer does not fit 64 bits") }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
            if shift > 63 { throw CodecError("a variable-length integer is longer than 10 bytes") }
        }
    }

    /// Reads the next LEB128 integer as a length, which is at most the number of bytes left.
    @inlinable
    package mutating func readLength() throws(CodecError) -> Int {
        let length = try readVarint()
        guard length <= UInt64(remaining) else {
            throw CodecError("a length of \(length) bytes is more than the \(remaining) bytes that are left")
        }
        return Int(length)
    }

    /// Reads the next `byteCount` bytes.
    @inlinable
    @_lifetime(copy self)
    package mutating func read(byteCount: Int) throws(CodecError) -> RawSpan {
        guard byteCount >= 0, byteCount <= remaining else {
            throw CodecError("\(byteCount) bytes were expected, but \(remaining) are left")
        }
        let span = bytes.extracting(position..<position + byteCount)
        position += byteCount
        return span
    }

    /// Reads a length and then that number of bytes.
    @inlinable
    @_lifetime(copy self)
    package mutating func readLengthPrefixed() throws(CodecError) -> RawSpan {
        let length = try readLength()
        return try read(byteCount: length)
    }
}

extension RawSpan {
    /// Returns the integer at `offset`, least significant byte first.
    ///
    /// - Throws: ``CodecError`` if the integer would end past these bytes.
    @inlinable
    @inline(__always)
    func loadInteger<I: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: I.Type
    ) throws(CodecError) -> I {
        guard offset >= 0, offset <= byteCount - MemoryLayout<I>.size else {
            throw tooShort(for: MemoryLayout<I>.size, at: offset)
        }
        return unsafe I(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: I.self))
    }

    @usableFromInline
    func tooShort(for size: Int, at offset: Int) -> CodecError {
        CodecError("\(size) bytes were expected at offset \(offset) of \(byteCount)")
    }

    /// Returns whether these bytes begin with `prefix`.
    @inlinable
    package func begins(with prefix: [UInt8]) -> Bool {
        guard byteCount >= prefix.count else { return false }
        return unsafe withUnsafeBytes { bytes in
            unsafe prefix.withUnsafeBytes { prefix in
                guard let first = bytes.baseAddress, let second = prefix.baseAddress else { return true }
                return unsafe memcmp(first, second, prefix.count) == 0
            }
        }
    }

    /// Returns whether both spans hold the same bytes.
    @inlinable
    package func isEqual(to other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return unsafe memcmp(first, second, left.count) == 0
            }
        }
    }
}
