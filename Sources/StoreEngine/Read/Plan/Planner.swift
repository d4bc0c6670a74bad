/// Chooses how to answer a request.
///
/// The planner compares paths: the records in the order of ids, and each index. A condition restricts a path's leading fields.
/// Each field that it fixes to single values lets the next field restrict the path too. The cost of a path depends on the number
/// of its entries (``RowEstimator``) and on the work for each entry.
///
/// The planner also considers intersections of several paths and, for an `||` of different fields, unions. It takes the cheapest
/// option. Where the choice is clear, it estimates nothing. In every plan, each record is tested against the whole condition
/// unless the ranges guarantee it.
struct Planner {
    let type: OpenType
    /// The request, with the bound of its position added to the condition.
    let request: Request
    /// Whether the fetch needs more of the records than the fields in ``covered``.
    private let needsRecords: Bool
    /// The indexes of the only requested fields; empty when records are counted.
    private let covered: [Int]
    let filter: CompiledCondition
    let sort: [SortPart]
    private let finder: CandidateFinder
    private let position: PlanPosition?
    private let distinct: DistinctFields?

    /// The most parts of an `||` that a union looks up one by one.
    static let maximumBranches = 64
    /// The most ranges of single records for which the planner considers no other path.
    private static let fewRecords = 8
    /// The nanoseconds by which a walk over all records must be cheaper than a path that leaves records out. With few records
    /// such a walk may be cheaper now, but it will not be when there are more.
    private static let handicap = 5_000.0
    /// Below this cost, in nanoseconds, the planner does not search for a better option.
    private static let smallCost = 20_000.0

    /// - Parameter fieldIndexes: the indexes of the only requested fields; empty when records are counted, nil for all fields.
    /// - Throws: ``StoreError``: `unknownField`, `invalidValue`.
    init(
        _ type: OpenType, _ resolved: ResolvedRequest, in catalog: Catalog, covering fieldIndexes: [Int]? = nil
    ) throws(StoreError) {
        let request = resolved.request
        try Planner.requireLimits(request)
        self.type = type
        sort = try Planner.sortParts(request.order(of: type), type, catalog)
        let sort = sort
        position = try resolved.position.map { token throws(StoreError) in
            try PlanPosition(token, of: request, type: type, sort: sort)
        }
        distinct = try DistinctFields(request, type: type, in: catalog)
        var bounded = request
        if let bound = position?.bound { bounded.condition = .and([request.condition, bound]) }
        self.request = bounded
        needsRecords = fieldIndexes == nil || position != nil || distinct != nil
        covered = fieldIndexes ?? []
        filter = try ConditionCompiler(type: type.type).compile(bounded.condition)
        finder = CandidateFinder(type, bounded.condition)
    }

    /// Throws where a limit or an offset is negative.
    static func requireLimits(_ request: Request) throws(StoreError) {
        guard request.offset >= 0, request.limit.map({ $0 >= 0 }) ?? true else {
            throw StoreError(.invalidValue, "limit and offset must not be negative")
        }
    }

    static func sortParts(
        _ order: [SortTerm], _ type: OpenType, _ catalog: Catalog
    ) throws(StoreError) -> [SortPart] {
        var parts: [SortPart] = []
        for term in order {
            if let part = type.sortPart(term) {
                parts.append(part)
                continue
            }
            let path = try ReferencePath(term.field, from: type, in: catalog)
            let access = if let path { path.access } else { try FieldAccess(term.field, of: type.type) }
            guard let component = KeyComponent(access.type) else {
                throw StoreError(.invalidValue, "\(type.name).\(term.field), of type \(access.type), has no order")
            }
            parts.append(SortPart(access: access, component: component, isDescending: term.isDescending, path: path))
        }
        return parts
    }

    /// Returns the plan for the request.
    ///
    /// - Parameters:
    ///   - forced: the path to use, for tests. Nil, or a path that cannot answer the request, leaves the choice to the planner.
    ///   - isExplained: whether to make estimates even where the choice is clear.
    func plan(
        _ estimator: inout RowEstimator, forced: Plan.Path? = nil, isExplained: Bool = false
    ) throws(StoreError) -> Plan {
        if let forced, let option = option(forced) { return try finish(option, &estimator, isExplained) }
        let walks = sensibleWalks()
        if let option = clearChoice(walks, total: estimator.total, fetchCost: estimator.fetchCost) {
            return try finish(option, &estimator, isExplained)
        }
        var estimates = PlanEstimates(self)
        if walks.count == 2, !walks[1].candidates[0].isWhole,
            try estimates.rows(walks[1].candidates[0], &estimator).isFew
        {
            return try finish(walks[1], &estimates, &estimator, isExplained)
        }
        // An estimate for one path also tells about the matches on the others, so make all of them first.
        for option in walks { _ = try estimates.rows(option.candidates[0], &estimator) }
        var (best, bestCost) = (walks[0], try estimates.cost(walks[0], &estimator) + Self.handicap)
        for option in walks.dropFirst() {
            let cost = try estimates.cost(option, &estimator)
            if cost < bestCost { (best, bestCost) = (option, cost) }
        }
        if bestCost > Self.smallCost {
            let others = try intersections(walks, &estimates, &estimator) + [union()].compactMap(\.self)
            for option in others {
                let cost = try estimates.cost(option, &estimator)
                if cost < bestCost { (best, bestCost) = (option, cost) }
            }
        }
        return try plan(best, &estimates, &estimator)
    }

    /// Returns all paths that can answer the request, for tests.
    func allPaths() -> [Plan.Path] {
        var paths: [Plan.Path] = [.records]
        let indexes = readyIndexes(finder)
        paths += indexes.map { .index($0) }
        for first in indexes {
            for second in indexes where second != first {
                paths.append(.intersection([first, second]))
                for third in indexes where third > second && third != first {
                    paths.append(.intersection([first, second, third]))
                }
            }
        }
        return (paths + [.union]).filter { option($0) != nil }
    }

    /// Returns the numbers of the indexes that hold all records that may meet a finder's condition.
    private func readyIndexes(_ finder: CandidateFinder) -> [Int] {
        type.indexes.indices.filter { !type.indexes[$0].stored.isBuilding && finder.answers($0) }
    }

    // MARK: Options

    private func option(_ path: Plan.Path) -> PlanOption? {
        switch path {
        case .records: return walk(finder.records)
        case .index(let number): return walk(finder.index(number))
        case .intersection(let numbers):
            let candidates = numbers.map { finder.index($0) }
            return candidates.contains(where: \.isWhole) ? nil : intersection(candidates)
        case .union: return union()
        }
    }

    func walk(_ candidate: PathCandidate) -> PlanOption {
        let fieldIndexes = candidate.parts.map(\.fieldIndex)
        let order = PlanOrder(
            fieldIndexes: fieldIndexes.dropFirst(candidate.fixedCount),
            fixed: fieldIndexes.prefix(candidate.fixedCount),
            isByID: candidate.indexNumber == nil, idFieldIndexes: type.idFieldIndexes, sort: sort.map(\.sortField))
        var candidate = candidate
        if let position, order != .unordered, let keys = position.keys(on: candidate, sort, request.condition, type) {
            candidate.ranges = candidate.ranges.intersection(KeyRanges([keys]))
        }
        return PlanOption(
            form: .walk, candidates: [candidate], isExact: isExact([candidate], request.condition), order: order)
    }

    private func intersection(_ candidates: [PathCandidate]) -> PlanOption {
        PlanOption(
            form: .intersection, candidates: candidates, isExact: isExact(candidates, request.condition), order: idOrder
        )
    }

    /// Returns a union for the first `||` in which every part restricts a path.
    private func union() -> PlanOption? {
        let conjuncts = request.condition.conjuncts
        for (number, conjunct) in conjuncts.enumerated() {
            let branches = conjunct.disjuncts
            guard branches.count > 1, branches.count <= Self.maximumBranches else { continue }
            var others = conjuncts
            others.remove(at: number)
            let conditions = branches.map { others.isEmpty ? $0 : .and([$0] + others) }
            let candidates = conditions.compactMap(branchCandidate)
            guard candidates.count == branches.count else { continue }
            let isExact = zip(candidates, conditions).allSatisfy { self.isExact([$0], $1) }
            return PlanOption(form: .union, candidates: candidates, isExact: isExact, order: idOrder)
        }
        return nil
    }

    /// Returns the path of which a part of an `||` fixes the most fields.
    private func branchCandidate(_ condition: ConditionNode) -> PathCandidate? {
        let finder = CandidateFinder(type, condition)
        let all = [finder.records] + readyIndexes(finder).map { finder.index($0) }
        func rank(_ candidate: PathCandidate) -> Int {
            (candidate.isUnique ? 10_000 : 0) + candidate.fixedCount * 100 + candidate.boundCount
        }
        var best = all.filter { !$0.isWhole }.max { rank($0) < rank($1) }
        best?.isOfBranch = true
        return best
    }

    /// The order of gathered keys, which come in the order of ids.
    private var idOrder: PlanOrder {
        PlanOrder(
            fieldIndexes: type.idFieldIndexes[...], fixed: [], isByID: true, idFieldIndexes: type.idFieldIndexes,
            sort: sort.map(\.sortField))
    }

    /// Whether candidates lead only to records that meet a condition.
    private func isExact(_ candidates: [PathCandidate], _ condition: ConditionNode) -> Bool {
        !candidates.contains(where: \.isClipped) && condition.isSaid(by: candidates, in: type.type)
    }

    /// Returns the walk over all records, the paths that leave some out, and the paths that give the order where that ends the
    /// walk early.
    private func sensibleWalks() -> [PlanOption] {
        var walks = [walk(finder.records)]
        let mayEndEarly = request.limit != nil || !needsRecords
        for (indexNumber, index) in type.indexes.enumerated() where !index.stored.isBuilding {
            guard let first = index.parts.first, finder.answers(indexNumber) else { continue }
            if index.isMultiple || finder.isBound(first.fieldIndex) {
                walks.append(walk(finder.index(indexNumber)))
            } else if mayEndEarly, let leading = sort.first, leading.path == nil,
                leading.access.fieldIndex == first.fieldIndex
            {
                let option = walk(finder.index(indexNumber))
                if option.order != .unordered, request.limit != nil || !isFetching(option) { walks.append(option) }
            }
        }
        return walks
    }

    /// Returns the option to use where no estimate is needed; nil where the choice is not clear.
    private func clearChoice(_ walks: [PlanOption], total: Int, fetchCost: Double) -> PlanOption? {
        if let none = walks.first(where: { $0.candidates[0].ranges.ranges.isEmpty }) { return none }
        let few = walks.filter {
            $0.candidates[0].isUnique && $0.candidates[0].ranges.ranges.count <= Self.fewRecords
        }
        if let fewest = few.min(by: { $0.candidates[0].ranges.ranges.count < $1.candidates[0].ranges.ranges.count }) {
            return fewest
        }
        if walks.count == 1, walks[0].isExact || !request.condition.hasAlternatives { return walks[0] }
        // An exact path in the requested order that ends soon is cheaper than a walk over all records. This holds even without an
        // estimate of its entries.
        let exact = walks.filter { $0.isExact && $0.order != .unordered && !$0.candidates[0].isWhole }
        guard exact.count == 1, walks.filter({ !$0.candidates[0].isWhole }).count == 1, request.limit != nil else {
            return nil
        }
        let most = PlanCost.seek + Swift.min(Double(wanted), Double(total)) * (PlanCost.entry + fetchCost)
        let least = sort.isEmpty ? 0 : Double(total) * (PlanCost.record + PlanCost.test)
        return most < least ? exact[0] : nil
    }

    /// Returns intersections of the most selective indexes: of the first two, of the first three, and so on. Each index restricts
    /// a field that the others do not.
    private func intersections(
        _ walks: [PlanOption], _ estimates: inout PlanEstimates, _ estimator: inout RowEstimator
    ) throws(StoreError) -> [PlanOption] {
        var bound: [(candidate: PathCandidate, rows: Double)] = []
        for option in walks {
            let candidate = option.candidates[0]
            guard candidate.indexNumber != nil, !candidate.isWhole else { continue }
            bound.append((candidate, try estimates.rows(candidate, &estimator).rows))
        }
        bound.sort { $0.rows < $1.rows }
        var chosen: [PathCandidate] = []
        var options: [PlanOption] = []
        for (candidate, _) in bound {
            // An index on fields that are already restricted leaves out no more records.
            let known = Set(chosen.flatMap(\.boundFieldIndexes))
            if !chosen.isEmpty, known.isSuperset(of: candidate.boundFieldIndexes) { continue }
            // Indexes on a subset of this index's fields leave out no more records either.
            let own = Set(candidate.boundFieldIndexes)
            chosen.removeAll { own.isSuperset(of: $0.boundFieldIndexes) }
            chosen.append(candidate)
            if chosen.count > 1 { options.append(intersection(chosen)) }
        }
        return options
    }

    /// Whether the option has to fetch records, to test, sort or return them.
    func isFetching(_ option: PlanOption) -> Bool {
        if !option.isExact || (option.order == .unordered && !sort.isEmpty) { return true }
        if !needsRecords, covered.isEmpty { return false }
        guard !needsRecords, option.form == .walk, let indexNumber = option.candidates[0].indexNumber else {
            return true
        }
        return !IndexCover.isCover(type.indexes[indexNumber], of: type, fieldIndexes: covered)
    }

    // MARK: Plans

    /// The most records that the fetch has to find, including the skipped ones.
    var wanted: Int { request.wanted }

    private func finish(
        _ option: PlanOption, _ estimator: inout RowEstimator, _ isExplained: Bool
    ) throws(StoreError) -> Plan {
        var estimates = PlanEstimates(self)
        return try finish(option, &estimates, &estimator, isExplained)
    }

    private func finish(
        _ option: PlanOption, _ estimates: inout PlanEstimates, _ estimator: inout RowEstimator, _ isExplained: Bool
    ) throws(StoreError) -> Plan {
        guard isExplained else { return plan(option, option.candidates.map { _ in nil }, matching: nil) }
        return try plan(option, &estimates, &estimator)
    }

    private func plan(
        _ option: PlanOption, _ estimates: inout PlanEstimates, _ estimator: inout RowEstimator
    ) throws(StoreError) -> Plan {
        var rows: [RowEstimate?] = []
        for candidate in option.candidates { rows.append(try estimates.rows(candidate, &estimator)) }
        return plan(option, rows, matching: try estimates.matching(option, &estimator))
    }

    private func plan(_ option: PlanOption, _ rows: [RowEstimate?], matching: RowEstimate?) -> Plan {
        Plan(
            source: option.source(rows), filter: option.isExact ? nil : filter, wholeFilter: filter,
            isBackward: option.order == .backward, order: sort,
            needsSort: option.order == .unordered && !sort.isEmpty, limit: request.limit, offset: request.offset,
            position: position, distinct: distinct, matching: matching)
    }
}

extension ConditionNode {
    /// Whether the condition contains an `||`.
    var hasAlternatives: Bool {
        switch self {
        case .or(let parts): parts.count > 1 || parts.contains(where: \.hasAlternatives)
        case .and(let parts): parts.contains(where: \.hasAlternatives)
        default: false
        }
    }
}
