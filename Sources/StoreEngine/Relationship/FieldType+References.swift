extension FieldType {
    /// What a reference names: the record type and the type of its id.
    package struct ReferenceType: Hashable, Sendable {
        /// The name of the record type that is referred to.
        package let target: String
        /// What the target's id holds.
        package let id: FieldType
    }

    /// What a field of this type refers to by each of its values; nil where it holds no references.
    package var reference: ReferenceType? {
        guard case .reference(let target, let id) = indexedType else { return nil }
        return ReferenceType(target: target, id: id)
    }

    /// Whether references stand where the store cannot follow them: anywhere but in the field itself or in the array or
    /// the set that it holds.
    var hidesReferences: Bool {
        switch self {
        case .optional(let wrapped): wrapped.hidesReferences
        case .array(let element), .set(let element):
            if case .reference = element { false } else { element.containsReferences }
        case .reference: false
        default: containsReferences
        }
    }

    private var containsReferences: Bool {
        switch self {
        case .reference: true
        case .optional(let inner), .array(let inner), .set(let inner): inner.containsReferences
        case .dictionary(let key, let value): key.containsReferences || value.containsReferences
        case .embedded(let schema): schema.fields.contains { $0.type.containsReferences }
        default: false
        }
    }

    /// Whether the encoding of a field of references holds none.
    func refersToNothing(by bytes: [UInt8]) -> Bool {
        if bytes.isEmpty { return isOptional || elements != nil }
        return elements != nil && isOptional && bytes.count == 1
    }

    /// What an array or a set holds, whether or not it is optional itself.
    package var elements: FieldType? { unwrapped.elementType }

    /// What an index over a field of this type has entries for: its elements, or the value itself.
    package var indexedType: FieldType { elements ?? unwrapped }

    /// Whether an index over a field of this type can have an entry for each element.
    package var hasIndexableElements: Bool { elements?.isIndexable ?? false }
}
