import Foundation
package import StoreEngine

/// A value as written in an expression, before its field determines the type.
package enum ExpressionLiteral: Equatable {
    case null
    case bool(Bool)
    case text(String)
    /// A number in JSON's form, `inf`, `-inf` or `nan`.
    case number(String)

    /// The text for messages.
    package var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .text(let text): "the text " + ExpressionSyntax.quoted(RecordText.shortened(text), by: "\"")
        case .number(let text): "the number " + RecordText.shortened(text)
        }
    }

    /// Returns the value as a value of `type`, which is not optional; nil if it is not of that type.
    package func value(as type: FieldType) -> DynamicValue? {
        switch (type, self) {
        case (.bool, .bool(let value)): return .bool(value)
        case (.int8, _), (.int16, _), (.int32, _), (.int64, _):
            return integer(type).flatMap { Int64(exactly: $0) }.map { .int($0) }
        case (.uint8, _), (.uint16, _), (.uint32, _), (.uint64, _):
            return integer(type).flatMap { UInt64(exactly: $0) }.map { .uint($0) }
        case (.float, .number(let text)): return json(text).float.map { .float($0) }
        case (.double, .number(let text)): return json(text).double.map { .double($0) }
        case (.decimal, .number(let text)), (.decimal, .text(let text)):
            if text == "nan" { return .decimal(.nan) }
            return JSONNumber(text: text)?.decimal.map { .decimal($0) }
        case (.enumeration(let raw, let cases), _):
            if let value = self.value(as: raw), cases?.contains(value.text) ?? true { return value }
            guard case .text(let name) = self, let rawText = cases?.rawValue(named: name) else { return nil }
            return try? DynamicValue(text: rawText, as: raw)
        case (.reference(_, let id), _): return value(as: id)
        case (.string, .text(let text)), (.uuid, .text(let text)), (.date, .text(let text)), (.url, .text(let text)),
            (.duration, .text(let text)), (.data, .text(let text)):
            return try? DynamicValue(text: text, as: type)
        default: return nil
        }
    }

    /// Returns a number as JSON. JSON writes numbers without digits, such as `nan`, as texts.
    private func json(_ text: String) -> JSONValue { JSONNumber(text: text).map { .number($0) } ?? .string(text) }

    private func integer(_ type: FieldType) -> Int128? {
        guard case .number(let text) = self, let number = JSONNumber(text: text) else { return nil }
        guard let value = number.int64.map({ Int128($0) }) ?? number.uint64.map({ Int128($0) }) else { return nil }
        return type.integerRange?.contains(value) ?? false ? value : nil
    }
}

extension FieldType {
    /// The range of an integer type.
    fileprivate var integerRange: ClosedRange<Int128>? {
        func range<I: FixedWidthInteger>(_ type: I.Type) -> ClosedRange<Int128> { Int128(I.min)...Int128(I.max) }
        return switch self {
        case .int8: range(Int8.self)
        case .int16: range(Int16.self)
        case .int32: range(Int32.self)
        case .int64: range(Int64.self)
        case .uint8: range(UInt8.self)
        case .uint16: range(UInt16.self)
        case .uint32: range(UInt32.self)
        case .uint64: range(UInt64.self)
        default: nil
        }
    }

    /// A description of the literals of this type, for messages.
    var literalDescription: String {
        if let range = integerRange { return "an integer from \(range.lowerBound) to \(range.upperBound) (\(self))" }
        switch self {
        case .bool: return "true or false (bool)"
        case .float, .double: return "a number that it can hold, inf, -inf or nan (\(self))"
        case .decimal: return "a number of up to 38 digits or nan (decimal)"
        case .date: return "a date in quotes such as \"2026-07-31T09:30:00Z\" (date)"
        case .duration: return "a duration in quotes such as \"PT1.5S\" (duration)"
        case .uuid: return "a UUID in quotes (uuid)"
        case .url: return "a URL in quotes (url)"
        case .data: return "base64 in quotes (data)"
        case .enumeration(let raw, let cases):
            guard let cases else { return raw.literalDescription }
            return "one of "
                + cases.list { value, name in
                    let value = raw == .string ? ExpressionSyntax.quoted(value, by: "\"") : value
                    return name.map { "\(ExpressionSyntax.quoted($0, by: "\"")) (\(value))" } ?? value
                }
        case .reference(_, let id): return id.literalDescription
        default: return "a text in quotes (\(self))"
        }
    }
}
