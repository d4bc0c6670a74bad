/// What a request reads of records that its own refer to: the types, and which of their fields.
package struct LiveDependencies: Hashable, Sendable {
    /// The fields that are read of one type.
    package struct OfType: Hashable, Sendable {
        /// The type's number in the store.
        package let type: UInt32
        /// Its fields. A record that comes or goes counts as well.
        package fileprivate(set) var places: PlaceSet
    }

    /// One for each type, the request's own first, all of whose fields count.
    package private(set) var types: [OfType]

    /// Nil where the request reads nothing but its own records.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where a path is too long.
    init?(_ request: Request, typeIndex: Int, in catalog: Catalog) throws(StoreError) {
        types = [OfType(type: catalog.types[typeIndex].type.id, places: .all)]
        var isAlone = true
        for name in request.condition.fieldNames + request.order.map(\.field) {
            var (rest, place, hops) = (name, typeIndex, 0)
            while let step = ReferenceStep(rest, typeIndex: place, in: catalog) {
                guard hops < ReferencePath.maximumHops else {
                    throw ReferencePath.tooLong(name, catalog.types[typeIndex])
                }
                (rest, place, hops) = (step.rest, step.reference.target, hops + 1)
                isAlone = false
                let target = catalog.types[place].type
                // The id tells which record it is, and never changes.
                if let read = target.place(ofFieldNamed: rest.first) { insert(target.id, read) }
            }
        }
        if isAlone { return nil }
    }

    private mutating func insert(_ type: UInt32, _ place: Int) {
        if let number = types.firstIndex(where: { $0.type == type }) {
            types[number].places.insert(place)
        } else {
            types.append(OfType(type: type, places: PlaceSet([place])))
        }
    }
}

extension Catalog {
    /// What a request reads: records of its own type, and of those that it goes through.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField`; `invalidValue`.
    package func reads<R: Record>(of request: FetchRequest<R>) throws(StoreError) -> [LiveDependencies.OfType] {
        let binding = try binding(R.self)
        if let reads = try LiveDependencies(request.request, typeIndex: binding.typeIndex, in: self) {
            return reads.types
        }
        return [LiveDependencies.OfType(type: binding.type.type.id, places: .all)]
    }
}

extension ConditionNode {
    /// The names of all fields that it tests, the record's own and those on paths; fields of elements are not among them.
    var fieldNames: [FieldName] {
        switch self {
        case .constant, .invalid: []
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

extension ArithmeticNode {
    fileprivate var fieldNames: [FieldName] {
        switch self {
        case .field(let name): [name]
        case .value: []
        case .operation(let left, _, let right): left.fieldNames + right.fieldNames
        }
    }
}
