/// The inverse of a reference, by names. It stands for the records of a type that refer with one field to another record. That
/// record is the record at hand, or a record at the end of a path from it.
package struct InverseName: Hashable, Sendable {
    /// The references on the path from the record at hand to the referenced record; empty for the record at hand.
    package let path: FieldName
    /// The name of the referring record type.
    package let type: String
    /// The name of the referring field.
    package let field: String

    package init(path: FieldName = FieldName([]), type: String, field: String) {
        self.path = path
        self.type = type
        self.field = field
    }

    /// Returns the same inverse at the end of another path.
    func behind(_ path: FieldName) -> InverseName { InverseName(path: path, type: type, field: field) }

    /// Whether the referenced record is the record at hand.
    var isOfRecord: Bool { path.parts.isEmpty }

    /// The name in the syntax of expressions.
    package var text: String {
        (isOfRecord ? "" : path.text + ".") + "inverse(\(FieldName([type, field]).text))"
    }
}

extension ConditionNode {
    /// The names of the record types whose records the condition's inverses find.
    package var referringTypes: [String] {
        switch self {
        case .inverse(let inverse, let condition, _, _): [inverse.type] + condition.referringTypes
        case .and(let parts), .or(let parts): parts.flatMap(\.referringTypes)
        case .not(let part), .elements(_, _, let part): part.referringTypes
        default: []
        }
    }
}

extension Catalog {
    /// Returns the reference that an inverse belongs to.
    ///
    /// - Parameter target: the index of the referenced type in the catalog.
    /// - Throws: ``StoreError``: `unknownType`; `unknownField`; `invalidValue` where the field does not refer to records of that
    ///   type.
    func reference(_ inverse: InverseName, to target: Int) throws(StoreError) -> OpenReference {
        let source = try requireTypeIndex(named: inverse.type)
        let type = types[source].type
        guard let fieldIndex = type.fieldIndex(named: inverse.field) else {
            throw FieldAccess.unknown(in: type.name, type.fields.map(\.name), inverse.field)
        }
        let reference = references.incoming[target].first { $0.source == source && $0.fieldIndex == fieldIndex }
        if let reference { return reference }
        throw StoreError(
            .invalidValue, "\(inverse.type).\(inverse.field) does not refer to \(types[target].name)",
            remedy: "name a field that does")
    }
}
