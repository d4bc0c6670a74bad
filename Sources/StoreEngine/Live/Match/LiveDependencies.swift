/// What a request reads of records that its own refer to, or that refer to its own: the types, and which of their fields.
package struct LiveDependencies: Hashable, Sendable {
    /// The fields that are read of one type.
    package struct OfType: Hashable, Sendable {
        /// The type's number in the store.
        package let type: UInt32
        /// Its fields. A record that comes or goes counts as well.
        package fileprivate(set) var fieldIndexes: FieldIndexSet

        package init(type: UInt32, fieldIndexes: FieldIndexSet) {
            self.type = type
            self.fieldIndexes = fieldIndexes
        }
    }

    /// One for each type, the request's own first, all of whose fields count.
    package private(set) var types: [OfType]

    /// Whether nothing is read but the request's own records.
    private var isAlone = true

    /// Nil where the request reads nothing but its own records.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField`; `invalidValue` where a path is too long, or no reference
    ///   leads along an inverse.
    init?(_ request: Request, typeIndex: Int, in catalog: Catalog) throws(StoreError) {
        types = [OfType(type: catalog.types[typeIndex].type.id, fieldIndexes: .all)]
        try note(request.condition, of: typeIndex, hops: 0, catalog)
        for name in request.order.map(\.field) + (request.fields ?? []) {
            _ = try note(name, of: typeIndex, hops: 0, catalog)
        }
        if isAlone { return nil }
    }

    /// Notes what a condition reads of the records of a type, and of those behind them.
    ///
    /// - Parameter hops: how many references lead there.
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
            // One that is referred to may not be there, and is asked nothing then. Its id never changes.
            if hops > 0, let id = type.fieldIndex(ofID: type.idFields[0]) { insert(type.id, id) }
            insert(catalog.types[reference.source].type.id, reference.fieldIndex)
            try note(condition, of: reference.source, hops: hops + 1, catalog)
        case .elements(let name, _, let condition):
            let end = try note(name, of: typeIndex, hops: hops, catalog)
            let type = catalog.types[end.typeIndex]
            guard let reference = catalog.references.elements(end.name, of: type, at: end.typeIndex) else { return }
            // What it says of the element alone is said of the reference itself.
            if condition.isOfElementAlone { return }
            isAlone = false
            try note(condition, of: reference.target, hops: hops + 1, catalog)
        default: for name in node.fieldNames { _ = try note(name, of: typeIndex, hops: hops, catalog) }
        }
    }

    /// Notes what a name leads through, and what it names at its end.
    ///
    /// - Returns: the field at its end, and the type that has it.
    private mutating func note(
        _ name: FieldName, of typeIndex: Int, hops: Int, _ catalog: Catalog
    ) throws(StoreError) -> (name: FieldName, typeIndex: Int) {
        guard let step = ReferenceStep(name, typeIndex: typeIndex, in: catalog) else {
            let type = catalog.types[typeIndex].type
            // The id tells which record it is, and never changes.
            if hops > 0, let read = type.fieldIndex(named: name.first) { insert(type.id, read) }
            return (name, typeIndex)
        }
        try note(step, of: typeIndex, hops: hops, catalog)
        return try note(step.rest, of: step.reference.target, hops: hops + 1, catalog)
    }

    /// Notes the reference that a step goes along.
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
    /// What a request reads: records of its own type, and of those that it goes through.
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
    /// The names of all fields that it tests, the record's own and those on paths; fields of elements are not among them,
    /// nor those of records that refer to this one or to one that it refers to.
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
    /// Whether it tests an element of a collection, and nothing in it or behind it.
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
    /// The names of all fields in it.
    var fieldNames: [FieldName] {
        switch self {
        case .field(let name): [name]
        case .value: []
        case .operation(let left, _, let right): left.fieldNames + right.fieldNames
        }
    }
}
