import Foundation

extension DynamicValue {
    /// Appends the encoding of this value as a field of `type`.
    ///
    /// - Throws: ``CodecError`` that names the type, when this value does not match it.
    package func encode(as type: FieldType, to writer: inout ByteWriter) throws(CodecError) {
        switch (type, self) {
        case (.bool, .bool(let value)): value.encode(to: &writer)
        case (.int8, _): try integer(Int8.self, type).encode(to: &writer)
        case (.int16, _): try integer(Int16.self, type).encode(to: &writer)
        case (.int32, _): try integer(Int32.self, type).encode(to: &writer)
        case (.int64, _): try integer(Int64.self, type).encode(to: &writer)
        case (.uint8, _): try integer(UInt8.self, type).encode(to: &writer)
        case (.uint16, _): try integer(UInt16.self, type).encode(to: &writer)
        case (.uint32, _): try integer(UInt32.self, type).encode(to: &writer)
        case (.uint64, _): try integer(UInt64.self, type).encode(to: &writer)
        case (.float, .float(let value)): value.encode(to: &writer)
        case (.double, .double(let value)): value.encode(to: &writer)
        case (.string, .string(let value)): value.encode(to: &writer)
        case (.data, .data(let value)): writer.append(value)
        case (.uuid, .uuid(let value)): value.encode(to: &writer)
        case (.date, .date(let value)): value.encode(to: &writer)
        case (.url, .url(let value)): value.encode(to: &writer)
        case (.decimal, .decimal(let value)): value.encode(to: &writer)
        case (.duration, .duration(let value)): value.encode(to: &writer)
        case (.json, .json(let text)): text.encode(to: &writer)
        case (.enumeration(let raw, let cases), _):
            if let cases, !cases.contains(text) { throw cases.unknown(text) }
            try encode(as: raw, to: &writer)
        case (.reference(_, let id), _): try encode(as: id, to: &writer)
        case (.optional, .none): return
        case (.optional(let wrapped), _):
            writer.append(byte: 1)
            try encode(as: wrapped, to: &writer)
        default: try encode(compound: type, to: &writer)
        }
    }

    private func encode(compound type: FieldType, to writer: inout ByteWriter) throws(CodecError) {
        switch (type, self) {
        case (.array(let element), .list(let values)):
            for value in values { writer.append(try value.elementBytes(as: element)) }
        case (.set(let element), .list(let values)):
            // Elements must also be unique as Swift's sets see them. These treat both forms of "é" as equal, and could not read a
            // set with both.
            guard Set(values.map(\.canonical)).count == values.count else {
                throw CodecError("a set cannot hold an element twice")
            }
            var encoded: [[UInt8]] = []
            for value in values { encoded.append(try value.elementBytes(as: element)) }
            encoded.sort { $0.lexicographicallyPrecedes($1) }
            for (index, bytes) in encoded.enumerated() {
                guard index == 0 || encoded[index - 1] != bytes else {
                    throw CodecError("a set cannot hold an element twice")
                }
                writer.append(bytes)
            }
        case (.dictionary(let keyType, let valueType), .pairs(let pairs)):
            guard Set(pairs.map(\.key.canonical)).count == pairs.count else {
                throw CodecError("a dictionary cannot hold a key twice")
            }
            var encoded: [(key: [UInt8], value: [UInt8])] = []
            for pair in pairs {
                encoded.append((try pair.key.elementBytes(as: keyType), try pair.value.elementBytes(as: valueType)))
            }
            encoded.sort { $0.key.lexicographicallyPrecedes($1.key) }
            for (index, pair) in encoded.enumerated() {
                guard index == 0 || encoded[index - 1].key != pair.key else {
                    throw CodecError("a dictionary cannot hold a key twice")
                }
                writer.append(pair.key)
                writer.append(pair.value)
            }
        case (.embedded(let schema), .fields(let values)) where values.count == schema.fields.count:
            var encoder = FieldEncoder()
            encoder.begin(fieldCount: values.count)
            for (value, field) in zip(values, schema.fields) {
                var bytes = ByteWriter()
                try value.encode(as: field.type, to: &bytes)
                encoder.append(encoded: bytes.bytes)
            }
            try encoder.finish()
            writer.append(encoder.bytes)
        default: throw mismatch(type)
        }
    }

    private func elementBytes(as type: FieldType) throws(CodecError) -> [UInt8] {
        var inner = ByteWriter()
        try encode(as: type, to: &inner)
        if type.fixedByteCount != nil { return inner.array() }
        var writer = ByteWriter()
        writer.append(lengthPrefixed: inner.bytes)
        return writer.array()
    }

    private func integer<I: FixedWidthInteger>(_ width: I.Type, _ type: FieldType) throws(CodecError) -> I {
        let fitting: I? =
            switch self {
            case .int(let value): I(exactly: value)
            case .uint(let value): I(exactly: value)
            default: throw mismatch(type)
            }
        guard let fitting else {
            throw CodecError("\(text) does not fit \(type), which takes \(I.min) to \(I.max)")
        }
        return fitting
    }

    private func mismatch(_ type: FieldType) -> CodecError {
        if case .none = self { return CodecError("null does not fit \(type), which is not optional") }
        return CodecError("\(text) does not fit \(type)")
    }
}
