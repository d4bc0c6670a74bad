import Foundation

/// Converts a field's encoded bytes to the order-preserving part of a key.
///
/// The engine computes keys from encoded fields with the catalog alone, so that dynamic records and Swift types share one path.
/// The result equals the output of ``IndexableValue/encodeKey(to:)`` of the Swift type.
package indirect enum KeyComponent: Hashable, Sendable {
    case unsigned(byteCount: Int)
    case signed(byteCount: Int)
    case float
    case double
    case verbatim
    case escaped
    case url
    case duration
    case optional(KeyComponent)
    /// The fields of an embedded struct, one after the other: a reference to an id with several fields.
    case composite([KeyComponent])

    /// Creates the component for fields of `type`; nil if its values have no order.
    package init?(_ type: FieldType) {
        switch type {
        case .bool, .uint8: self = .unsigned(byteCount: 1)
        case .uint16: self = .unsigned(byteCount: 2)
        case .uint32: self = .unsigned(byteCount: 4)
        case .uint64: self = .unsigned(byteCount: 8)
        case .int8: self = .signed(byteCount: 1)
        case .int16: self = .signed(byteCount: 2)
        case .int32: self = .signed(byteCount: 4)
        case .int64: self = .signed(byteCount: 8)
        case .float: self = .float
        case .double, .date: self = .double
        case .uuid, .decimal: self = .verbatim
        case .string, .data: self = .escaped
        case .url: self = .url
        case .duration: self = .duration
        case .enumeration(let raw, _):
            guard let component = KeyComponent(raw) else { return nil }
            self = component
        case .reference(_, .embedded(let id)):
            let components = id.fields.compactMap { KeyComponent($0.type) }
            guard components.count == id.fields.count else { return nil }
            self = .composite(components)
        case .reference(_, let id):
            guard let component = KeyComponent(id) else { return nil }
            self = component
        case .optional(let wrapped):
            guard let component = KeyComponent(wrapped) else { return nil }
            self = .optional(component)
        case .json, .array, .set, .dictionary, .embedded: return nil
        }
    }

    /// Appends the key part of an encoded field.
    ///
    /// - Throws: ``CodecError`` when the bytes are not an encoding of the field's type.
    package func append(_ field: RawSpan, to writer: inout ByteWriter) throws(CodecError) {
        switch self {
        case .unsigned(let byteCount):
            try KeyComponent.appendReversed(field, byteCount: byteCount, flippingSign: false, to: &writer)
        case .signed(let byteCount):
            try KeyComponent.appendReversed(field, byteCount: byteCount, flippingSign: true, to: &writer)
        case .float: try Float(from: field).encodeKey(to: &writer)
        case .double: try Double(from: field).encodeKey(to: &writer)
        case .verbatim: writer.append(field)
        case .escaped: KeyEscape.append(field, to: &writer)
        case .url: try URL(from: field).encodeKey(to: &writer)
        case .duration: try Duration(from: field).encodeKey(to: &writer)
        case .optional(let wrapped):
            guard field.byteCount > 0 else { return writer.append(byte: 0) }
            writer.append(byte: 1)
            try wrapped.append(field.extracting(1..<field.byteCount), to: &writer)
        case .composite(let components):
            let table = try FieldTable(field)
            for (fieldIndex, component) in components.enumerated() {
                try component.append(table.field(fieldIndex), to: &writer)
            }
        }
    }

    private static func appendReversed(
        _ field: RawSpan, byteCount: Int, flippingSign: Bool, to writer: inout ByteWriter
    ) throws(CodecError) {
        try field.requireByteCount(byteCount, "an integer")
        switch byteCount {
        case 1:
            writer.append(byte: try field.loadInteger(at: 0, as: UInt8.self) ^ (flippingSign ? 0x80 : 0))
        case 2:
            writer.append(bigEndian: try field.loadInteger(at: 0, as: UInt16.self) ^ (flippingSign ? 0x8000 : 0))
        case 4:
            let word = try field.loadInteger(at: 0, as: UInt32.self)
            writer.append(bigEndian: word ^ (flippingSign ? 0x8000_0000 : 0))
        default:
            let word = try field.loadInteger(at: 0, as: UInt64.self)
            writer.append(bigEndian: word ^ (flippingSign ? 1 << 63 : 0))
        }
    }
}
