import LMDB

/// How conditions about other records are answered: on those that refer to a record, and on those that a record refers to.
package enum ReferrerSearch: String, Hashable, Sendable, CaseIterable {
    /// From the other records: those that refer are counted for whom they refer to, and those that are referred to are found
    /// first.
    case fromReferrers
    /// From the records that the rest of the condition leaves: the reference's index is asked about one after the other, and
    /// their own references are followed.
    case fromCandidates
}

/// Whether the number of records that refer to one, and meet a condition, is what it should be.
struct ReferrerQuestion {
    let reference: OpenReference
    let inverse: InverseName
    let condition: ConditionNode
    let comparison: Comparison
    let number: Int

    init(
        _ reference: OpenReference, _ inverse: InverseName, _ condition: ConditionNode, _ comparison: Comparison,
        _ number: Int
    ) {
        self.reference = reference
        self.inverse = inverse
        self.condition = condition
        self.comparison = comparison
        self.number = number
    }

    var node: ConditionNode { .inverse(inverse, condition, comparison, number) }

    /// Whether all that refer count.
    var isOfAll: Bool { condition == .constant(true) }

    /// The number from which on more make no difference.
    var limit: Int {
        switch comparison {
        case .less, .greaterOrEqual: number
        case .equal, .notEqual, .lessOrEqual, .greater: number == .max ? number : number + 1
        }
    }

    /// Whether it is answered by yes where so many refer to a record.
    func holds(_ count: Int) -> Bool { comparison.holds(count < number ? -1 : count > number ? 1 : 0) }
}

/// The records of a type that are left to be looked at, or asked who refers to them.
final class CandidateRecords {
    let condition: ConditionNode
    let typeIndex: Int
    /// What finding them costs, and about how many there are; nil before it was estimated.
    var estimate: (cost: Double, rows: Double)?
    /// The whole keys of their ids; nil before they were looked for.
    var keys: [[UInt8]]?

    init(_ condition: ConditionNode, typeIndex: Int) {
        self.condition = condition
        self.typeIndex = typeIndex
    }
}

extension ConditionResolver {
    /// Finds the records for which a question is answered by yes.
    ///
    /// - Parameter candidates: the only records that matter; nil where all do.
    mutating func find(
        _ question: ReferrerQuestion, _ hops: Int, _ candidates: CandidateRecords?
    ) throws(StoreError) -> FoundRecords {
        let reference = question.reference
        guard hops < ReferencePath.maximumHops else {
            throw ReferencePath.tooLong(FieldName([question.inverse.text]), in: catalog.types[reference.target].name)
        }
        let condition = try resolve(question.condition, typeIndex: reference.source, hops: hops + 1)
        do {
            if let candidates, try isBetter(candidates, question, condition) {
                return try find(question, condition, among: candidates)
            }
            return try findAll(question, condition)
        } catch {
            throw StoreError(reading: error, at: "the index on \(question.inverse.type).\(question.inverse.field)")
        }
    }

    /// From those that refer.
    private mutating func findAll(_ question: ReferrerQuestion, _ condition: ConditionNode) throws -> FoundRecords {
        let reference = question.reference
        let source = catalog.types[reference.source]
        var counts = ReferrerCounts()
        if question.isOfAll, !reference.index.stored.isBuilding {
            counts = try Referrers(scope.snapshot, catalog).counts(reference)
        } else {
            var request = Request()
            request.condition = condition
            var cursor = try scope.fetchCursor(request, typeIndex: reference.source)
            while try cursor.advance() {
                do {
                    try counts.add(reference, in: RecordBytes(cursor.record).table.field(reference.fieldIndex))
                } catch {
                    throw cursor.damage(error)
                }
            }
            counts.scannedCount = cursor.scannedCount
        }
        // Records that nothing refers to are not among those counted: where it holds for them, the others are left out.
        let holdsForOthers = question.holds(0)
        let keys = Set(counts.counts.filter { question.holds($0.value) != holdsForOthers }.keys)
        lookups.append(
            ConditionLookup(
                "go over \(source.name), and find \(catalog.types[reference.target].name)", question.node,
                isNegated: holdsForOthers, scanned: counts.scannedCount, found: keys.count))
        return FoundRecords(keys: keys, isExcluded: holdsForOthers, text: question.node.text)
    }

    /// From those that are referred to.
    private mutating func find(
        _ question: ReferrerQuestion, _ condition: ConditionNode, among candidates: CandidateRecords
    ) throws -> FoundRecords {
        let reference = question.reference
        let source = catalog.types[reference.source]
        let compiled = question.isOfAll ? nil : try ConditionCompiler(type: source.type).compile(condition)
        let asked = try keys(candidates)
        var found: Set<[UInt8]> = []
        var scanned = 0
        var cursor = try scope.snapshot.openCursor(reference.index.database)
        let referrers = Referrers(scope.snapshot, catalog)
        for key in asked {
            let count = try referrers.count(
                reference, to: ReferenceTarget(type: reference.target, idKey: key), compiled, limit: question.limit,
                &cursor, scanned: &scanned)
            if question.holds(count) { found.insert(key) }
        }
        lookups.append(
            ConditionLookup(
                "ask each of \(asked.count) \(catalog.types[reference.target].name)", question.node, scanned: scanned,
                found: found.count))
        return FoundRecords(keys: found, isExcluded: false, text: question.node.text)
    }

    private mutating func keys(_ candidates: CandidateRecords) throws(StoreError) -> [[UInt8]] {
        if let keys = candidates.keys { return keys }
        var request = Request()
        request.condition = candidates.condition
        var cursor = try scope.fetchCursor(request, typeIndex: candidates.typeIndex)
        var keys: [[UInt8]] = []
        while try cursor.advance() {
            do {
                keys.append(try Referrers.idKey(of: cursor.record, catalog.types[candidates.typeIndex]))
            } catch {
                throw cursor.damage(error)
            }
        }
        let name = catalog.types[candidates.typeIndex].name
        lookups.append(
            ConditionLookup("find \(name)", candidates.condition, scanned: cursor.scannedCount, found: keys.count))
        candidates.keys = keys
        return keys
    }

    // MARK: Costs

    /// Whether asking the candidates costs less than going over all that refer.
    private func isBetter(
        _ candidates: CandidateRecords, _ question: ReferrerQuestion, _ condition: ConditionNode
    ) throws -> Bool {
        let reference = question.reference
        if reference.index.stored.isBuilding || forcedSearch == .fromReferrers { return false }
        if forcedSearch == .fromCandidates { return true }
        let source = try RowEstimator(scope, catalog.types[reference.source])
        let entryCount = try scope.snapshot.statistics(of: reference.index.database).entries
        let targetCount = try scope.snapshot.statistics(of: catalog.types[reference.target].database).entries
        let all =
            question.isOfAll
            ? Double(entryCount) * PlanCost.entry : try estimate(condition, typeIndex: reference.source).cost
        let estimate = try candidates.estimate ?? estimate(candidates.condition, typeIndex: candidates.typeIndex)
        candidates.estimate = estimate
        let perEntry = PlanCost.entry + (question.isOfAll ? 0 : source.fetchCost + PlanCost.test)
        let perCandidate = PlanCost.seek + Double(entryCount) / Double(max(targetCount, 1)) * perEntry
        let known = candidates.keys.map { Double($0.count) }
        return (known == nil ? estimate.cost : 0) + (known ?? estimate.rows) * perCandidate < all
    }

    /// About what finding the records that meet a condition costs, and how many there are.
    func estimate(_ condition: ConditionNode, typeIndex: Int) throws(StoreError) -> (cost: Double, rows: Double) {
        var request = Request()
        request.condition = condition
        let type = catalog.types[typeIndex]
        var estimator = try RowEstimator(scope, type)
        let plan = try Planner(type, ResolvedRequest(request: request), in: catalog).plan(&estimator, isExplained: true)
        let walks: [PlannedWalk] =
            switch plan.source {
            case .walk(let walk): [walk]
            case .intersection(let walks), .union(let walks): walks
            case .keys: []
            }
        let fetchCost = estimator.fetchCost
        let cost = walks.reduce(0.0) { cost, walk in
            let perRow = walk.indexNumber == nil ? PlanCost.record : PlanCost.entry + fetchCost
            return cost + (walk.estimate?.rows ?? 0) * (perRow + PlanCost.test)
        }
        return (cost, plan.matching?.rows ?? 0)
    }
}
