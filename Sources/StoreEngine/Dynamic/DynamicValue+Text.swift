import Foundation

extension DynamicValue {
    /// This value as text for people: in a table, in a message or on the command line.
    package var text: String {
        switch self {
        case .none: ""
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .uint(let value): String(value)
        case .float(let value): value.isNaN ? "nan" : JSONValue(value).string ?? JSONWriter.text(of: JSONValue(value))
        case .double(let value): value.isNaN ? "nan" : JSONValue(value).string ?? JSONWriter.text(of: JSONValue(value))
        case .string(let value): value
        case .data(let bytes): Data(bytes).base64EncodedString()
        case .uuid(let value): value.uuidString
        case .date(let value): value.timeIntervalSinceReferenceDate.isNaN ? "nan" : value.iso8601
        case .url(let value): value.absoluteString
        case .decimal(let value): value.isNaN ? "nan" : value.description
        case .duration(let value): DurationText.text(of: value)
        case .json(let text): text
        case .list(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
        case .pairs(let pairs): "{" + pairs.map { $0.key.text + ": " + $0.value.text }.joined(separator: ", ") + "}"
        case .fields(let values): "(" + values.map(\.text).joined(separator: ", ") + ")"
        }
    }

    /// Parses a value for a field of `type` from a text: a CSV field or an argument. Compound types are JSON.
    ///
    /// - Throws: ``CodecError`` that names the values that the type accepts.
    package init(text: String, as type: FieldType, _ form: ValueForm = .plain) throws(CodecError) {
        switch type {
        case .string: self = .string(text)
        case .enumeration(let raw, let cases):
            self = try Self.enumerated(text, raw, cases) { () throws(CodecError) in
                try DynamicValue(text: text, as: raw)
            }
        case .reference(_, let id): self = try DynamicValue(text: text, as: id, form)
        case .uuid:
            self = .uuid(
                try Self.parse(text, type, "as in 3F2504E0-4F89-41D3-9A0C-0305E82C3301") { UUID(uuidString: $0) })
        case .date: self = .date(try Self.parse(text, type, "as in 2026-01-31T12:00:00Z") { Date(iso8601: $0) })
        case .url: self = .url(try Self.parse(text, type, "with spaces as %20") { URL(string: $0) })
        case .duration:
            self = .duration(try Self.parse(text, type, "as in PT1.5S") { DurationText.duration(of: $0) })
        case .data:
            self = .data(
                try Self.parse(text, type, "in base64, as in SGVsbG8=") { Data(base64Encoded: $0).map { [UInt8]($0) } })
        case .bool:
            self = .bool(
                try Self.parse(text, type, "true or false") { $0 == "true" ? true : $0 == "false" ? false : nil })
        case .optional(let wrapped): self = text.isEmpty ? .none : try DynamicValue(text: text, as: wrapped, form)
        case .float where NonFiniteText.float(of: text) != nil, .double where NonFiniteText.double(of: text) != nil,
            .decimal where text == "nan":
            self = try DynamicValue(json: .string(text), as: type)
        default:
            let json: JSONValue
            do {
                json = try JSONReader.read(text)
            } catch {
                throw CodecError("takes \(type), found \"\(RecordText.shortened(text))\"")
            }
            self = try DynamicValue(json: json, as: type, form)
        }
    }

    /// Reads a value of an enum: a raw value, or the name of a case if the catalog has the names. The encoding checks later
    /// whether a raw value is one of the cases.
    ///
    /// - Parameters:
    ///   - text: the input, if it is text; otherwise nil.
    ///   - read: reads a raw value.
    /// - Throws: ``CodecError`` that lists the cases, where `text` is neither a raw value nor a name.
    static func enumerated(
        _ text: String?, _ raw: FieldType, _ cases: EnumCases?, _ read: () throws(CodecError) -> DynamicValue
    ) throws(CodecError) -> DynamicValue {
        do {
            return try read()
        } catch {
            // A raw value in quotes, where the raw type accepts no quotes, is not a misspelled name.
            guard let text, let cases, !cases.contains(text) else { throw error }
            guard let rawText = cases.rawValue(named: text) else { throw cases.unknown(text) }
            return try DynamicValue(text: rawText, as: raw)
        }
    }

    /// - Parameter form: the description of the syntax, for the error message.
    private static func parse<T>(
        _ text: String, _ type: FieldType, _ form: String, _ body: (String) -> T?
    ) throws(CodecError) -> T {
        guard let value = body(text) else {
            throw CodecError("takes \(type), \(form), found \"\(RecordText.shortened(text))\"")
        }
        return value
    }
}

/// Durations as text: seconds as in ISO 8601, with as many decimal places as needed, such as `PT1.5S`.
package enum DurationText {
    /// Returns the text of `duration`.
    package static func text(of duration: Duration) -> String {
        let attoseconds = duration.attoseconds
        let magnitude = attoseconds.magnitude
        var fraction = String(magnitude % UInt128(attosecondsPerSecond))
        fraction = String(repeating: "0", count: 18 - fraction.count) + fraction
        while fraction.last == "0" { fraction.removeLast() }
        let whole = magnitude / UInt128(attosecondsPerSecond)
        return (attoseconds < 0 ? "-PT" : "PT") + "\(whole)" + (fraction.isEmpty ? "" : "." + fraction) + "S"
    }

    /// Returns the duration that `text` represents, or nil if it represents none.
    package static func duration(of text: String) -> Duration? {
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative { rest.removeFirst() }
        guard rest.hasPrefix("PT"), rest.hasSuffix("S") else { return nil }
        let parts = rest.dropFirst(2).dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), isDigits(parts[0]), let whole = Int128(parts[0]) else { return nil }
        let sign: Int128 = isNegative ? -1 : 1
        var fraction: Int128 = 0
        if parts.count == 2 {
            guard parts[1].count <= 18, isDigits(parts[1]) else { return nil }
            let padded = parts[1] + String(repeating: "0", count: 18 - parts[1].count)
            fraction = Int128(padded) ?? 0
        }
        // With the sign, because the least duration has no positive counterpart.
        let (scaled, overflow) = (sign * whole).multipliedReportingOverflow(by: Int128(attosecondsPerSecond))
        let (sum, sumOverflow) = scaled.addingReportingOverflow(sign * fraction)
        if overflow || sumOverflow { return nil }
        return Duration(attoseconds: sum)
    }

    private static let attosecondsPerSecond = 1_000_000_000_000_000_000

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }
}
