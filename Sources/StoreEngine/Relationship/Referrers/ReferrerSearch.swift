import LMDB

/// The way to answer a condition about other records, both those that refer to a record and those that it refers to.
package enum ReferrerSearch: String, Hashable, Sendable, CaseIterable {
    /// Starts from the other records. The resolver counts the referring records for each record that they refer to, and finds
    /// referenced records first.
    case fromReferrers
    /// Starts from the records that meet the rest of the condition. The resolver searches the reference's index for each of them,
    /// and follows their own references.
    case fromCandidates
}

/// A test of the number of records that refer to a record and meet a condition.
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

    /// Whether all referring records count.
    var isOfAll: Bool { condition == .constant(true) }

    /// The count from which on the answer stays the same.
    var limit: Int {
        switch comparison {
        case .less, .greaterOrEqual: number
        case .equal, .notEqual, .lessOrEqual, .greater: number == .max ? number : number + 1
        }
    }

    /// Returns whether the test holds for a record with this number of referrers.
    func holds(_ count: Int) -> Bool { comparison.holds(count < number ? -1 : count > number ? 1 : 0) }
}

/// The records of a type that meet the resolved parts of a condition. The other parts need to test only these records.
final class CandidateRecords {
    let condition: ConditionNode
    let typeIndex: Int
    /// The estimated cost of finding the records, and their estimated number; nil before the estimate.
    var estimate: (cost: Double, rows: Double)?
    /// The untruncated keys of the records' ids; nil before the search.
    var keys: [[UInt8]]?

    init(_ condition: ConditionNode, typeIndex: Int) {
        self.condition = condition
        self.typeIndex = typeIndex
    }
}

extension ConditionResolver {
    /// Finds the records for which the test holds.
    ///
    /// - Parameter candidates: the records to test; nil for all records of the type.
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

    /// Finds the records by counting all referring records.
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
                    throw cursor.unreadable(error)
                }
            }
            counts.scannedCount = cursor.scannedCount
        }
        // The counts omit records without referrers. Where the test holds for these, the result is the set of records to exclude.
        let holdsForOthers = question.holds(0)
        let keys = Set(counts.counts.filter { question.holds($0.value) != holdsForOthers }.keys)
        lookups.append(
            ConditionLookup(
                "walk all \(source.name), and find \(catalog.types[reference.target].name)", question.node,
                isNegated: holdsForOthers, scanned: counts.scannedCount, found: keys.count))
        return FoundRecords(keys: keys, isExcluded: holdsForOthers, text: question.node.text)
    }

    /// Finds the records by counting the referrers of each candidate.
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
                "test each of \(asked.count) \(catalog.types[reference.target].name)", question.node, scanned: scanned,
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
                throw cursor.unreadable(error)
            }
        }
        let name = catalog.types[candidates.typeIndex].name
        lookups.append(
            ConditionLookup("find \(name)", candidates.condition, scanned: cursor.scannedCount, found: keys.count))
        candidates.keys = keys
        return keys
    }

    // MARK: Costs

    /// Returns whether counting the referrers of the candidates costs less than a walk over all referring records.
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

    /// Estimates the cost of finding the records that meet a condition, and their number.
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
