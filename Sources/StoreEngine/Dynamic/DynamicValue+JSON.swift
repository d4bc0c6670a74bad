import Foundation

// The JSON form of values, as `store-cli` prints and reads it. A written value reads back without loss. In the forms of traces
// and exports, the JSON that a field holds also reads back with all its bytes.
extension DynamicValue {
    /// Returns the JSON form of this value in a field of `type`.
    package func json(as type: FieldType, _ form: ValueForm = .plain) -> JSONValue {
        switch (self, type) {
        case (.none, _): .null
        case (_, .optional(let wrapped)): form.json(ofOptional: json(as: wrapped, form))
        case (_, .reference(_, let id)): json(as: id, form)
        case (.bool(let value), _): .bool(value)
        case (.int(let value), _): .number(JSONNumber(value))
        case (.uint(let value), _): .number(JSONNumber(value))
        case (.float(let value), _): JSONValue(value)
        case (.double(let value), _): JSONValue(value)
        case (.string(let value), _): .string(value)
        case (.data(let bytes), _): .string(Data(bytes).base64EncodedString())
        case (.uuid(let value), _): .string(value.uuidString)
        case (.date(let value), _): .string(value.iso8601)
        case (.url(let value), _): urlJSON(value)
        case (.decimal(let value), _): JSONNumber(value).map { .number($0) } ?? .string("nan")
        case (.duration(let value), _): .string(DurationText.text(of: value))
        case (.json(let text), _): form.json(ofText: text)
        case (.list(let values), .array(let element)), (.list(let values), .set(let element)):
            .array(values.map { $0.json(as: element, form) })
        case (.pairs(let pairs), .dictionary(let key, let value)): pairsJSON(pairs, key, value, form)
        case (.fields(let values), .embedded(let schema)):
            .object(zip(schema.fields, values).map { JSONMember($0.name, $1.json(as: $0.type, form)) })
        default: .null
        }
    }

    private func urlJSON(_ url: URL) -> JSONValue {
        guard let base = url.baseURL else { return .string(url.absoluteString) }
        return .object([
            JSONMember("base", .string(base.absoluteString)), JSONMember("relative", .string(url.relativeString)),
        ])
    }

    // A dictionary becomes an object if its keys are strings, otherwise an array of pairs.
    private func pairsJSON(
        _ pairs: [DynamicPair], _ key: FieldType, _ value: FieldType, _ form: ValueForm
    ) -> JSONValue {
        if key.rawType == .string {
            return .object(pairs.map { JSONMember($0.key.text, $0.value.json(as: value, form)) })
        }
        return .array(pairs.map { .array([$0.key.json(as: key, form), $0.value.json(as: value, form)]) })
    }

    /// Reads a value for a field of `type` from JSON.
    ///
    /// - Throws: ``CodecError`` that names the values that the type accepts.
    package init(json: JSONValue, as type: FieldType, _ form: ValueForm = .plain) throws(CodecError) {
        switch type {
        case .optional(let wrapped):
            if case .null = json {
                self = .none
            } else {
                self = try DynamicValue(json: json, as: wrapped, form)
            }
        case .bool:
            guard let value = json.bool else { throw Self.expected("true or false", type, json) }
            self = .bool(value)
        case .int8, .int16, .int32, .int64:
            guard let value = json.number?.int64 else { throw Self.expected("an integer", type, json) }
            self = .int(value)
        case .uint8, .uint16, .uint32, .uint64:
            guard let value = json.number?.uint64 else { throw Self.expected("an integer not below 0", type, json) }
            self = .uint(value)
        case .float:
            guard let value = json.float else { throw Self.expected("a number", type, json) }
            self = .float(value)
        case .double:
            guard let value = json.double else { throw Self.expected("a number", type, json) }
            self = .double(value)
        case .decimal:
            if json.string == "nan" {
                self = .decimal(.nan)
            } else {
                guard let value = json.number?.decimal else { throw Self.expected("a number", type, json) }
                self = .decimal(value)
            }
        case .json: self = .json(try form.text(of: json))
        case .enumeration(let raw, let cases):
            self = try Self.enumerated(json.string, raw, cases) { () throws(CodecError) in
                try DynamicValue(json: json, as: raw, form)
            }
        case .reference(_, let id): self = try DynamicValue(json: json, as: id, form)
        case .array, .set, .dictionary, .embedded: self = try DynamicValue(compound: json, as: type, form)
        case .url where json.object != nil: self = try DynamicValue(relativeURL: json)
        default:
            guard let text = json.string else { throw Self.expected("a text", type, json) }
            self = try DynamicValue(text: text, as: type, form)
        }
    }

    private init(compound json: JSONValue, as type: FieldType, _ form: ValueForm) throws(CodecError) {
        switch type {
        case .array(let element), .set(let element):
            guard let elements = json.array else { throw Self.expected("an array", type, json) }
            var values: [DynamicValue] = []
            for value in elements { values.append(try DynamicValue(json: value, as: element, form)) }
            self = .list(values)
        case .dictionary(let keyType, let valueType):
            var pairs: [DynamicPair] = []
            if keyType.rawType == .string, let members = json.object {
                for member in members {
                    let value = try DynamicValue(json: member.value, as: valueType, form)
                    pairs.append(DynamicPair(key: .string(member.key), value: value))
                }
            } else {
                guard let elements = json.array else { throw Self.expected("an array of pairs", type, json) }
                for element in elements {
                    guard let pair = element.array, pair.count == 2 else {
                        throw Self.expected("an array of pairs", type, json)
                    }
                    let key = try DynamicValue(json: pair[0], as: keyType, form)
                    let value = try DynamicValue(json: pair[1], as: valueType, form)
                    pairs.append(DynamicPair(key: key, value: value))
                }
            }
            self = .pairs(pairs)
        case .embedded(let schema):
            guard let members = json.object else { throw Self.expected("an object", type, json) }
            self = .fields(try DynamicFields.values(from: members, for: schema.fields, form))
        default: throw Self.expected("another value", type, json)
        }
    }

    private init(relativeURL json: JSONValue) throws(CodecError) {
        guard let base = json["base"]?.string, let relative = json["relative"]?.string, let baseURL = URL(string: base),
            let url = URL(string: relative, relativeTo: baseURL)
        else { throw Self.expected("an object of base and relative", .url, json) }
        self = .url(url)
    }

    private static func expected(_ what: String, _ type: FieldType, _ json: JSONValue) -> CodecError {
        if case .null = json { return CodecError("is null, but \(type) is not optional") }
        // For a number, the message includes the number itself, which shows why the type rejects it.
        let found = json.number.map { "the number \(RecordText.shortened($0.description))" } ?? json.kindDescription
        return CodecError("takes \(what) (\(type)), found \(found)")
    }
}
