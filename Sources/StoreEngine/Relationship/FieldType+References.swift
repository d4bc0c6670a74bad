extension FieldType {
    /// The target of a reference: a record type and the type of its id.
    package struct ReferenceType: Hashable, Sendable {
        /// The name of the referenced record type.
        package let target: String
        /// The type of the target's id.
        package let id: FieldType
    }

    /// The target of each reference in a field of this type; nil where the field holds no references.
    package var reference: ReferenceType? {
        guard case .reference(let target, let id) = indexedType else { return nil }
        return ReferenceType(target: target, id: id)
    }

    /// Whether the type contains references that the store cannot follow. It follows only a reference that is the field itself,
    /// or an element of the array or set that the field holds.
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

    /// Returns whether the encoding of a field of references contains no reference.
    func refersToNothing(by bytes: [UInt8]) -> Bool {
        if bytes.isEmpty { return isOptional || elements != nil }
        return elements != nil && isOptional && bytes.count == 1
    }

    /// The type of the elements of an array or a set, which may be optional; nil for any other type.
    package var elements: FieldType? { unwrapped.elementType }

    /// The type of the values in an index over a field of this type: the elements of a collection, or the value itself.
    package var indexedType: FieldType { elements ?? unwrapped }

    /// Whether an index over a field of this type can have an entry for each element.
    package var hasIndexableElements: Bool { elements?.isIndexable ?? false }
}
