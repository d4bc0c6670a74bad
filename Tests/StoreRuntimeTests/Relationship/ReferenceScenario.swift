import StoreEngine
import TestSupport

/// Random record types that refer to each other and to themselves, and random writes to them.
struct ReferenceScenario {
    private static let idCount = 5
    private var random: TestRandom
    let schemas: [RecordSchema]
    private let idTypes: [FieldType]

    init(seed: UInt64) {
        var random = TestRandom(seed: seed)
        let names = (0..<(1 + random.below(4))).map { "T\($0)" }
        let composite = EmbeddedSchema(fields: [Self.field("a", .string), Self.field("b", .int16)])
        let idTypes = names.map { _ in random.pick([.int64, .string, .uint8, .embedded(composite)] as [FieldType]) }
        schemas = names.indices.map { type in
            var fields = [Self.field("id", idTypes[type])]
            var id = IDSchema([0])
            if case .embedded(let schema) = idTypes[type] {
                fields = schema.fields
                id = IDSchema([0, 1])
            }
            fields.append(Self.field("note", .optional(.int32)))
            var indexes: [IndexSchema] = []
            for number in 0..<random.below(4) {
                let target = random.below(names.count)
                let reference = FieldType.reference(to: names[target], id: idTypes[target])
                let shape = random.pick([
                    reference, .optional(reference), .optional(reference), .array(reference), .set(reference),
                    .optional(.array(reference)),
                ])
                let rules = shape == reference ? [.deny, .cascade, .none] : DeleteRule.allCases
                if shape.elements == nil, random.oneIn(5) {
                    indexes.append(IndexSchema([fields.count], isUnique: true))
                }
                fields.append(Self.field("r\(number)", shape, random.pick(rules)))
            }
            return RecordSchema(name: names[type], fields: fields, id: id, indexes: indexes)
        }
        self.idTypes = idTypes
        self.random = random
    }

    private static func field(_ name: String, _ type: FieldType, _ rule: DeleteRule = .deny) -> FieldSchema {
        FieldSchema(name: name, type: type, defaultValue: nil, renamedFrom: [], onDelete: rule)
    }

    /// Returns the operations of the next closure.
    mutating func closure() -> [DynamicOperation] {
        (0..<(1 + random.below(random.pick([3, 12])))).map { _ in
            let type = random.below(schemas.count)
            if random.oneIn(4) { return .delete(type: type, id: idValues(type, random.below(Self.idCount))) }
            let record = DynamicRecord(values: values(type))
            return .put(type: type, record, random.pick([.insert, .insert, .update, .upsert]))
        }
    }

    private mutating func values(_ type: Int) -> [DynamicValue] {
        var values = idValues(type, random.below(Self.idCount))
        for field in schemas[type].fields.dropFirst(values.count) { values.append(value(field.type)) }
        return values
    }

    private mutating func value(_ type: FieldType) -> DynamicValue {
        switch type {
        case .optional(let wrapped): return random.oneIn(3) ? .none : value(wrapped)
        case .array(let element): return .list((0..<random.below(4)).map { _ in value(element) })
        case .set(let element):
            var elements: [DynamicValue] = []
            for _ in 0..<random.below(4) {
                let element = value(element)
                if !elements.contains(element) { elements.append(element) }
            }
            return .list(elements)
        case .reference(let target, _):
            let target = schemas.firstIndex { $0.name == target } ?? 0
            let parts = idValues(target, random.below(Self.idCount))
            return parts.count == 1 ? parts[0] : .fields(parts)
        default: return .int(Int64(random.below(3)))
        }
    }

    private func idValues(_ type: Int, _ number: Int) -> [DynamicValue] {
        switch idTypes[type] {
        case .int64: [.int(Int64(number - 2))]
        case .uint8: [.uint(UInt64(number))]
        case .embedded: [.string(number < 3 ? "a" : "\u{0}b"), .int(Int64(number))]
        // An empty text, a short one, one that just fits into a key, and two that begin alike and are too long for a key.
        default: [.string(["", "x", String(repeating: "y", count: 250), Self.long + "1", Self.long + "2"][number])]
        }
    }

    private static let long = String(repeating: "long", count: 100)
}
