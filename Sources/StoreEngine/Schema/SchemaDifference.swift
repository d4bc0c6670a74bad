/// One difference between a record type of the store and its declaration in a program, or in a version of a migration plan.
package enum SchemaDifference: Hashable, Sendable {
    /// A field of the declaration that the store lacks. A field inside a struct has its path as its name.
    case missingField(String, FieldType)
    /// A field of the store that the declaration lacks.
    case undeclaredField(String, FieldType)
    /// A field whose type differs.
    case type(String, stored: FieldType, declared: FieldType)
    /// A reference whose delete rule differs.
    case deleteRule(String, stored: DeleteRule, declared: DeleteRule)
    /// A field whose default differs.
    case defaultValue(String)
    /// A different id.
    case id
    /// An index of the declaration that the store lacks, as `index (room)` or `unique index (serial)`.
    case missingIndex(String)
    /// An index of the store that the declaration lacks.
    case undeclaredIndex(String)
}

extension SchemaDifference: CustomStringConvertible {
    /// The difference, phrased for a program and the store.
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

    /// Whether an addition to the declaration would remove the difference.
    package var isLack: Bool {
        switch self {
        case .undeclaredField, .undeclaredIndex: true
        default: false
        }
    }

    /// Returns the difference, phrased for a version that declares the record type.
    ///
    /// - Returns: nil for a difference that does not prevent the version from matching the store.
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
