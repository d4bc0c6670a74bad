// Conditions on the records that a record refers to. The resolver either finds those records first, or follows the references of
// each record that meets the rest of the condition.
extension ConditionResolver {
    /// The cost in nanoseconds below which the search for the referenced records needs no estimate.
    private static let smallCost = 20_000.0

    /// Resolves conditions on records of a type that must all hold. The result has the order of `parts`.
    ///
    /// The resolver starts with the conditions that do not lead through references, or whose referenced records are cheap to
    /// find. The other conditions follow by increasing cost, because each leaves fewer records to the conditions after it.
    mutating func resolve(
        together parts: [ConditionNode], _ typeIndex: Int, _ hops: Int
    ) throws(StoreError) -> [ConditionNode] {
        var resolved: [ConditionNode?] = Array(repeating: nil, count: parts.count)
        var waiting: [(partIndex: Int, cost: Double)] = []
        for (partIndex, part) in parts.enumerated() {
            if leadsThroughReferences(part, typeIndex), try isWorthEstimating(part, typeIndex) {
                waiting.append((partIndex, 0))
            } else {
                resolved[partIndex] = try resolve(part, .record(typeIndex), hops, candidates: nil)
            }
        }
        if forcedSearch == nil {
            for number in waiting.indices {
                waiting[number].cost = try findingCost(parts[waiting[number].partIndex], typeIndex, hops)
            }
            waiting.sort { ($0.cost, $0.partIndex) < ($1.cost, $1.partIndex) }
        }
        for (partIndex, cost) in waiting {
            let others = resolved.compactMap(\.self)
            let candidates = CandidateRecords(.and(others), typeIndex: typeIndex)
            if !others.isEmpty, try isFollowingBetter(parts[partIndex], candidates, than: cost) {
                let condition = testingIDs(parts[partIndex], typeIndex)
                resolved[partIndex] = .found(try find(condition, typeIndex, hops, candidates))
            } else {
                resolved[partIndex] = try resolve(parts[partIndex], .record(typeIndex), hops, candidates: nil)
            }
        }
        return resolved.compactMap(\.self)
    }

    /// Returns whether a condition names fields of records that the record refers to, and whether following the record's
    /// references can answer the whole condition.
    private func leadsThroughReferences(_ node: ConditionNode, _ typeIndex: Int) -> Bool {
        var isAnswered = true
        func visit(_ node: ConditionNode) -> Bool {
            switch node {
            case .and(let parts), .or(let parts): return parts.reduce(false) { visit($1) || $0 }
            case .not(let part): return visit(part)
            case .comparison, .membership, .text, .element, .size, .fieldComparison, .arithmetic:
                return node.fieldNames.contains { step($0, .record(typeIndex)).map { !isID($0) } ?? false }
            case .constant: return false
            case .elements, .inverse, .found, .invalid:
                isAnswered = false
                return false
            }
        }
        return visit(node) && isAnswered
    }

    /// Returns the condition with each id of a referenced record replaced by the reference, which holds that id. The reference
    /// counts even where it leads to no record.
    private func testingIDs(_ node: ConditionNode, _ typeIndex: Int) -> ConditionNode {
        switch node {
        case .and(let parts): .and(parts.map { testingIDs($0, typeIndex) })
        case .or(let parts): .or(parts.map { testingIDs($0, typeIndex) })
        case .not(let part): .not(testingIDs(part, typeIndex))
        case .comparison, .membership, .text: node.renamingFields { reference($0, typeIndex) }
        default: node
        }
    }

    private func reference(_ name: FieldName, _ typeIndex: Int) -> FieldName {
        guard let step = step(name, .record(typeIndex)) else { return name }
        if isID(step) { return step.field }
        return FieldName(step.field.parts + reference(step.rest, step.reference.target).parts)
    }

    // MARK: Costs

    /// Returns the types that the names in a condition lead through, one for each step.
    private func targets(_ node: ConditionNode, _ typeIndex: Int) -> [Int] {
        var targets: [Int] = []
        for name in node.fieldNames {
            var (rest, target) = (name, typeIndex)
            while let step = step(rest, .record(target)), !isID(step), targets.count < 64 {
                targets.append(step.reference.target)
                (rest, target) = (step.rest, step.reference.target)
            }
        }
        return targets
    }

    /// Returns whether a walk over all referenced records is expensive enough to compare both ways.
    private func isWorthEstimating(_ node: ConditionNode, _ typeIndex: Int) throws(StoreError) -> Bool {
        if let forcedSearch { return forcedSearch == .fromCandidates }
        var cost = 0.0
        for target in targets(node, typeIndex) {
            let total = try RowEstimator(scope, catalog.types[target]).total
            cost += Double(total) * (PlanCost.record + PlanCost.test)
        }
        return cost > Self.smallCost
    }

    /// Returns whether following the references of the candidates costs less than finding the records that they must lead to.
    private func isFollowingBetter(
        _ node: ConditionNode, _ candidates: CandidateRecords, than findingCost: Double
    ) throws(StoreError) -> Bool {
        if forcedSearch == .fromCandidates { return true }
        let (cost, rows) = try estimate(candidates.condition, typeIndex: candidates.typeIndex)
        var perRow = PlanCost.test
        for target in targets(node, candidates.typeIndex) {
            perRow += try RowEstimator(scope, catalog.types[target]).fetchCost
        }
        return cost + rows * perRow < findingCost
    }

    /// Estimates the cost of finding the referenced records that meet a condition.
    private func findingCost(_ node: ConditionNode, _ typeIndex: Int, _ hops: Int) throws(StoreError) -> Double {
        switch node {
        case .and(let parts), .or(let parts):
            var cost = 0.0
            for part in parts { cost += try findingCost(part, typeIndex, hops) }
            return cost
        case .not(let part): return try findingCost(part, typeIndex, hops)
        default: return try finding(node, typeIndex, hops)?.cost ?? 0
        }
    }

    /// Estimates the cost of a test of fields behind one reference, and the number of records that it finds. Returns nil where
    /// there is nothing to find.
    private func finding(
        _ node: ConditionNode, _ typeIndex: Int, _ hops: Int
    ) throws(StoreError) -> (cost: Double, rows: Double)? {
        guard hops < ReferencePath.maximumHops, case .behind(let step, let rest) = fields(in: node, .record(typeIndex)),
            !isID(step)
        else { return nil }
        let target = step.reference.target
        guard let inner = try finding(rest, target, hops + 1) else {
            let condition = testingIDs(rest, target)
            return try estimate(node.holdsForNone ? .not(condition) : condition, typeIndex: target)
        }
        // The records of the target type that refer to the records found one reference further.
        let type = try RowEstimator(scope, catalog.types[target])
        let referred = targets(rest, target).first ?? target
        let count = try RowEstimator(scope, catalog.types[referred]).total
        let rows = inner.rows * Double(type.total) / Double(max(count, 1))
        let byIndex = inner.rows * PlanCost.seek + rows * (PlanCost.entry + type.fetchCost)
        return (inner.cost + min(byIndex, Double(type.total) * (PlanCost.record + PlanCost.test)), rows)
    }
}
