/// Replaces the parts of a condition that are about other records with conditions on the record itself. For example, it replaces
/// `room.name == "kitchen"` with a test that `room` is one of the rooms with that name.
///
/// The resolver fetches the referenced records with the indexes of their type. The index on the reference then finds the records
/// that refer to them. This costs as much as such a fetch, and memory for the ids that it finds.
struct ConditionResolver: ~Escapable {
    /// The thing whose fields a condition names.
    enum Subject {
        /// A record of the type at this index in the catalog.
        case record(Int)
        /// An element of a field of references. The element itself has no name; every name is a field of the record that the
        /// element refers to.
        case element(OpenReference)
    }

    let scope: ReadContext
    /// The search that a test forces; nil chooses the cheaper one.
    let forcedSearch: ReferrerSearch?
    /// The look-ups so far.
    var lookups: [ConditionLookup] = []
    var catalog: Catalog { scope.state.catalog }

    @_lifetime(copy scope)
    init(_ scope: ReadContext, forcedSearch: ReferrerSearch? = nil) {
        self.scope = scope
        self.forcedSearch = forcedSearch
    }

    /// Returns the condition without parts about other records.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField`; `invalidValue` where a path is too long or does not support the
    ///   test.
    mutating func resolve(
        _ node: ConditionNode, typeIndex: Int, hops: Int = 0
    ) throws(StoreError) -> ConditionNode {
        try resolve(node, .record(typeIndex), hops, candidates: nil)
    }

    mutating func resolve(
        _ node: ConditionNode, _ subject: Subject, _ hops: Int, candidates: CandidateRecords?
    ) throws(StoreError) -> ConditionNode {
        switch node {
        case .and(let parts): return try resolve(all: parts, subject, hops, candidates)
        case .or(let parts): return .or(try resolve(parts, subject, hops, candidates))
        case .not(let part): return .not(try resolve(part, subject, hops, candidates: candidates))
        case .inverse(let inverse, let condition, let comparison, let number):
            switch subject {
            case .record(let typeIndex) where inverse.isOfRecord:
                let asked = try ReferrerQuestion(
                    catalog.reference(inverse, to: typeIndex), inverse, condition, comparison, number)
                return .found(try find(asked, hops, candidates))
            case .record(let typeIndex):
                // The question applies to the record that the first reference leads to. Where that record does not exist there is
                // no number, and `notEqual` holds.
                let step = try ReferenceStep(to: inverse, from: typeIndex, in: catalog)
                return try resolve(
                    .inverse(inverse.behind(step.rest), condition, comparison, number), step, subject, hops,
                    holdsForNone: comparison == .notEqual)
            case .element(let reference):
                // The question applies to the record that the element refers to.
                let step = ReferenceStep(reference, field: FieldName(""), rest: FieldName(""))
                return try resolve(node, step, subject, hops, holdsForNone: comparison == .notEqual)
            }
        case .fieldComparison, .arithmetic:
            switch fields(in: node, subject) {
            case .own: return node
            case .behind(let step, let rest):
                return try resolve(
                    rest, step, subject, hops,
                    holdsForNone: try holdsForNothing(rest, step.reference.target, hops + 1))
            case .apart:
                guard case .record(let typeIndex) = subject else { throw elementWithRecord(node, subject) }
                return .found(try find(node, typeIndex, hops, candidates))
            }
        case .comparison(let name, let comparison, let value):
            guard let step = step(name, subject) else { return node }
            if isID(step) { return .comparison(step.field, comparison, value) }
            return try resolve(
                .comparison(step.rest, comparison, value), step, subject, hops, holdsForNone: node.holdsForNone)
        case .membership(let name, let values):
            guard let step = step(name, subject) else { return node }
            if isID(step) { return .membership(step.field, values) }
            return try resolve(
                .membership(step.rest, values), step, subject, hops, holdsForNone: node.holdsForNone)
        case .text(let name, let test, let pattern, let options):
            guard let step = step(name, subject) else { return node }
            if isID(step) { return .text(step.field, test, pattern, options) }
            return try resolve(.text(step.rest, test, pattern, options), step, subject, hops)
        case .element(let name, let element):
            guard let step = step(name, subject) else { return node }
            return try resolve(.element(step.rest, element), step, subject, hops)
        case .elements(let name, let test, let condition):
            if let step = step(name, subject) {
                return try resolve(.elements(step.rest, test, condition), step, subject, hops)
            }
            guard let reference = elements(name, subject) else { return node }
            return .elements(name, test, try resolve(condition, .element(reference), hops, candidates: nil))
                .asElements(atMost: Planner.maximumBranches)
        case .size(let name, let comparison, let size):
            guard let step = step(name, subject) else { return node }
            return try resolve(
                .size(step.rest, comparison, size), step, subject, hops, holdsForNone: node.holdsForNone)
        default: return node
        }
    }

    private mutating func resolve(
        _ nodes: [ConditionNode], _ subject: Subject, _ hops: Int, _ candidates: CandidateRecords?
    ) throws(StoreError) -> [ConditionNode] {
        var resolved: [ConditionNode] = []
        for node in nodes { resolved.append(try resolve(node, subject, hops, candidates: candidates)) }
        return resolved
    }

    /// Resolves conditions that must all hold. Conditions that read each record come last, so that they read only the records
    /// that meet the rest.
    private mutating func resolve(
        all parts: [ConditionNode], _ subject: Subject, _ hops: Int, _ candidates: CandidateRecords?
    ) throws(StoreError) -> ConditionNode {
        guard case .record(let typeIndex) = subject, candidates == nil
        else { return .and(try resolve(parts, subject, hops, candidates)) }
        let last = parts.filter { looksAtEach($0, subject) }
        let others = try resolve(
            together: last.isEmpty ? parts : parts.filter { !looksAtEach($0, subject) }, typeIndex, hops)
        if last.isEmpty { return .and(others) }
        let candidates = others.isEmpty ? nil : CandidateRecords(.and(others), typeIndex: typeIndex)
        return .and(others + (try resolve(last, subject, hops, candidates)))
    }

    /// Returns whether answering a condition reads each record, or each record that refers to it.
    private func looksAtEach(_ node: ConditionNode, _ subject: Subject) -> Bool {
        node.hasPart { part in
            switch part {
            case .inverse(let inverse, _, _, _): inverse.isOfRecord
            case .fieldComparison, .arithmetic: if case .apart = fields(in: part, subject) { true } else { false }
            default: false
            }
        }
    }

    /// Replaces a condition on a referenced record with a condition on the reference.
    ///
    /// - Parameter holdsForNone: whether the condition holds where there is no record. If so, the resolver finds and excludes the
    ///   records for which it does not hold. A reference that leads to no record then counts as none too.
    private mutating func resolve(
        _ node: ConditionNode, _ step: ReferenceStep, _ subject: Subject, _ hops: Int, holdsForNone: Bool = false
    ) throws(StoreError) -> ConditionNode {
        guard hops < ReferencePath.maximumHops else {
            throw ReferencePath.tooLong(step.field, in: name(of: subject))
        }
        let condition = try resolve(holdsForNone ? .not(node) : node, typeIndex: step.reference.target, hops: hops + 1)
        let (ids, scannedCount) = try scope.ids(condition, step.reference.target)
        let target = catalog.types[step.reference.target].name
        lookups.append(
            ConditionLookup("find \(target)", node, isNegated: holdsForNone, scanned: scannedCount, found: ids.count))
        let members = ConditionNode.membership(step.field, ids)
        return holdsForNone ? .not(members) : members
    }

    // MARK: Names

    /// Returns the error for a comparison of an element with fields of the record that it refers to.
    private func elementWithRecord(_ node: ConditionNode, _ subject: Subject) -> StoreError {
        StoreError(
            .invalidValue,
            "\(node.text) compares an element of \(name(of: subject)) with fields of the record that it refers to",
            remedy: "name that record's id instead of the element")
    }

    func step(_ name: FieldName, _ subject: Subject) -> ReferenceStep? {
        switch subject {
        case .record(let typeIndex): ReferenceStep(name, typeIndex: typeIndex, in: catalog)
        case .element(let reference):
            name.parts.isEmpty ? nil : ReferenceStep(reference, field: FieldName(""), rest: name)
        }
    }

    /// Returns the array or set of references that a field of the record itself holds; nil for any other field.
    private func elements(_ name: FieldName, _ subject: Subject) -> OpenReference? {
        guard case .record(let typeIndex) = subject else { return nil }
        return catalog.references.elements(name, of: catalog.types[typeIndex], at: typeIndex)
    }

    private func name(of subject: Subject) -> String {
        switch subject {
        case .record(let typeIndex): catalog.types[typeIndex].name
        case .element(let reference):
            "\(catalog.types[reference.source].name).\(catalog.types[reference.source].type.fields[reference.fieldIndex].name)"
        }
    }

    /// Returns whether a step names the target's id, which the reference itself holds.
    func isID(_ step: ReferenceStep) -> Bool {
        let target = catalog.types[step.reference.target]
        guard target.idParts.count == 1, step.rest.parts.count == 1 else { return false }
        return target.type.isField(target.idParts[0].fieldIndex, named: step.rest.first)
    }
}

extension ConditionNode {
    /// Whether the condition tests the records that refer to the record itself.
    var asksForReferrers: Bool {
        hasPart { if case .inverse(let inverse, _, _, _) = $0 { inverse.isOfRecord } else { false } }
    }

    /// Whether this test of one field holds where the record that has the field does not exist.
    var holdsForNone: Bool {
        switch self {
        case .comparison(_, .equal, let value): value == .none
        case .comparison(_, .notEqual, let value): value != .none
        case .membership(_, let values): values.contains(.none)
        case .size(_, let comparison, _): comparison == .notEqual
        default: false
        }
    }

    /// Returns whether a part of the condition is of a kind. The parts are the nodes below `and`, `or` and `not`.
    fileprivate func hasPart(_ isOfKind: (ConditionNode) -> Bool) -> Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.contains { $0.hasPart(isOfKind) }
        case .not(let part): part.hasPart(isOfKind)
        default: isOfKind(self)
        }
    }

    /// Returns a test that an element is one of a few values as one test for each value, which an index can answer. Returns any
    /// other condition unchanged.
    fileprivate func asElements(atMost limit: Int) -> ConditionNode {
        guard case .elements(let name, .any, .membership(let element, let values)) = self, element.parts.isEmpty,
            values.count <= limit
        else { return self }
        let tests = values.map { ConditionNode.element(name, $0) }
        return tests.count == 1 ? tests[0] : .or(tests)
    }
}

extension ReadContext {
    /// Returns the ids of the records that meet a condition, in the form that references hold, and the number of entries and
    /// records read.
    fileprivate func ids(
        _ condition: ConditionNode, _ typeIndex: Int
    ) throws(StoreError) -> (ids: [DynamicValue], scannedCount: Int) {
        let type = state.catalog.types[typeIndex]
        var request = Request()
        request.condition = condition
        var cursor = try fetchCursor(request, typeIndex: typeIndex)
        var ids: [DynamicValue] = []
        while try cursor.advance() {
            do {
                let table = try RecordBytes(cursor.record).table
                var parts: [DynamicValue] = []
                for part in type.idParts {
                    parts.append(
                        try DynamicValue(from: table.field(part.fieldIndex), as: type.type.fields[part.fieldIndex].type)
                    )
                }
                ids.append(parts.count == 1 ? parts[0] : .fields(parts))
            } catch {
                throw cursor.unreadable(error)
            }
        }
        return (ids, cursor.scannedCount)
    }
}
