/// Converts the elements of a collection to elements of another type.
package struct ElementConversion: Hashable, Sendable {
    private let old: FieldType
    private let new: FieldType
    private let conversion: FieldConversion

    /// Creates the conversion between elements of two types; nil if there is none.
    init?(_ old: FieldType, _ new: FieldType) {
        guard let conversion = FieldConversion.between(old, new) else { return nil }
        self.old = old
        self.new = new
        self.conversion = conversion
    }

    /// Whether the bytes of every collection stay the same.
    var changesNothing: Bool { conversion == .none }

    /// Whether the new type can hold every old element, and different elements stay different.
    var isLossless: Bool { conversion.isLossless }

    /// Appends the converted bytes of an array.
    func appendArray(_ bytes: RawSpan, to writer: inout ByteWriter) throws(CodecError) {
        var reader = ByteReader(bytes)
        while !reader.isAtEnd { try append(from: &reader, to: &writer) }
    }

    /// Appends the converted bytes of a set.
    ///
    /// - Throws: ``CodecError`` if the new type cannot hold an element, or if two elements become equal.
    func appendSet(_ bytes: RawSpan, to writer: inout ByteWriter) throws(CodecError) {
        var reader = ByteReader(bytes)
        var elements: [[UInt8]] = []
        while !reader.isAtEnd { elements.append(try next(from: &reader)) }
        try requireDistinct(elements, "elements")
        elements.sort { $0.lexicographicallyPrecedes($1) }
        for element in elements { writer.append(element) }
    }

    /// Appends the converted bytes of a dictionary, with this conversion for its keys.
    ///
    /// - Throws: ``CodecError`` if the new types cannot hold a key or a value, or if two keys become equal.
    func appendDictionary(
        _ bytes: RawSpan, values: ElementConversion, to writer: inout ByteWriter
    ) throws(CodecError) {
        var reader = ByteReader(bytes)
        var pairs: [(key: [UInt8], value: [UInt8])] = []
        while !reader.isAtEnd { pairs.append((try next(from: &reader), try values.next(from: &reader))) }
        try requireDistinct(pairs.map(\.key), "keys")
        pairs.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for pair in pairs {
            writer.append(pair.key)
            writer.append(pair.value)
        }
    }

    // Compares elements as Swift's sets do, for which both forms of "é" are equal.
    private func requireDistinct(_ elements: [[UInt8]], _ what: String) throws(CodecError) {
        if isLossless { return }
        var values: Set<DynamicValue> = []
        for element in elements {
            var reader = unsafe ByteReader(element.span.bytes)
            let value = try DynamicValue(from: reader.readElement(of: new), as: new)
            guard values.insert(value.canonical).inserted else { throw CodecError("two of its \(what) become equal") }
        }
    }

    private func next(from reader: inout ByteReader) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter(capacity: 32)
        try append(from: &reader, to: &writer)
        return writer.array()
    }

    private func append(from reader: inout ByteReader, to writer: inout ByteWriter) throws(CodecError) {
        let element = try reader.readElement(of: old)
        if new.fixedByteCount != nil { return try conversion.append(element, to: &writer) }
        var inner = ByteWriter(capacity: 32)
        try conversion.append(element, to: &inner)
        writer.append(lengthPrefixed: inner.bytes)
    }
}

extension ByteReader {
    /// Reads the next element of a collection with elements of this type, and skips the length that may precede it.
    @_lifetime(copy self)
    mutating func readElement(of type: FieldType) throws(CodecError) -> RawSpan {
        if let size = type.fixedByteCount { return try read(byteCount: size) }
        return try readLengthPrefixed()
    }
}
