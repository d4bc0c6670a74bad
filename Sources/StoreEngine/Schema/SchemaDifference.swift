/// One difference between a record type of the store and its declaration in a program or a version of one.
package enum SchemaDifference: Hashable, Sendable {
    /// A field of the declaration that the store lacks; inside structs by its path.
    case missingField(String, FieldType)
    /// A field of the store that the declaration lacks.
    case undeclaredField(String, FieldType)
    /// A field of another type.
    case type(String, stored: FieldType, declared: FieldType)
    /// A reference with another delete rule.
    case deleteRule(String, stored: DeleteRule, declared: DeleteRule)
    /// A field with another default.
    case defaultValue(String)
    /// Another id.
    case id
    /// An index of the declaration that the store lacks, as `index (room)` or `unique index (serial)`.
    case missingIndex(String)
    /// An index of the store that the declaration lacks.
    case undeclaredIndex(String)
}

extension SchemaDifference: CustomStringConvertible {
    /// The difference between a program and the store.
    package var description: String {
        switch self {
        case .missingField(let name, let type): "field \(name): \(type) is not in the store"
        case .undeclaredField(let name, let type): "field \(name): \(type) is only in the store"
        case .type(let name, let stored, let declared):
            "field \(name) is \(stored) in the store and \(declared) in the program"
        case .deleteRule(let name, let stored, let declared):
            "field \(name) has the delete rule \(stored) in the store and \(declared) in the program"
        case .defaultValue(let name): "field \(name) has another default in the store"
        case .id: "the id differs"
        case .missingIndex(let index): "\(index) is not in the store"
        case .undeclaredIndex(let index): "\(index) is only in the store"
        }
    }

    /// Whether the declaration would be as the store is once something is added to it.
    package var isLack: Bool {
        switch self {
        case .undeclaredField, .undeclaredIndex: true
        default: false
        }
    }

    /// The difference as said of a version that declares the record type; nil where it keeps no version from being the store's.
    package func text(ofVersionWith record: String) -> String? {
        switch self {
        case .missingField(let name, _): "declares the field \(record).\(name), which the store lacks"
        case .undeclaredField(let name, _): "lacks the field \(record).\(name)"
        case .type(let name, let stored, let declared):
            "declares \(record).\(name) as \(declared), which is \(stored) in the store"
        case .id: "declares another id of \(record)"
        case .missingIndex(let index): "declares the \(index) of \(record), which the store lacks"
        case .undeclaredIndex(let index): "lacks the \(index) of \(record)"
        case .deleteRule, .defaultValue: nil
        }
    }
}
