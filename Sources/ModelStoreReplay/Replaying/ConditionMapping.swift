import StoreEngine

/// Replaces the record ids in a condition with other ids.
struct ConditionMapping {
    /// The owner of the fields that a condition names.
    private indirect enum Subject {
        case record(RecordType)
        /// An element of a collection, which has no name. If it is a struct, its fields have names.
        case element(FieldType)
    }

    /// The part of a record's identity that a name denotes.
    private enum Named {
        /// The id of records of a type, or a reference to it.
        case id(ofType: String)
        /// One field of a composite id.
        case part(ofType: String, part: Int)
    }

    /// The replacements of ids, by the names of their types.
    private let identifiers: [String: [JSONValue: JSONValue]]
    private let types: [RecordType]
    /// Whether all ids could be replaced.
    private(set) var isComplete = true

    init(_ identifiers: [String: [JSONValue: JSONValue]], _ types: [RecordType]) {
        self.identifiers = identifiers
        self.types = types
    }

    /// Returns a condition on records of a type with the replaced ids.
    mutating func mapped(_ condition: ConditionNode, of type: RecordType) -> ConditionNode {
        mapped(condition, .record(type))
    }

    private mutating func mapped(_ condition: ConditionNode, _ subject: Subject) -> ConditionNode {
        switch condition {
        case .and(let parts): return .and(parts.map { mapped($0, subject) })
        case .or(let parts): return .or(parts.map { mapped($0, subject) })
        case .not(let part): return .not(mapped(part, subject))
        case .comparison(let name, let test, let value):
            return .comparison(name, test, mapped(value, of: name, subject))
        case .membership(let name, let values):
            return .membership(name, values.map { mapped($0, of: name, subject) })
        case .element(let name, let value): return .element(name, mapped(value, of: name, subject))
        case .elements(let name, let test, let part):
            guard let element = type(of: name, subject)?.elements else { return condition }
            return .elements(name, test, mapped(part, .element(element)))
        case .text(let name, _, let text, _):
            // A replacement need not begin with or contain the same text as the recorded id.
            let parts = replaced(by: name, subject).compactMap(\.string)
            if parts.contains(where: { $0.contains(text) || text.contains($0) }) { isComplete = false }
            return condition
        case .arithmetic(let left, _, let right):
            for name in Self.names(in: left) + Self.names(in: right) where !replaced(by: name, subject).isEmpty {
                isComplete = false
            }
            return condition
        case .inverse(let inverse, let part, let test, let count):
            guard let source = types.first(where: { $0.name == inverse.type }) else { return condition }
            return .inverse(inverse, mapped(part, .record(source)), test, count)
        case .constant, .fieldComparison, .size, .found, .invalid: return condition
        }
    }

    private mutating func mapped(_ value: DynamicValue, of name: FieldName, _ subject: Subject) -> DynamicValue {
        guard let type = type(of: name, subject), let named = named(name, subject) else { return value }
        switch named {
        case .id(let typeName):
            guard let map = identifiers[typeName] else { return value }
            // One value; for a collection, one element or all of them.
            if case .list(let values) = value, let element = type.elements {
                return .list(values.map { mapped($0, as: element, map) })
            }
            return mapped(value, as: type.elements ?? type, map)
        case .part:
            if replaced(by: name, subject).contains(value.json(as: type)) { isComplete = false }
            return value
        }
    }

    private func mapped(
        _ value: DynamicValue, as type: FieldType, _ map: [JSONValue: JSONValue]
    ) -> DynamicValue {
        guard let other = map[value.json(as: type)], let today = try? DynamicValue(json: other, as: type) else {
            return value
        }
        return today
    }

    /// Returns the ids, or the parts of them, that a name denotes and that have replacements.
    private func replaced(by name: FieldName, _ subject: Subject) -> [JSONValue] {
        switch named(name, subject) {
        case .id(let typeName): Array((identifiers[typeName] ?? [:]).keys)
        case .part(let typeName, let part): (identifiers[typeName] ?? [:]).keys.compactMap { $0[part] }
        case nil: []
        }
    }

    private static func names(in node: ArithmeticNode) -> [FieldName] {
        switch node {
        case .field(let name): [name]
        case .value: []
        case .operation(let left, _, let right): names(in: left) + names(in: right)
        }
    }

    // MARK: Names

    private func type(of name: FieldName, _ subject: Subject) -> FieldType? { end(of: name, subject)?.type }

    private func named(_ name: FieldName, _ subject: Subject) -> Named? {
        guard let end = end(of: name, subject) else { return nil }
        if let owner = end.owner, let part = owner.idFields.firstIndex(of: end.field) {
            return owner.idFields.count == 1
                ? .id(ofType: owner.name) : .part(ofType: owner.name, part: part)
        }
        return (end.type.reference?.target).map { .id(ofType: $0) }
    }

    /// Resolves a name: returns its type, and for a field of a record also the record type and the field's number.
    private func end(
        of name: FieldName, _ subject: Subject
    ) -> (type: FieldType, owner: RecordType?, field: UInt32)? {
        var subject = subject
        var end: (type: FieldType, owner: RecordType?, field: UInt32)?
        if case .element(let type) = subject { end = (type, nil, 0) }
        for part in name.parts {
            if let reached = end {
                switch reached.type.unwrapped {
                case .reference(let target, _):
                    guard let type = types.first(where: { $0.name == target }) else { return nil }
                    subject = .record(type)
                default: subject = .element(reached.type)
                }
            }
            switch subject {
            case .record(let type):
                guard let field = type.fields.first(where: { $0.name == part }) else { return nil }
                end = (field.type, type, field.id)
            case .element(let type):
                guard case .embedded(let schema) = type.unwrapped,
                    let field = schema.fields.first(where: { $0.name == part })
                else { return nil }
                end = (field.type, nil, 0)
            }
        }
        return end
    }
}
