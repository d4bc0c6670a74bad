// Collections store one element after the other, each after its length if sizes differ. Sets and dictionaries are sorted by their
// encoded elements or keys, so that equal values have equal bytes. An array of bytes is stored as these bytes.

extension Array: FieldValue where Element: FieldValue {
    public static var fieldType: FieldType { Element.self == UInt8.self ? .data : .array(Element.fieldType) }

    public func encode(to writer: inout ByteWriter) throws(CodecError) {
        if let octets = self as? [UInt8] { return writer.append(octets) }
        for element in self { try ElementCodec.append(element, to: &writer) }
    }

    public init(from bytes: RawSpan) throws(CodecError) {
        if Element.self == UInt8.self, let octets = bytes.array() as? Self {
            self = octets
            return
        }
        self = []
        if let size = Element.fixedByteCount { reserveCapacity(bytes.byteCount / Swift.max(size, 1)) }
        var reader = ByteReader(bytes)
        while !reader.isAtEnd { append(try ElementCodec.read(Element.self, from: &reader)) }
    }
}

extension Array: IndexableValue where Element == UInt8 {
    public func encodeKey(to writer: inout ByteWriter) { unsafe KeyEscape.append(span.bytes, to: &writer) }
}

extension Set: FieldValue where Element: FieldValue {
    public static var fieldType: FieldType { .set(Element.fieldType) }

    public func encode(to writer: inout ByteWriter) throws(CodecError) {
        var encoded: [[UInt8]] = []
        encoded.reserveCapacity(count)
        for element in self { encoded.append(try ElementCodec.bytes(of: element)) }
        encoded.sort { $0.lexicographicallyPrecedes($1) }
        for (index, element) in encoded.enumerated() {
            // Swift's sets accept the same NaN twice.
            guard index == 0 || encoded[index - 1] != element else {
                throw CodecError(repeated: "element", in: "set")
            }
            writer.append(element)
        }
    }

    public init(from bytes: RawSpan) throws(CodecError) {
        self = []
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let element = try ElementCodec.read(Element.self, from: &reader)
            guard insert(element).inserted else { throw CodecError("a set holds an element twice") }
        }
    }
}

extension Dictionary: FieldValue where Key: FieldValue, Value: FieldValue {
    public static var fieldType: FieldType { .dictionary(Key.fieldType, Value.fieldType) }

    public func encode(to writer: inout ByteWriter) throws(CodecError) {
        var encoded: [(key: [UInt8], value: [UInt8])] = []
        encoded.reserveCapacity(count)
        for (key, value) in self {
            encoded.append((try ElementCodec.bytes(of: key), try ElementCodec.bytes(of: value)))
        }
        encoded.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for (index, pair) in encoded.enumerated() {
            guard index == 0 || encoded[index - 1].key != pair.key else {
                throw CodecError(repeated: "key", in: "dictionary")
            }
            writer.append(pair.key)
            writer.append(pair.value)
        }
    }

    public init(from bytes: RawSpan) throws(CodecError) {
        self = [:]
        var reader = ByteReader(bytes)
        while !reader.isAtEnd {
            let key = try ElementCodec.read(Key.self, from: &reader)
            let value = try ElementCodec.read(Value.self, from: &reader)
            guard updateValue(value, forKey: key) == nil else { throw CodecError("a dictionary holds a key twice") }
        }
    }
}

/// Encodes an element of a collection: without a length if all elements have one size, otherwise after its length.
enum ElementCodec {
    static func append<Element: FieldValue>(_ element: Element, to writer: inout ByteWriter) throws(CodecError) {
        if Element.fixedByteCount != nil { return try element.encode(to: &writer) }
        var inner = ByteWriter()
        try element.encode(to: &inner)
        writer.append(lengthPrefixed: inner.bytes)
    }

    static func bytes<Element: FieldValue>(of element: Element) throws(CodecError) -> [UInt8] {
        var writer = ByteWriter()
        try append(element, to: &writer)
        return writer.array()
    }

    static func read<Element: FieldValue>(
        _ type: Element.Type, from reader: inout ByteReader
    ) throws(CodecError) -> Element {
        if let size = Element.fixedByteCount { return try Element(from: reader.read(byteCount: size)) }
        return try Element(from: reader.readLengthPrefixed())
    }
}
