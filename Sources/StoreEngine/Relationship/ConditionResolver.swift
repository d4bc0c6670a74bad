/// Answers the parts of a condition that go through references, and puts in their place what they say of the record
/// itself: of `room.name == "kitchen"` is left that `room` is one of the rooms with that name.
///
/// The records that are referred to are found by a fetch of their own, with the indexes of their type, and the reference's
/// index then finds those that refer to them. It costs what such a fetch costs, and memory for the ids that it finds.
struct ConditionResolver: ~Escapable {
    private let scope: ReadingScope
    private var catalog: Catalog { scope.state.catalog }

    @_lifetime(copy scope)
    init(_ scope: ReadingScope) { self.scope = scope }

    /// The condition without paths through references.
    ///
    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where a path is too long or cannot be tested so.
    func resolve(_ node: ConditionNode, typeIndex: Int, hops: Int = 0) throws(StoreError) -> ConditionNode {
        switch node {
        case .and(let parts): return .and(try resolve(parts, typeIndex: typeIndex, hops))
        case .or(let parts): return .or(try resolve(parts, typeIndex: typeIndex, hops))
        case .not(let part): return .not(try resolve(part, typeIndex: typeIndex, hops: hops))
        case .fieldComparison(let left, let comparison, let right):
            guard let step = step(left, typeIndex) ?? step(right, typeIndex) else { return node }
            guard left.first == right.first else {
                throw StoreError(
                    .invalidValue,
                    "\(catalog.types[typeIndex].name).\(left) and \(right) are fields of different records",
                    remedy: "compare fields of one record, or with a value")
            }
            return try resolve(
                .fieldComparison(rest(left), comparison, rest(right)), step, typeIndex, hops,
                holdsForNone: comparison == .equal)
        case .comparison(let name, let comparison, let value):
            guard let step = step(name, typeIndex) else { return node }
            if isID(step) { return .comparison(step.field, comparison, value) }
            let isEqual = value == .none
            let holdsForNone = comparison == .equal && isEqual || comparison == .notEqual && !isEqual
            return try resolve(
                .comparison(step.rest, comparison, value), step, typeIndex, hops, holdsForNone: holdsForNone)
        case .membership(let name, let values):
            guard let step = step(name, typeIndex) else { return node }
            if isID(step) { return .membership(step.field, values) }
            return try resolve(
                .membership(step.rest, values), step, typeIndex, hops, holdsForNone: values.contains(.none))
        case .text(let name, let test, let pattern, let options):
            guard let step = step(name, typeIndex) else { return node }
            if isID(step) { return .text(step.field, test, pattern, options) }
            return try resolve(.text(step.rest, test, pattern, options), step, typeIndex, hops)
        case .element(let name, let element):
            guard let step = step(name, typeIndex) else { return node }
            return try resolve(.element(step.rest, element), step, typeIndex, hops)
        case .size(let name, let comparison, let size):
            guard let step = step(name, typeIndex) else { return node }
            return try resolve(.size(step.rest, comparison, size), step, typeIndex, hops)
        default: return node
        }
    }

    private func resolve(
        _ nodes: [ConditionNode], typeIndex: Int, _ hops: Int
    ) throws(StoreError) -> [ConditionNode] {
        var resolved: [ConditionNode] = []
        for node in nodes { resolved.append(try resolve(node, typeIndex: typeIndex, hops: hops)) }
        return resolved
    }

    /// What a condition on the record that is referred to says of the reference.
    ///
    /// - Parameter holdsForNone: whether it holds where there is no record. The records for which it does not hold are
    ///   looked for then, so that a reference that leads nowhere counts as none too.
    private func resolve(
        _ node: ConditionNode, _ step: ReferenceStep, _ typeIndex: Int, _ hops: Int, holdsForNone: Bool = false
    ) throws(StoreError) -> ConditionNode {
        guard hops < ReferencePath.maximumHops else {
            throw ReferencePath.tooLong(step.field, catalog.types[typeIndex])
        }
        var request = Request()
        request.condition = try resolve(
            holdsForNone ? .not(node) : node, typeIndex: step.reference.target, hops: hops + 1)
        let members = ConditionNode.membership(step.field, try scope.ids(of: request, step.reference.target))
        return holdsForNone ? .not(members) : members
    }

    private func step(_ name: FieldName, _ typeIndex: Int) -> ReferenceStep? {
        ReferenceStep(name, typeIndex: typeIndex, in: catalog)
    }

    private func rest(_ name: FieldName) -> FieldName { FieldName(name.rest) }

    /// Whether a step names the target's id, which the reference itself holds.
    private func isID(_ step: ReferenceStep) -> Bool {
        let target = catalog.types[step.reference.target]
        guard target.idParts.count == 1, step.rest.parts.count == 1 else { return false }
        return target.type.fields[target.idParts[0].place].name == step.rest.parts[0]
    }
}

extension ReadingScope {
    /// A request without paths through references in its condition.
    func resolved(_ request: Request, typeIndex: Int) throws(StoreError) -> Request {
        if state.catalog.references.outgoing[typeIndex].isEmpty { return request }
        var resolved = request
        resolved.condition = try ConditionResolver(self).resolve(request.condition, typeIndex: typeIndex)
        return resolved
    }

    /// The ids of the records that a request asks for, as references hold them.
    fileprivate func ids(of request: Request, _ typeIndex: Int) throws(StoreError) -> [DynamicValue] {
        let type = state.catalog.types[typeIndex]
        var cursor = try fetchCursor(request, typeIndex: typeIndex)
        var ids: [DynamicValue] = []
        while try cursor.advance() {
            do {
                let table = try RecordBytes(cursor.record).table
                var parts: [DynamicValue] = []
                for part in type.idParts {
                    parts.append(try DynamicValue(from: table.field(part.place), as: type.type.fields[part.place].type))
                }
                ids.append(parts.count == 1 ? parts[0] : .fields(parts))
            } catch {
                throw cursor.damage(error)
            }
        }
        return ids
    }
}
