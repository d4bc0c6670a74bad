/// Answers the parts of a condition that are about other records, and puts in their place what they say of the record
/// itself: of `room.name == "kitchen"` is left that `room` is one of the rooms with that name.
///
/// The records that are referred to are found by a fetch of their own, with the indexes of their type, and the reference's
/// index then finds those that refer to them. It costs what such a fetch costs, and memory for the ids that it finds.
struct ConditionResolver: ~Escapable {
    /// What the names of a condition are of.
    enum Subject {
        /// A record of a type of the catalog.
        case record(Int)
        /// An element of a field of references: it has no name, the fields of the record that it leads to have theirs.
        case element(OpenReference)
    }

    let scope: ReadContext
    /// How records are asked who refers to them, for tests; nil leaves the choice to what it costs.
    let forcedSearch: ReferrerSearch?
    /// What was looked up so far.
    var lookups: [ConditionLookup] = []
    var catalog: Catalog { scope.state.catalog }

    @_lifetime(copy scope)
    init(_ scope: ReadContext, forcedSearch: ReferrerSearch? = nil) {
        self.scope = scope
        self.forcedSearch = forcedSearch
    }

    /// The condition without parts about other records.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField`; `invalidValue` where a path is too long or cannot be tested
    ///   so.
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
                // It is asked of the record that the first reference leads to. Where that leads nowhere there is no number,
                // which differs from all.
                let step = try ReferenceStep(to: inverse, from: typeIndex, in: catalog)
                return try resolve(
                    .inverse(inverse.behind(step.rest), condition, comparison, number), step, subject, hops,
                    holdsForNone: comparison == .notEqual)
            case .element(let reference):
                // It is asked of the record that the element leads to.
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

    /// Resolves what must hold together: what takes a look at each record comes last, so that those that the rest leaves out
    /// need none.
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

    /// Whether a condition is answered by a look at each record, or at each that refers to it.
    private func looksAtEach(_ node: ConditionNode, _ subject: Subject) -> Bool {
        node.hasPart { part in
            switch part {
            case .inverse(let inverse, _, _, _): inverse.isOfRecord
            case .fieldComparison, .arithmetic: if case .apart = fields(in: part, subject) { true } else { false }
            default: false
            }
        }
    }

    /// What a condition on the record that is referred to says of the reference.
    ///
    /// - Parameter holdsForNone: whether it holds where there is no record. The records for which it does not hold are
    ///   looked for then, so that a reference that leads nowhere counts as none too.
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

    /// The error for an element that is compared with fields of the record that it leads to.
    private func elementWithRecord(_ node: ConditionNode, _ subject: Subject) -> StoreError {
        StoreError(
            .invalidValue,
            "\(node.text) compares an element of \(name(of: subject)) with fields of the record that it leads to",
            remedy: "name that record's id instead of the element")
    }

    func step(_ name: FieldName, _ subject: Subject) -> ReferenceStep? {
        switch subject {
        case .record(let typeIndex): ReferenceStep(name, typeIndex: typeIndex, in: catalog)
        case .element(let reference):
            name.parts.isEmpty ? nil : ReferenceStep(reference, field: FieldName(""), rest: name)
        }
    }

    /// The references that a field of the record itself holds.
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

    /// Whether a step names the target's id, which the reference itself holds.
    func isID(_ step: ReferenceStep) -> Bool {
        let target = catalog.types[step.reference.target]
        guard target.idParts.count == 1, step.rest.parts.count == 1 else { return false }
        return target.type.isField(target.idParts[0].fieldIndex, named: step.rest.first)
    }
}

extension ConditionNode {
    /// Whether it asks, of the record itself, who refers to it.
    var asksForReferrers: Bool {
        hasPart { if case .inverse(let inverse, _, _, _) = $0 { inverse.isOfRecord } else { false } }
    }

    /// Whether a test of one field holds where there is no record that has it.
    var holdsForNone: Bool {
        switch self {
        case .comparison(_, .equal, let value): value == .none
        case .comparison(_, .notEqual, let value): value != .none
        case .membership(_, let values): values.contains(.none)
        case .size(_, let comparison, _): comparison == .notEqual
        default: false
        }
    }

    /// Whether one of the parts that it puts together by and, or and not is of a kind.
    fileprivate func hasPart(_ isOfKind: (ConditionNode) -> Bool) -> Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.contains { $0.hasPart(isOfKind) }
        case .not(let part): part.hasPart(isOfKind)
        default: isOfKind(self)
        }
    }

    /// That an element is one of a few values, as a test for each, which an index answers; any other condition as it is.
    fileprivate func asElements(atMost limit: Int) -> ConditionNode {
        guard case .elements(let name, .any, .membership(let element, let values)) = self, element.parts.isEmpty,
            values.count <= limit
        else { return self }
        let tests = values.map { ConditionNode.element(name, $0) }
        return tests.count == 1 ? tests[0] : .or(tests)
    }
}

extension ReadContext {
    /// The ids of the records that meet a condition, as references hold them, and how many entries and records were looked
    /// at.
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
                throw cursor.damage(error)
            }
        }
        return (ids, cursor.scannedCount)
    }
}
