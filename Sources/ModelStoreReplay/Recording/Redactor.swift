import Foundation
import StoreEngine

/// Replaces values that a trace must not contain with pseudonyms.
///
/// Equal values get equal pseudonyms in all fields, so that references, unique fields and equality conditions still hold. Order
/// and similarity of values are lost. A missing value stays missing.
///
/// The redactor identifies fields by number, because they may have had other names where the trace begins. It looks them up again
/// at each change of the schema. A type may replace another, a field may return, and other fields may begin to refer to a
/// redacted one.
struct Redactor {
    /// The field names, by the names of their types: the requested ones, and other names that these fields have or had.
    private var names: [String: Set<String>] = [:]
    /// The last description of each type.
    private var types: [UInt32: RecordType] = [:]
    /// The field numbers, by the numbers of their types.
    private var fields: [UInt32: Set<UInt32>] = [:]
    /// The number of each value, for each type of values. A type has as many numbers as it has values. The key is the bytes of
    /// the value's JSON, because the store distinguishes texts that Swift considers equal.
    private var numbers: [String: [[UInt8]: Int]] = [:]

    /// - Parameters:
    ///   - names: fields, as `Type.field`, by a name that they have or had.
    ///   - types: all record types of the store, including types that were replaced.
    /// - Throws: `StoreError`: `unknownType`, `unknownField`; `notRecordable` for a field whose values have no pseudonyms.
    init(_ names: [String], _ types: [RecordType]) throws(StoreError) {
        for type in types { self.types[type.id] = type }
        for name in names {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            let named = types.filter { $0.name == parts.first }
            guard parts.count == 2, let newest = named.last(where: { $0.isReplaced != true }) ?? named.last else {
                throw StoreError(
                    .unknownType, "\(name) is not a field of a record type in the store",
                    remedy: "write it as Type.field")
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

    /// Takes a type's new description, and redacts later values with it.
    ///
    /// - Throws: `StoreError`: `notRecordable` for a field that must now be redacted and whose values have no pseudonyms.
    mutating func become(_ type: RecordType) throws(StoreError) {
        types[type.id] = type
        try lookUp()
    }

    /// Finds the fields with the names, and the fields that refer to them, until there are no more. A redacted field stays
    /// redacted.
    private mutating func lookUp() throws(StoreError) {
        // Ordered by type number, so that the error is deterministic.
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
            // If another type replaces this one, its field with this name is redacted too.
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

    /// Redacts the fields that refer to a redacted id. They contain the same values, even if the caller did not name them.
    private mutating func addReferrers(to type: RecordType, among types: [RecordType]) throws(StoreError) {
        guard let redacted = fields[type.id],
            let idFields = type.everyID.first(where: { !redacted.isDisjoint(with: $0) })
        else { return }
        for other in types {
            for referring in other.everyField where referring.type.reference?.target == type.name {
                guard idFields.count == 1 else {
                    throw StoreError(
                        .notRecordable,
                        "a part of the id of \(type.name) is redacted, and \(other.name).\(referring.name) refers to that id",
                        remedy: "redact only fields that no reference contains")
                }
                fields[other.id, default: []].insert(referring.id)
            }
        }
    }

    /// Returns the part of an action that is safe to record: its name. The redactor cannot tell which payload values belong to
    /// redacted fields, and the seed would reproduce the values that the action drew.
    func redact(_ action: RecordedAction) -> RecordedAction {
        RecordedAction(name: action.name, payload: Array("null".utf8), result: nil, seed: 0)
    }

    /// Returns a type's description with pseudonyms for the constants of its redacted fields.
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
            // Updated in place: a copy would copy all known values.
            if known == nil { numbers[kind, default: [:]][key] = number }
            value = plain.pseudonym(number)
        }
    }

    /// Returns the set with its elements in the order in which a store returns them.
    private static func inOrder(_ set: JSONValue, _ type: FieldType) -> JSONValue {
        do {
            var bytes = ByteWriter(capacity: 64)
            try DynamicValue(json: set, as: type).encode(as: type, to: &bytes)
            return try DynamicValue(from: bytes.bytes, as: type).json(as: type)
        } catch {
            // Cannot happen: the values are of the type.
            return set
        }
    }
}

extension RecordType {
    /// The fields of all versions. A changed field occurs once per form.
    fileprivate var everyField: [StoredField] { earlierVersions.flatMap(\.fields) + fields }

    /// The numbers of the id fields, for all versions.
    fileprivate var everyID: [[UInt32]] { [idFields] + earlierVersions.compactMap(\.idFields) }
}

extension StoredField {
    /// Whether this is, or was, the field's name.
    fileprivate func hasOrHad(_ name: String) -> Bool { self.name == name || schema.renamedFrom.contains(name) }
}

extension FieldType {
    /// Whether the type has values that can serve as pseudonyms.
    fileprivate var hasPseudonyms: Bool {
        switch self {
        case .optional(let wrapped): wrapped.hasPseudonyms
        case .reference(_, let id): id.hasPseudonyms
        case .array(let element), .set(let element): element.hasPseudonyms
        case .string, .data, .uuid, .date, .double, .int16, .int32, .int64, .uint16, .uint32, .uint64: true
        default: false
        }
    }

    /// The types with the same kind number their values together. They write values in the same form, so a reference gets the
    /// same pseudonym as the id.
    fileprivate var pseudonymKind: String {
        switch self {
        case .reference(_, let id): id.pseudonymKind
        default: "\(self)"
        }
    }

    /// Returns the pseudonym with this number. A 16-bit type has no more values than numbers.
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
