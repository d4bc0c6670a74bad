import Foundation
import StoreEngine

/// Puts other values in the place of those that a trace must not hold.
///
/// Equal values get equal ones, whatever field they are of, so that references, unique fields and conditions of equality still hold;
/// their order, and what they are like, is lost. A value that is not there stays so.
///
/// Fields are known by their numbers, as they may have had other names where the trace begins. They are looked up again with each
/// change of the schema: a type may take the place of another, a field may come again, and others may refer to what is redacted.
struct Redactor {
    /// The names of the fields, by those of their types: those that were asked for, and others that these fields have or had.
    private var names: [String: Set<String>] = [:]
    /// All types that were met, as they were last.
    private var types: [UInt32: RecordType] = [:]
    /// The numbers of the fields, by those of their types.
    private var fields: [UInt32: Set<UInt32>] = [:]
    /// The number of each value that was met, for each type of values: there are as many as the type has values. By the bytes of its
    /// JSON, as texts that Swift calls equal are others to the store.
    private var numbers: [String: [[UInt8]: Int]] = [:]

    /// - Parameters:
    ///   - names: fields, as `Type.field`, by a name that they have or had.
    ///   - types: all record types of the store, also those that others took the place of.
    /// - Throws: `StoreError`: `unknownType`, `unknownField`; `notRecordable` for a field whose values nothing can stand for.
    init(_ names: [String], _ types: [RecordType]) throws(StoreError) {
        for type in types { self.types[type.id] = type }
        for name in names {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            let named = types.filter { $0.name == parts.first }
            guard parts.count == 2, let newest = named.last(where: { $0.isReplaced != true }) ?? named.last else {
                throw StoreError(
                    .unknownType, "\(name) names no field of a record type that the store has",
                    remedy: "name it as Type.field")
            }
            guard named.contains(where: { type in type.everyField.contains { $0.hasOrHad(parts[1]) } }) else {
                throw StoreError(
                    .unknownField, "\(newest.name) has no field \(parts[1])",
                    remedy: "it has \(newest.fields.map(\.name).joined(separator: ", "))")
            }
            self.names[parts[0], default: []].insert(parts[1])
        }
        try lookUp()
    }

    /// Takes a type's new description: from here on its values are redacted by that.
    ///
    /// - Throws: `StoreError`: `notRecordable` for a field, by now to be redacted, whose values nothing can stand for.
    mutating func become(_ type: RecordType) throws(StoreError) {
        types[type.id] = type
        try lookUp()
    }

    /// Finds the fields that have the names, and those that refer to them, until there are no others. What was redacted stays so.
    private mutating func lookUp() throws(StoreError) {
        // In the order of their numbers, so that the error is the same each time.
        let types = types.values.sorted { $0.id < $1.id }
        var known: Int
        repeat {
            known = foundCount
            for type in types {
                try addNamed(of: type)
                try addReferrers(to: type, among: types)
            }
        } while known < foundCount
    }

    private var foundCount: Int {
        fields.values.reduce(0) { $0 + $1.count } + names.values.reduce(0) { $0 + $1.count }
    }

    private mutating func addNamed(of type: RecordType) throws(StoreError) {
        guard let wanted = names[type.name] else { return }
        for field in type.everyField where wanted.contains(where: field.hasOrHad) {
            try add(field, of: type)
            // Whatever has that name in the type that takes this one's place is redacted too.
            names[type.name]?.insert(field.name)
        }
    }

    private mutating func add(_ field: StoredField, of type: RecordType) throws(StoreError) {
        guard field.type.hasPseudonyms else {
            throw StoreError(
                .notRecordable, "\(type.name).\(field.name) is \(field.type), whose values cannot be redacted",
                remedy: "redact fields of text, numbers, data, UUIDs and dates, and arrays of these")
        }
        fields[type.id, default: []].insert(field.id)
    }

    /// Redacts what refers to a redacted id: who refers to it has the same value, also where nobody has named that field.
    private mutating func addReferrers(to type: RecordType, among types: [RecordType]) throws(StoreError) {
        guard let redacted = fields[type.id],
            let idFields = type.everyID.first(where: { !redacted.isDisjoint(with: $0) })
        else { return }
        for other in types {
            for referring in other.everyField where referring.type.reference?.target == type.name {
                guard idFields.count == 1 else {
                    throw StoreError(
                        .notRecordable,
                        "a part of the id of \(type.name) is redacted, which \(other.name).\(referring.name) refers to",
                        remedy: "redact fields that no reference holds")
                }
                fields[other.id, default: []].insert(referring.id)
            }
        }
    }

    /// What is left of an action: its name. Nobody knows which of its values are those of redacted fields, and those that it has drawn
    /// could be drawn again from its seed.
    func redact(_ action: RecordedAction) -> RecordedAction {
        RecordedAction(name: action.name, payload: Array("null".utf8), result: nil, seed: 0)
    }

    /// A type's description with what stands for its redacted fields' constants.
    mutating func redact(_ type: RecordType) throws(CodecError) -> RecordType {
        guard fields[type.id] != nil else { return type }
        var result = type
        result.fields = try redact(type.fields, of: type)
        for number in result.earlierVersions.indices {
            result.earlierVersions[number].fields = try redact(type.earlierVersions[number].fields, of: type)
        }
        return result
    }

    private mutating func redact(_ stored: [StoredField], of type: RecordType) throws(CodecError) -> [StoredField] {
        var result = stored
        for number in result.indices where fields[type.id]?.contains(result[number].id) == true {
            let field = result[number]
            if case .value(let bytes) = field.schema.defaultValue {
                result[number].schema = FieldSchema(
                    name: field.name, type: field.type, defaultValue: .value(try redact(bytes, as: field.type)),
                    renamedFrom: field.schema.renamedFrom, onDelete: field.schema.deleteRule)
            }
            if let missing = field.missing { result[number].missing = try redact(missing, as: field.type) }
        }
        return result
    }

    private mutating func redact(_ bytes: [UInt8], as type: FieldType) throws(CodecError) -> [UInt8] {
        let value = unsafe try DynamicValue(from: bytes.span.bytes, as: type)
        var json = value.json(as: type, .exact)
        redact(&json, type)
        var writer = ByteWriter(capacity: 32)
        try DynamicValue(json: json, as: type, .exact).encode(as: type, to: &writer)
        return writer.array()
    }

    mutating func redact(_ record: inout JSONValue, of type: RecordType) {
        guard fields[type.id] != nil, case .object(var members) = record else { return }
        for (fieldIndex, field) in type.fields.enumerated() { redact(&members[fieldIndex].value, field, of: type) }
        record = .object(members)
    }

    mutating func redact(_ value: inout JSONValue, _ field: StoredField, of type: RecordType) {
        guard fields[type.id]?.contains(field.id) == true else { return }
        redact(&value, field.type)
    }

    private mutating func redact(_ value: inout JSONValue, _ type: FieldType) {
        switch type.unwrapped {
        case .array(let element), .set(let element):
            guard case .array(var elements) = value else { return }
            for index in elements.indices { redact(&elements[index], element) }
            value = .array(elements)
            if case .set = type.unwrapped { value = Self.inOrder(value, type.unwrapped) }
        case let plain:
            if value.isNull { return }
            let (kind, key) = (plain.pseudonymKind, JSONWriter.bytes(of: value))
            let known = numbers[kind]?[key]
            let number = known ?? (numbers[kind]?.count ?? 0) + 1
            // In its place: a copy would copy all values that were met.
            if known == nil { numbers[kind, default: [:]][key] = number }
            value = plain.pseudonym(number)
        }
    }

    /// A set as a store gives it that has these elements.
    private static func inOrder(_ set: JSONValue, _ type: FieldType) -> JSONValue {
        do {
            var bytes = ByteWriter(capacity: 64)
            try DynamicValue(json: set, as: type).encode(as: type, to: &bytes)
            return try DynamicValue(from: bytes.bytes, as: type).json(as: type)
        } catch {
            // Cannot be: these values are of the type.
            return set
        }
    }
}

extension RecordType {
    /// The fields of all versions; one that was changed comes once for each of its forms.
    fileprivate var everyField: [StoredField] { earlierVersions.flatMap(\.fields) + fields }

    /// The fields of the id of all versions, by number.
    fileprivate var everyID: [[UInt32]] { [idFields] + earlierVersions.compactMap(\.idFields) }
}

extension StoredField {
    /// Whether this is, or was, the field's name.
    fileprivate func hasOrHad(_ name: String) -> Bool { self.name == name || schema.renamedFrom.contains(name) }
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

    /// Which types have their values numbered together: those whose values have one form, so that a reference has that of the id.
    fileprivate var pseudonymKind: String {
        switch self {
        case .reference(_, let id): id.pseudonymKind
        default: "\(self)"
        }
    }

    /// The value that stands for the one with this number. 16 bits have no more values than numbers.
    fileprivate func pseudonym(_ number: Int) -> JSONValue {
        switch self {
        case .optional(let wrapped): wrapped.pseudonym(number)
        case .reference(_, let id): id.pseudonym(number)
        case .string: .string("redacted-\(number)")
        case .data: DynamicValue.data(Array("redacted-\(number)".utf8)).json(as: .data)
        case .uuid:
            .string(
                "00000000-0000-0000-0000-" + String(String(number + 1 << 48, radix: 16, uppercase: true).suffix(12)))
        case .int16: .number(JSONNumber(Int(Int16(truncatingIfNeeded: number))))
        case .uint16: .number(JSONNumber(Int(UInt16(truncatingIfNeeded: number))))
        case .date: DynamicValue.date(.init(timeIntervalSinceReferenceDate: Double(number))).json(as: .date)
        default: .number(JSONNumber(number))
        }
    }
}
