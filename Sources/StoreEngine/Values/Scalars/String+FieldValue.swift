public import Foundation

// Records hold text and bytes unchanged. In keys, 0xFF follows every zero byte, and the two bytes 0x00 0x01 mark the end. A text
// thus comes before its continuations, and keys of several fields compare field by field. UTF-8 compares in the order of Unicode
// scalar values: "é" as one scalar and "é" as two are different keys, although Swift calls them equal.

extension String: IndexableValue {
    public static var fieldType: FieldType { .string }

    @inlinable
    public func encode(to writer: inout ByteWriter) { writer.append(utf8: self) }

    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        if bytes.isASCII {
            self = unsafe String(copying: UTF8Span(unchecked: bytes._unsafeView(as: UInt8.self), isKnownASCII: true))
            return
        }
        // Decoding with repair and comparing is several times as fast as the standard library's validating initializer.
        var decoded = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        let isFaithful = decoded.withUTF8 { unsafe RawSpan(_unsafeElements: $0).isEqual(to: bytes) }
        guard isFaithful else { throw CodecError("a String holds bytes that are not UTF-8") }
        self = decoded
    }

    public func encodeKey(to writer: inout ByteWriter) {
        var text = self
        text.withUTF8 { utf8 in
            unsafe KeyEscape.append(RawSpan(_unsafeElements: utf8), to: &writer)
        }
    }
}

extension RawSpan {
    /// The offset of the first zero byte.
    fileprivate var firstZero: Int? {
        unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = unsafe memchr(start, 0, bytes.count) else { return nil }
            return unsafe UnsafeRawPointer(found) - start
        }
    }

    /// Whether no byte has its high bit set.
    @inlinable
    var isASCII: Bool {
        let end = byteCount
        guard end >= 8 else {
            var all: UInt8 = 0
            for offset in 0..<end { all |= unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt8.self) }
            return all < 0x80
        }
        var all: UInt64 = 0
        var offset = 0
        while offset <= end - 8 {
            all |= unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        // Check the last eight bytes; some of them may have been checked before.
        all |= unsafe unsafeLoadUnaligned(fromByteOffset: end - 8, as: UInt64.self)
        return all & 0x8080_8080_8080_8080 == 0
    }
}

extension Data: IndexableValue {
    public static var fieldType: FieldType { .data }

    public func encode(to writer: inout ByteWriter) { unsafe writer.append(span.bytes) }

    public init(from bytes: RawSpan) throws(CodecError) {
        self = unsafe bytes.withUnsafeBytes { unsafe Data($0) }
    }

    public func encodeKey(to writer: inout ByteWriter) { unsafe KeyEscape.append(span.bytes, to: &writer) }
}

extension URL: IndexableValue {
    public static var fieldType: FieldType { .url }

    // A URL without a base is 0x00 and the absolute text. A relative URL keeps its base: it is 0x01, the length and text of the
    // base, and the relative text.
    public func encode(to writer: inout ByteWriter) {
        guard let baseURL else {
            writer.append(byte: 0)
            writer.append(utf8: absoluteString)
            return
        }
        writer.append(byte: 1)
        let base = baseURL.absoluteString
        writer.append(varint: UInt64(base.utf8.count))
        writer.append(utf8: base)
        writer.append(utf8: relativeString)
    }

    public init(from bytes: RawSpan) throws(CodecError) {
        var reader = ByteReader(bytes)
        let url: URL?
        switch try reader.read(UInt8.self) {
        case 0:
            url = URL(string: try String(from: reader.read(byteCount: reader.remaining)))
        case 1:
            let base = try String(from: reader.readLengthPrefixed())
            let relative = try String(from: reader.read(byteCount: reader.remaining))
            url = URL(string: base).flatMap { URL(string: relative, relativeTo: $0) }
        case let other:
            throw CodecError("a URL begins with 0 or 1, found \(other)")
        }
        guard let url else { throw CodecError("the text of a URL cannot be parsed as one") }
        self = url
    }

    /// Appends the key of the absolute text, so URLs compare by that text.
    public func encodeKey(to writer: inout ByteWriter) { absoluteString.encodeKey(to: &writer) }
}

/// The self-delimiting, order-preserving form of bytes in keys.
package enum KeyEscape {
    /// Appends `bytes`, escapes each zero byte and marks the end.
    package static func append(_ bytes: RawSpan, to writer: inout ByteWriter) {
        writer.reserve(bytes.byteCount + 2)
        var rest = bytes
        // Almost no text contains a zero byte, and the C library's search for one is vectorized.
        while let zero = rest.firstZero {
            writer.append(rest.extracting(0...zero))
            writer.append(byte: 0xFF)
            rest = rest.extracting(zero + 1..<rest.byteCount)
        }
        writer.append(rest)
        writer.append(byte: 0)
        writer.append(byte: 1)
    }
}
