import Foundation
import StoreEngine

/// Puts other values in the place of those that a trace must not hold.
///
/// Equal values get equal ones, whatever field they are of, so that references, unique fields and conditions of equality still hold;
/// their order, and what they are like, is lost. A value that is not there stays so.
struct Redactor {
    /// The fields, by their types' names.
    private let fields: [String: Set<String>]
    /// The number of each value that was met, by its JSON.
    private var numbers: [String: Int] = [:]

    /// - Parameter names: fields, as `Type.field`; a whole type as `Type`.
    /// - Throws: `StoreError`: `unknownType`, `unknownField`; `notRecordable` for a field whose values nothing can stand for.
    init(_ names: [String], _ types: [RecordType]) throws(StoreError) {
        var fields: [String: Set<String>] = [:]
        for name in names {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2, let type = types.first(where: { $0.name == parts[0] && $0.isReplaced != true })
            else {
                throw StoreError(
                    .unknownType, "\(name) names no field of a record type that the store has",
                    remedy: "name it as Type.field")
            }
            guard let place = type.place(ofFieldNamed: parts[1]) else {
                throw StoreError(
                    .unknownField, "\(type.name) has no field \(parts[1])",
                    remedy: "it has \(type.fields.map(\.name).joined(separator: ", "))")
            }
            guard type.fields[place].type.hasPseudonyms else {
                throw StoreError(
                    .notRecordable, "\(name) is \(type.fields[place].type), whose values cannot be redacted",
                    remedy: "redact fields of text, numbers, data, UUIDs and dates, and arrays of these")
            }
            fields[type.name, default: []].insert(type.fields[place].name)
            guard type.idFields.contains(type.fields[place].id) else { continue }
            // Who refers to it has the same value, also where nobody has named that field.
            for other in types {
                for field in other.fields where field.type.reference?.target == type.name {
                    guard type.idFields.count == 1 else {
                        throw StoreError(
                            .notRecordable, "\(name) is a part of an id that \(other.name).\(field.name) refers to",
                            remedy: "redact fields that no reference holds")
                    }
                    fields[other.name, default: []].insert(field.name)
                }
            }
        }
        self.fields = fields
    }

    /// Whether a type has fields that are redacted.
    func redacts(_ typeName: String) -> Bool { fields[typeName] != nil }

    /// What is left of an action: its name. Nobody knows which of its values are those of redacted fields.
    func redact(_ action: RecordedAction) -> RecordedAction {
        RecordedAction(name: action.name, payload: Array("null".utf8), result: nil, seed: action.seed)
    }

    mutating func redact(_ record: inout JSONValue, of type: RecordType) {
        guard fields[type.name] != nil, case .object(var members) = record else { return }
        for (place, field) in type.fields.enumerated() { redact(&members[place].value, field, of: type) }
        record = .object(members)
    }

    mutating func redact(_ value: inout JSONValue, _ field: StoredField, of type: RecordType) {
        guard fields[type.name]?.contains(field.name) == true else { return }
        redact(&value, field.type)
    }

    private mutating func redact(_ value: inout JSONValue, _ type: FieldType) {
        switch type.unwrapped {
        case .array(let element), .set(let element):
            guard case .array(var elements) = value else { return }
            for index in elements.indices { redact(&elements[index], element) }
            value = .array(elements)
        default:
            if value.isNull { return }
            let key = JSONWriter.text(of: value)
            let number = numbers[key] ?? numbers.count + 1
            numbers[key] = number
            value = type.pseudonym(number)
        }
    }
}

extension FieldType {
    /// Whether there are values that can stand for others.
    fileprivate var hasPseudonyms: Bool {
        switch self {
        case .optional(let wrapped): wrapped.hasPseudonyms
        case .reference(_, let id): id.hasPseudonyms
        case .array(let element), .set(let element): element.hasPseudonyms
        case .string, .data, .uuid, .date, .double, .int16, .int32, .int64, .uint16, .uint32, .uint64: true
        default: false
        }
    }

    /// The value that stands for the one with this number.
    fileprivate func pseudonym(_ number: Int) -> JSONValue {
        switch self {
        case .optional(let wrapped): wrapped.pseudonym(number)
        case .reference(_, let id): id.pseudonym(number)
        case .string: .string("redacted-\(number)")
        case .data: DynamicValue.data(Array("redacted-\(number)".utf8)).json(as: .data)
        case .uuid:
            .string(
                "00000000-0000-0000-0000-" + String(String(number + 1 << 48, radix: 16, uppercase: true).suffix(12)))
        case .date: DynamicValue.date(.init(timeIntervalSinceReferenceDate: Double(number))).json(as: .date)
        default: .number(JSONNumber(number))
        }
    }
}
