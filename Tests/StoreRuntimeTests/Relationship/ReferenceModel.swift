import StoreEngine

/// The rules of references, implemented naively: it searches all records for everything.
struct ReferenceModel {
    /// A record, identified by the position of its type and by its id.
    struct Key: Hashable {
        let type: Int
        let id: DynamicValue
    }

    /// The reason why an operation fails.
    enum Refusal: Equatable {
        case exists, missing, notUnique
    }

    let schemas: [RecordSchema]
    private(set) var records: [Key: [DynamicValue]] = [:]

    init(_ schemas: [RecordSchema]) { self.schemas = schemas }

    mutating func put(_ type: Int, _ values: [DynamicValue], _ mode: WriteMode) -> Refusal? {
        let key = Key(type: type, id: id(type, values))
        if mode == .insert, records[key] != nil { return .exists }
        if mode == .update, records[key] == nil { return .missing }
        for index in schemas[type].indexes where index.isUnique {
            let value = values[index.fields[0]]
            let isTaken = records.contains { other, stored in
                other.type == type && other != key && stored[index.fields[0]] == value
            }
            if value != .none, isTaken { return .notUnique }
        }
        records[key] = values
        return nil
    }

    mutating func delete(_ key: Key) -> Bool {
        guard records.removeValue(forKey: key) != nil else { return false }
        var gone = [key]
        while let target = gone.popLast() {
            for (key, _) in records {
                for (place, field) in schemas[key.type].fields.enumerated() {
                    guard let values = records[key], refers(field, values[place], to: target) else { continue }
                    switch field.deleteRule {
                    case .deny, .none: break
                    case .nullify:
                        let rest = without(target, values[place], field)
                        records[key]?[place] = rest
                    case .cascade:
                        records[key] = nil
                        gone.append(key)
                    }
                }
            }
        }
        return true
    }

    /// Whether a reference dangles under any rule other than `none`.
    var isBroken: Bool {
        records.contains { key, values in
            zip(schemas[key.type].fields, values).contains { field, value in
                field.deleteRule != .none && ids(field, value).contains { records[$0] == nil }
            }
        }
    }

    func id(_ type: Int, _ values: [DynamicValue]) -> DynamicValue {
        let places = schemas[type].id.fields
        return places.count == 1 ? values[places[0]] : .fields(places.map { values[$0] })
    }

    private func refers(_ field: FieldSchema, _ value: DynamicValue, to target: Key) -> Bool {
        ids(field, value).contains(target)
    }

    private func ids(_ field: FieldSchema, _ value: DynamicValue) -> [Key] {
        guard let reference = field.type.reference, value != .none,
            let type = schemas.firstIndex(where: { $0.name == reference.target })
        else { return [] }
        if case .list(let elements) = value { return elements.map { Key(type: type, id: $0) } }
        return [Key(type: type, id: value)]
    }

    private func without(_ target: Key, _ value: DynamicValue, _ field: FieldSchema) -> DynamicValue {
        guard case .list(let elements) = value else { return .none }
        return .list(elements.filter { $0 != target.id })
    }
}
