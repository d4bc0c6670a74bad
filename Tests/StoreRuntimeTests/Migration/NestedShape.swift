import StoreEngine

/// The type of a value. Members of structs have fixed numbers, independent of their names and order.
indirect enum NestedShape: Hashable {
    case scalar(FieldType)
    case optional(NestedShape)
    case array(NestedShape)
    case set(NestedShape)
    case dictionary(FieldType, NestedShape)
    case structure([Member])

    struct Member: Hashable {
        let number: Int
        var name: String
        var oldNames: [String] = []
        var shape: NestedShape
        /// The value that older values get; nil for an optional member.
        var defaultValue: NestedValue?
        /// Whether the current declaration includes the member. If not, the store keeps its values.
        var isDeclared = true
    }
}

/// A value, with struct members by number.
indirect enum NestedValue: Hashable {
    case none
    case scalar(DynamicValue)
    case list([NestedValue])
    case set(Set<NestedValue>)
    case pairs([DynamicValue: NestedValue])
    case fields([Int: NestedValue])
}

extension NestedShape {
    /// The type that the program declares.
    var declared: FieldType { type(\.isDeclared) }

    /// The stored type, with all members that the store keeps beyond the declaration.
    var stored: FieldType { type { _ in true } }

    private func type(_ has: (Member) -> Bool) -> FieldType {
        switch self {
        case .scalar(let type): return type
        case .optional(let inner): return .optional(inner.type(has))
        case .array(let inner): return inner == .scalar(.uint8) ? .data : .array(inner.type(has))
        case .set(let inner): return .set(inner.type(has))
        case .dictionary(let key, let inner): return .dictionary(key, inner.type(has))
        case .structure(let members):
            let ordered = members.filter(\.isDeclared) + members.filter { !$0.isDeclared && has($0) }
            return .embedded(
                EmbeddedSchema(
                    fields: ordered.map { member in
                        let type = member.shape.type(has)
                        return FieldSchema(
                            name: member.name, type: type, defaultValue: member.encodedDefault(as: type),
                            renamedFrom: member.oldNames)
                    }))
        }
    }

    var isOptional: Bool { if case .optional = self { true } else { false } }

    /// Converts a value of this shape to the type that the store has for it.
    func rendered(_ value: NestedValue, as type: FieldType) -> DynamicValue {
        switch (self, value, type) {
        case (.optional, .none, _): return .none
        case (.optional(let inner), _, .optional(let wrapped)): return inner.rendered(value, as: wrapped)
        case (.scalar, .scalar(let scalar), _): return scalar
        case (.array, .list(let elements), .data):
            return .data(elements.map { if case .scalar(.uint(let byte)) = $0 { UInt8(byte) } else { 0 } })
        case (.array(let inner), .list(let elements), .array(let element)):
            return .list(elements.map { inner.rendered($0, as: element) })
        case (.set(let inner), .set(let elements), .set(let element)):
            return .list(elements.map { inner.rendered($0, as: element) })
        case (.dictionary(_, let inner), .pairs(let pairs), .dictionary(_, let element)):
            return .pairs(pairs.map { DynamicPair(key: $0.key, value: inner.rendered($0.value, as: element)) })
        case (.structure(let members), .fields(let fields), .embedded(let schema)):
            return .fields(
                schema.fields.map { field in
                    guard let member = members.first(where: { $0.name == field.name }) else { return .none }
                    return member.shape.rendered(fields[member.number] ?? .none, as: field.type)
                })
        default: return .none
        }
    }

    /// Converts a value of the store's type to this shape. Returns nil if it does not have this shape.
    func read(_ value: DynamicValue, as type: FieldType) -> NestedValue? {
        switch (self, value, type) {
        case (.optional, .none, .optional): return NestedValue.none
        case (.optional(let inner), _, .optional(let wrapped)): return inner.read(value, as: wrapped)
        case (.scalar(let own), _, _): return own == type ? .scalar(value) : nil
        case (.array, .data(let bytes), .data): return .list(bytes.map { .scalar(.uint(UInt64($0))) })
        case (.array(let inner), .list(let elements), .array(let element)):
            let read = elements.compactMap { inner.read($0, as: element) }
            return read.count == elements.count ? .list(read) : nil
        case (.set(let inner), .list(let elements), .set(let element)):
            let read = Set(elements.compactMap { inner.read($0, as: element) })
            return read.count == elements.count ? .set(read) : nil
        case (.dictionary(let key, let inner), .pairs(let pairs), .dictionary(let storedKey, let element)):
            guard key == storedKey else { return nil }
            let read = pairs.compactMap { pair in inner.read(pair.value, as: element).map { (pair.key, $0) } }
            return read.count == pairs.count ? .pairs(Dictionary(read) { first, _ in first }) : nil
        case (.structure(let members), .fields(let values), .embedded(let schema)):
            guard members.count == values.count, values.count == schema.fields.count else { return nil }
            var read: [Int: NestedValue] = [:]
            for (value, field) in zip(values, schema.fields) {
                guard let member = members.first(where: { $0.name == field.name }) else { return nil }
                read[member.number] = member.shape.read(value, as: field.type)
            }
            return read.count == members.count ? .fields(read) : nil
        default: return nil
        }
    }
}

extension NestedShape.Member {
    fileprivate func encodedDefault(as type: FieldType) -> FieldDefault? {
        guard let defaultValue else { return nil }
        var writer = ByteWriter()
        do {
            try shape.rendered(defaultValue, as: type).encode(as: type, to: &writer)
        } catch {
            return nil
        }
        return .value(writer.array())
    }
}

extension NestedValue {
    /// Returns the value after its shape changes from `old` to `new`.
    func adapted(from old: NestedShape, to new: NestedShape) -> NestedValue {
        switch (old, new, self) {
        case (.optional, .optional, .none): return .none
        case (.optional(let old), .optional(let new), _): return adapted(from: old, to: new)
        case (_, .optional(let new), _): return adapted(from: old, to: new)
        case (.scalar, .scalar(let type), .scalar(let value)):
            return EvolvingModel.converted(value, to: type).map { .scalar($0) } ?? .none
        case (.array(let old), .array(let new), .list(let elements)):
            return .list(elements.map { $0.adapted(from: old, to: new) })
        case (.set(let old), .set(let new), .set(let elements)):
            return .set(Set(elements.map { $0.adapted(from: old, to: new) }))
        case (.dictionary(_, let old), .dictionary(let key, let new), .pairs(let pairs)):
            return .pairs(
                Dictionary(
                    uniqueKeysWithValues: pairs.map {
                        (EvolvingModel.converted($0.key, to: key) ?? .none, $0.value.adapted(from: old, to: new))
                    }))
        case (.structure(let old), .structure(let new), .fields(let fields)):
            var adapted: [Int: NestedValue] = [:]
            for member in new {
                let before = old.first { $0.number == member.number }
                let value = before.flatMap { fields[$0.number]?.adapted(from: $0.shape, to: member.shape) }
                adapted[member.number] = value ?? member.defaultValue ?? NestedValue.none
            }
            return .fields(adapted)
        default: return self
        }
    }
}
