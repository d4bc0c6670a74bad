/// Converts the encoded bytes of a field from one type to another.
///
/// The new type may be unable to hold some values of the old type. A conversion fails for such values. A migration uses such a
/// conversion only after it has checked all values in the store.
package indirect enum FieldConversion: Hashable, Sendable {
    /// The bytes stay the same.
    case none
    /// A number from one scalar type to another.
    case number(from: FieldType, to: FieldType)
    /// A value becomes an optional.
    case wrap(FieldConversion)
    /// An optional becomes a value. Nil is an error.
    case unwrap(FieldConversion)
    /// The value inside an optional is converted.
    case optional(FieldConversion)
    /// A raw value becomes the raw value of one of the cases with these texts. Any other value is an error.
    case cases(FieldType, Set<String>, FieldConversion)
    /// The fields of an embedded struct are converted. `dropsFields` is true if the old struct has other fields, whose values are
    /// lost.
    case embedded([EmbeddedSource], dropsFields: Bool)
    /// The elements of an array are converted one by one.
    case array(ElementConversion)
    /// The elements of a set are converted, which may change their order.
    case set(ElementConversion)
    /// The keys and values of a dictionary are converted, which may change their order.
    case dictionary(ElementConversion, ElementConversion)

    /// The source of a field in the new embedded struct.
    package enum EmbeddedSource: Hashable, Sendable {
        /// A field of the old struct, by its field index.
        case field(Int, FieldConversion)
        /// The value of a field that the old struct did not have.
        case constant([UInt8])
    }
}

extension FieldConversion {
    /// Returns the conversion between two types; nil if there is none.
    package static func between(_ old: FieldType, _ new: FieldType) -> FieldConversion? {
        if old == new { return FieldConversion.none }
        switch (old, new) {
        case (.optional(let old), .optional(let new)):
            return between(old, new).map { $0 == .none ? .none : .optional($0) }
        case (_, .optional(let new)): return between(old, new).map { .wrap($0) }
        case (.optional(let old), _): return between(old, new).map { .unwrap($0) }
        case (.enumeration(let oldRaw, let oldCases), .enumeration(let newRaw, let newCases)):
            guard let inner = between(oldRaw, newRaw) else { return nil }
            guard let newCases else { return inner }
            if let oldCases, Set(oldCases).isSubset(of: newCases), inner == .none { return FieldConversion.none }
            return .cases(newRaw, Set(newCases), inner)
        case (.enumeration(let raw, _), _): return between(raw, new)
        case (_, .enumeration(let raw, let cases)):
            guard let inner = between(old, raw) else { return nil }
            return cases.map { .cases(raw, Set($0), inner) } ?? inner
        case (.embedded(let old), .embedded(let new)): return embedded(old, new)
        case (.array(let old), .array(let new)):
            return ElementConversion(old, new).map { $0.changesNothing ? .none : .array($0) }
        // The encoding of an array of bytes is these bytes.
        case (.data, .array): return between(.array(.uint8), new)
        case (.array, .data): return between(old, .array(.uint8))
        case (.set(let old), .set(let new)):
            return ElementConversion(old, new).map { $0.changesNothing ? .none : .set($0) }
        case (.dictionary(let oldKey, let oldValue), .dictionary(let newKey, let newValue)):
            guard let keys = ElementConversion(oldKey, newKey), let values = ElementConversion(oldValue, newValue)
            else { return nil }
            return keys.changesNothing && values.changesNothing ? FieldConversion.none : .dictionary(keys, values)
        case (.reference(let oldTarget, let old), .reference(let newTarget, let new)):
            // The id must keep its form, but an enum in it may have new cases.
            return oldTarget == newTarget && between(old, new) == FieldConversion.none ? FieldConversion.none : nil
        default: return old.isNumber && new.isNumber ? .number(from: old, to: new) : nil
        }
    }

    private static func embedded(_ old: EmbeddedSchema, _ new: EmbeddedSchema) -> FieldConversion? {
        var sources: [EmbeddedSource] = []
        for field in new.fields {
            if let index = FieldMatch.index(of: field, among: old.fields, besides: new.fields) {
                guard let conversion = between(old.fields[index].type, field.type) else { return nil }
                sources.append(.field(index, conversion))
            } else if let bytes = field.fillingBytes(now: nil) {
                sources.append(.constant(bytes))
            } else {
                return nil
            }
        }
        let isSame =
            old.fields.count == new.fields.count
            && sources.enumerated().allSatisfy { $0.element == .field($0.offset, .none) }
        if isSame { return FieldConversion.none }
        let kept = sources.compactMap { if case .field(let index, _) = $0 { index } else { nil } }
        return .embedded(sources, dropsFields: Set(kept).count < old.fields.count)
    }

    /// Whether the new type can hold every value of the old type.
    package var isLossless: Bool {
        switch self {
        case .none: true
        case .number(let old, let new): FieldConversion.isWidening(old, new)
        case .wrap(let inner), .optional(let inner): inner.isLossless
        case .unwrap, .cases: false
        case .embedded(let sources, let dropsFields):
            !dropsFields && sources.allSatisfy { if case .field(_, let inner) = $0 { inner.isLossless } else { true } }
        case .array(let elements), .set(let elements): elements.isLossless
        case .dictionary(let keys, let values): keys.isLossless && values.isLossless
        }
    }

    private static func isWidening(_ old: FieldType, _ new: FieldType) -> Bool {
        switch new {
        case .double: old == .float || (old.integerBits.map { $0 <= 32 } ?? false)
        case .float: old.integerBits.map { $0 <= 16 } ?? false
        default:
            if let from = old.integerBits, let into = new.integerBits {
                old.isSigned ? new.isSigned && into >= from : into > from || (into == from && !new.isSigned)
            } else {
                false
            }
        }
    }

    /// Returns the converted bytes of a field; nil if the new type cannot hold the value.
    func converted(_ bytes: [UInt8]) -> [UInt8]? {
        var writer = ByteWriter()
        do {
            unsafe try append(bytes.span.bytes, to: &writer)
        } catch {
            return nil
        }
        return writer.array()
    }

    /// Appends the converted bytes of a field.
    ///
    /// - Throws: ``CodecError`` with the reason why the new type cannot hold the value.
    package func append(_ bytes: RawSpan, to writer: inout ByteWriter) throws(CodecError) {
        switch self {
        case .none: writer.append(bytes)
        case .number(let old, let new): try NumberConversion.append(bytes, old, new, to: &writer)
        case .wrap(let inner):
            writer.append(byte: 1)
            try inner.append(bytes, to: &writer)
        case .unwrap(let inner):
            guard bytes.byteCount > 0 else { throw CodecError("it is null, and the new type is not optional") }
            try inner.append(bytes.extracting(1..<bytes.byteCount), to: &writer)
        case .optional(let inner):
            guard bytes.byteCount > 0 else { return }
            writer.append(byte: 1)
            try inner.append(bytes.extracting(1..<bytes.byteCount), to: &writer)
        case .cases(let raw, let cases, let inner):
            let start = writer.count
            try inner.append(bytes, to: &writer)
            let value = try DynamicValue(from: writer.bytes.extracting(start..<writer.count), as: raw)
            guard cases.contains(value.text) else { throw CodecError("\(value.text) is not one of the cases") }
        case .embedded(let sources, _): try FieldConversion.append(sources, of: bytes, to: &writer)
        case .array(let elements): try elements.appendArray(bytes, to: &writer)
        case .set(let elements): try elements.appendSet(bytes, to: &writer)
        case .dictionary(let keys, let values): try keys.appendDictionary(bytes, values: values, to: &writer)
        }
    }

    private static func append(
        _ sources: [EmbeddedSource], of bytes: RawSpan, to writer: inout ByteWriter
    ) throws(CodecError) {
        let table = try FieldTable(bytes)
        var encoder = FieldEncoder()
        encoder.begin(fieldCount: sources.count)
        for source in sources {
            switch source {
            case .field(let index, let inner):
                var field = ByteWriter()
                try inner.append(table.field(index), to: &field)
                encoder.append(encoded: field.bytes)
            case .constant(let constant): unsafe encoder.append(encoded: constant.span.bytes)
            }
        }
        try encoder.finish()
        writer.append(encoder.bytes)
    }
}

extension FieldType {
    /// Whether the type is a number that can be converted to other numbers.
    fileprivate var isNumber: Bool { isInteger || self == .float || self == .double }

    fileprivate var integerBits: Int? { isInteger ? fixedByteCount.map { $0 * 8 } : nil }

    fileprivate var isSigned: Bool {
        switch self {
        case .int8, .int16, .int32, .int64: true
        default: false
        }
    }
}
