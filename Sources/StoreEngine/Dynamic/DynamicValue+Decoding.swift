import Foundation

extension DynamicValue {
    /// Decodes a field of `type` from exactly `bytes`.
    package init(from bytes: RawSpan, as type: FieldType) throws(CodecError) {
        switch type {
        case .bool: self = .bool(try Bool(from: bytes))
        case .int8: self = .int(Int64(try Int8(from: bytes)))
        case .int16: self = .int(Int64(try Int16(from: bytes)))
        case .int32: self = .int(Int64(try Int32(from: bytes)))
        case .int64: self = .int(try Int64(from: bytes))
        case .uint8: self = .uint(UInt64(try UInt8(from: bytes)))
        case .uint16: self = .uint(UInt64(try UInt16(from: bytes)))
        case .uint32: self = .uint(UInt64(try UInt32(from: bytes)))
        case .uint64: self = .uint(try UInt64(from: bytes))
        case .float: self = .float(try Float(from: bytes))
        case .double: self = .double(try Double(from: bytes))
        case .string: self = .string(try String(from: bytes))
        case .data: self = .data(bytes.array())
        case .uuid: self = .uuid(try UUID(from: bytes))
        case .date: self = .date(try Date(from: bytes))
        case .url: self = .url(try URL(from: bytes))
        case .decimal: self = .decimal(try Decimal(from: bytes))
        case .duration: self = .duration(try Duration(from: bytes))
        case .json: self = .json(try String(from: bytes))
        case .enumeration(let raw, _): self = try DynamicValue(from: bytes, as: raw)
        case .reference(_, let id): self = try DynamicValue(from: bytes, as: id)
        default: self = try DynamicValue(compound: bytes, as: type)
        }
    }

    private init(compound bytes: RawSpan, as type: FieldType) throws(CodecError) {
        switch type {
        case .optional(let wrapped):
            if bytes.byteCount == 0 {
                self = .none
                return
            }
            guard try bytes.loadInteger(at: 0, as: UInt8.self) == 1 else {
                throw CodecError("an optional value must begin with 1")
            }
            self = try DynamicValue(from: bytes.extracting(1..<bytes.byteCount), as: wrapped)
        case .array(let element), .set(let element):
            var reader = ByteReader(bytes)
            var elements: [DynamicValue] = []
            while !reader.isAtEnd { elements.append(try DynamicValue(element: element, from: &reader)) }
            self = .list(elements)
        case .dictionary(let key, let value):
            var reader = ByteReader(bytes)
            var pairs: [DynamicPair] = []
            while !reader.isAtEnd {
                let decodedKey = try DynamicValue(element: key, from: &reader)
                pairs.append(DynamicPair(key: decodedKey, value: try DynamicValue(element: value, from: &reader)))
            }
            self = .pairs(pairs)
        case .embedded(let schema):
            let table = try FieldTable(bytes)
            guard table.count == schema.fields.count else {
                throw CodecError(
                    "an embedded struct has \(table.count) fields, but \(schema.fields.count) were expected")
            }
            var values: [DynamicValue] = []
            for (index, field) in schema.fields.enumerated() {
                values.append(try DynamicValue(from: table.field(index), as: field.type))
            }
            self = .fields(values)
        default: throw CodecError("a value of type \(type) cannot be decoded")
        }
    }

    private init(element type: FieldType, from reader: inout ByteReader) throws(CodecError) {
        self = try DynamicValue(from: reader.readElement(of: type), as: type)
    }
}
