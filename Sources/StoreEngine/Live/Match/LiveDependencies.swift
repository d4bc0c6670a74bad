/// The types and fields that a request reads in other records: those that its records refer to, and those that refer to its
/// records.
package struct LiveDependencies: Hashable, Sendable {
    /// The fields of one type that a request reads.
    package struct OfType: Hashable, Sendable {
        /// The number of the type in the store.
        package let type: UInt32
        /// The indexes of the fields. An insert or a delete of a record counts too.
        package fileprivate(set) var fieldIndexes: FieldIndexSet

        package init(type: UInt32, fieldIndexes: FieldIndexSet) {
            self.type = type
            self.fieldIndexes = fieldIndexes
        }
    }

    /// One entry for each type. The request's own type comes first, with all its fields.
    package private(set) var types: [OfType]

    /// Whether the request reads only its own records.
    private var isAlone = true

    /// Returns nil where the request reads only its own records.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField`; `invalidValue` where a path is too long, or where no reference
    ///   matches an inverse.
    init?(_ request: Request, typeIndex: Int, in catalog: Catalog) throws(StoreError) {
        types = [OfType(type: catalog.types[typeIndex].type.id, fieldIndexes: .all)]
        try note(request.condition, of: typeIndex, hops: 0, catalog)
        for name in request.order.map(\.field) + (request.fields ?? []) {
            _ = try note(name, of: typeIndex, hops: 0, catalog)
        }
        if isAlone { return nil }
    }

    /// Notes the fields that a condition reads: those of a type's records, and those of records on the paths from or to them.
    ///
    /// - Parameter hops: the number of references on the path to the type.
    private mutating func note(
        _ node: ConditionNode, of typeIndex: Int, hops: Int, _ catalog: Catalog
    ) throws(StoreError) {
        switch node {
        case .and(let parts), .or(let parts):
            for part in parts { try note(part, of: typeIndex, hops: hops, catalog) }
        case .not(let part): try note(part, of: typeIndex, hops: hops, catalog)
        case .inverse(let inverse, let condition, let comparison, let number) where !inverse.isOfRecord:
            let step = try ReferenceStep(to: inverse, from: typeIndex, in: catalog)
            let rest = ConditionNode.inverse(inverse.behind(step.rest), condition, comparison, number)
            try note(step, of: typeIndex, hops: hops, catalog)
            try note(rest, of: step.reference.target, hops: hops + 1, catalog)
        case .inverse(let inverse, let condition, _, _):
            let reference = try catalog.reference(inverse, to: typeIndex)
            isAlone = false
            let type = catalog.types[typeIndex].type
            // The referenced record may not exist, and the condition then reads nothing of it. Its id never changes.
            if hops > 0, let id = type.fieldIndex(ofID: type.idFields[0]) { insert(type.id, id) }
            insert(catalog.types[reference.source].type.id, reference.fieldIndex)
            try note(condition, of: reference.source, hops: hops + 1, catalog)
        case .elements(let name, _, let condition):
            let end = try note(name, of: typeIndex, hops: hops, catalog)
            let type = catalog.types[end.typeIndex]
            guard let reference = catalog.references.elements(end.name, of: type, at: end.typeIndex) else { return }
            // A condition on the element alone is a condition on the reference itself.
            if condition.isOfElementAlone { return }
            isAlone = false
            try note(condition, of: reference.target, hops: hops + 1, catalog)
        default: for name in node.fieldNames { _ = try note(name, of: typeIndex, hops: hops, catalog) }
        }
    }

    /// Notes the references on the path of a name, and the field at its end.
    ///
    /// - Returns: the field at the end, and the type that has it.
    private mutating func note(
        _ name: FieldName, of typeIndex: Int, hops: Int, _ catalog: Catalog
    ) throws(StoreError) -> (name: FieldName, typeIndex: Int) {
        guard let step = ReferenceStep(name, typeIndex: typeIndex, in: catalog) else {
            let type = catalog.types[typeIndex].type
            // The id identifies the record and never changes.
            if hops > 0, let read = type.fieldIndex(named: name.first) { insert(type.id, read) }
            return (name, typeIndex)
        }
        try note(step, of: typeIndex, hops: hops, catalog)
        return try note(step.rest, of: step.reference.target, hops: hops + 1, catalog)
    }

    /// Notes the reference that a step follows.
    private mutating func note(
        _ step: ReferenceStep, of typeIndex: Int, hops: Int, _ catalog: Catalog
    ) throws(StoreError) {
        let type = catalog.types[typeIndex]
        guard hops < ReferencePath.maximumHops else { throw ReferencePath.tooLong(step.field, in: type.name) }
        if hops > 0 { insert(type.type.id, step.reference.fieldIndex) }
        isAlone = false
    }

    private mutating func insert(_ type: UInt32, _ fieldIndex: Int) {
        if let number = types.firstIndex(where: { $0.type == type }) {
            types[number].fieldIndexes.insert(fieldIndex)
        } else {
            types.append(OfType(type: type, fieldIndexes: FieldIndexSet([fieldIndex])))
        }
    }
}

extension Catalog {
    /// Returns the types and fields that a request reads: those of its own records, and those of other records on its paths.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField`; `invalidValue`.
    package func reads<R: Record>(of request: FetchRequest<R>) throws(StoreError) -> [LiveDependencies.OfType] {
        try reads(of: request.request, typeIndex: binding(R.self).typeIndex)
    }

    func reads(of request: Request, typeIndex: Int) throws(StoreError) -> [LiveDependencies.OfType] {
        try LiveDependencies(request, typeIndex: typeIndex, in: self)?.types
            ?? [LiveDependencies.OfType(type: types[typeIndex].type.id, fieldIndexes: .all)]
    }
}

extension ConditionNode {
    /// The names of all fields that the condition tests: the record's own fields, and those on paths. Not included are fields of
    /// elements, and fields of records that refer to this record or to a record that it refers to.
    var fieldNames: [FieldName] {
        switch self {
        case .constant, .found, .invalid: []
        case .inverse(let inverse, _, _, _): inverse.isOfRecord ? [] : [inverse.path]
        case .comparison(let name, _, _), .membership(let name, _), .text(let name, _, _, _), .element(let name, _),
            .elements(let name, _, _), .size(let name, _, _):
            [name]
        case .fieldComparison(let left, _, let right): [left, right]
        case .arithmetic(let left, _, let right): left.fieldNames + right.fieldNames
        case .and(let parts), .or(let parts): parts.flatMap(\.fieldNames)
        case .not(let part): part.fieldNames
        }
    }
}

extension ConditionNode {
    /// Whether the condition tests an element of a collection only, and nothing inside it or behind it.
    fileprivate var isOfElementAlone: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.allSatisfy(\.isOfElementAlone)
        case .not(let part): part.isOfElementAlone
        case .inverse: false
        default: fieldNames.allSatisfy { $0.parts.isEmpty }
        }
    }
}

extension ArithmeticNode {
    /// The names of all fields in the calculation.
    var fieldNames: [FieldName] {
        switch self {
        case .field(let name): [name]
        case .value: []
        case .operation(let left, _, let right): left.fieldNames + right.fieldNames
        }
    }
}
