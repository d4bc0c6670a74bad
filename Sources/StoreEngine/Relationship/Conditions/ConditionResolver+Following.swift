// Conditions on the records that a record refers to: found first, or by following the references of each record that the
// rest of the condition leaves.
extension ConditionResolver {
    /// Below so many nanoseconds, finding the records that are referred to is not worth estimating.
    private static let smallCost = 20_000.0

    /// Resolves conditions on records of a type that must hold together, in their order.
    ///
    /// Those that name the record's own fields alone come first. Of the others the cheapest comes next, as each leaves fewer
    /// records to those behind it.
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

    /// Whether a condition names fields of records that the record refers to, and nothing that following references from it
    /// does not answer.
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

    /// The condition with a reference in the place of the id that it holds, which counts even where it leads nowhere.
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

    /// The types that the names of a condition lead through, one for each step.
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

    /// Whether going over all that is referred to takes long enough for a choice.
    private func isWorthEstimating(_ node: ConditionNode, _ typeIndex: Int) throws(StoreError) -> Bool {
        if let forcedSearch { return forcedSearch == .fromCandidates }
        var cost = 0.0
        for target in targets(node, typeIndex) {
            let total = try RowEstimator(scope, catalog.types[target]).total
            cost += Double(total) * (PlanCost.record + PlanCost.test)
        }
        return cost > Self.smallCost
    }

    /// Whether following the references of the candidates costs less than finding what they must lead to.
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

    /// About what finding the records costs that a condition on what a record refers to leads to.
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

    /// The same for a test of fields behind one reference, and how many records it finds; nil where nothing has to be found.
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
        // Those that refer to what was found behind them.
        let type = try RowEstimator(scope, catalog.types[target])
        let referred = targets(rest, target).first ?? target
        let count = try RowEstimator(scope, catalog.types[referred]).total
        let rows = inner.rows * Double(type.total) / Double(max(count, 1))
        let byIndex = inner.rows * PlanCost.seek + rows * (PlanCost.entry + type.fetchCost)
        return (inner.cost + min(byIndex, Double(type.total) * (PlanCost.record + PlanCost.test)), rows)
    }
}
