/// The way back along a reference, by names: the records of a type that refer by a field to the one at hand, or to one that
/// it refers to.
package struct InverseName: Hashable, Sendable {
    /// The references on the way to the record that is referred to; empty for the one at hand.
    package let path: FieldName
    /// The name of the type whose records refer.
    package let type: String
    /// The name of the field by which they do.
    package let field: String

    package init(path: FieldName = FieldName([]), type: String, field: String) {
        self.path = path
        self.type = type
        self.field = field
    }

    /// The same behind another path.
    func behind(_ path: FieldName) -> InverseName { InverseName(path: path, type: type, field: field) }

    /// Whether it is of the record at hand.
    var isOfRecord: Bool { path.parts.isEmpty }

    /// The name as expressions write it.
    package var text: String {
        (isOfRecord ? "" : path.text + ".") + "inverse(\(FieldName([type, field]).text))"
    }
}

extension ConditionNode {
    /// The names of the types whose records it looks for among those that refer to others.
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
    /// The reference that an inverse goes back along.
    ///
    /// - Parameter target: the place of the type whose records are referred to.
    /// - Throws: ``StoreError``: `unknownType`; `unknownField`; `invalidValue` where the field refers to no such records.
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
