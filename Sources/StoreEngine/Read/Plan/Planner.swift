/// Picks how a request is answered.
///
/// Each path (the records in the order of ids, and each index) is judged by what the condition says of its fields, from the
/// first on: as long as they are fixed to single values the next one counts too. What the paths cost is estimated by how
/// many entries they lead to (``RowEstimator``) and what is done with each; besides single paths the planner looks at
/// intersections of several and, for an `||` of different fields, at unions. The cheapest is taken. Where the choice is
/// clear without, nothing is estimated. Whatever the plan, each record is tested against the whole condition unless the
/// ranges say the same.
struct Planner {
    let type: OpenType
    /// What is asked for, with what its position says of it.
    let request: Request
    /// Whether more of the records is of interest than ``covered`` says.
    private let needsRecords: Bool
    /// The places of the only fields that are of interest; none when records are counted.
    private let covered: [Int]
    let filter: CompiledCondition
    let sort: [SortPart]
    private let finder: CandidateFinder
    private let position: PlanPosition?
    private let distinct: DistinctFields?

    /// The most parts of an `||` that are looked up one by one.
    static let maximumBranches = 64
    /// The most ranges of single records for which nothing else is looked at.
    private static let fewRecords = 8
    /// By so many nanoseconds a walk over all must be quicker than what leaves records out: of a few records it may be now,
    /// but will not be when there are more.
    private static let handicap = 5_000.0
    /// What costs less than this many nanoseconds is not worth looking for something better.
    private static let smallCost = 20_000.0

    /// - Parameter fieldIndexes: the places of the only fields that are of interest, none when records are counted; nil for all.
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

    /// Fails where a limit or an offset means nothing.
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

    /// The plan for the request.
    ///
    /// - Parameters:
    ///   - forced: the way to take, for tests; nil, or one that cannot answer the request, leaves the choice to the planner.
    ///   - isExplained: whether to estimate also where the choice is clear.
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
        // What one path says of the condition counts for the others.
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

    /// All ways to answer the request, for tests.
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

    /// The places of the indexes that hold all records that may meet the condition that a finder is of.
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

    /// A union for the first `||` all of whose parts bound a path.
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

    /// The path that a part of an `||` fixes most of.
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

    /// Keys that were gathered come in the order of ids.
    private var idOrder: PlanOrder {
        PlanOrder(
            fieldIndexes: type.idFieldIndexes[...], fixed: [], isByID: true, idFieldIndexes: type.idFieldIndexes,
            sort: sort.map(\.sortField))
    }

    /// Whether candidates lead to just the records that meet a condition.
    private func isExact(_ candidates: [PathCandidate], _ condition: ConditionNode) -> Bool {
        !candidates.contains(where: \.isClipped) && condition.isSaid(by: candidates, in: type.type)
    }

    /// All records, and the paths that leave some out or give the order where that ends the walk early.
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

    /// What to do where nothing needs to be estimated.
    private func clearChoice(_ walks: [PlanOption], total: Int, fetchCost: Double) -> PlanOption? {
        if let none = walks.first(where: { $0.candidates[0].ranges.ranges.isEmpty }) { return none }
        let few = walks.filter {
            $0.candidates[0].isUnique && $0.candidates[0].ranges.ranges.count <= Self.fewRecords
        }
        if let fewest = few.min(by: { $0.candidates[0].ranges.ranges.count < $1.candidates[0].ranges.ranges.count }) {
            return fewest
        }
        if walks.count == 1, walks[0].isExact || !request.condition.hasAlternatives { return walks[0] }
        // An exact path in the right order that ends soon: even without its own ranges it beats a walk over all.
        let exact = walks.filter { $0.isExact && $0.order != .unordered && !$0.candidates[0].isWhole }
        guard exact.count == 1, walks.filter({ !$0.candidates[0].isWhole }).count == 1, request.limit != nil else {
            return nil
        }
        let most = PlanCost.seek + Swift.min(Double(wanted), Double(total)) * (PlanCost.entry + fetchCost)
        let least = sort.isEmpty ? 0 : Double(total) * (PlanCost.record + PlanCost.test)
        return most < least ? exact[0] : nil
    }

    /// Intersections of the most selective indexes: of two, and of more as long as each makes it cheaper.
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
            // One that speaks of the same fields leaves out no more.
            let known = Set(chosen.flatMap(\.boundFieldIndexes))
            if !chosen.isEmpty, known.isSuperset(of: candidate.boundFieldIndexes) { continue }
            // Nor do those that speak of some of this one's fields.
            let own = Set(candidate.boundFieldIndexes)
            chosen.removeAll { own.isSuperset(of: $0.boundFieldIndexes) }
            chosen.append(candidate)
            if chosen.count > 1 { options.append(intersection(chosen)) }
        }
        return options
    }

    /// Whether the records that an option leads to have to be found, to test, sort or return them.
    func isFetching(_ option: PlanOption) -> Bool {
        if !option.isExact || (option.order == .unordered && !sort.isEmpty) { return true }
        if !needsRecords, covered.isEmpty { return false }
        guard !needsRecords, option.form == .walk, let indexNumber = option.candidates[0].indexNumber else {
            return true
        }
        return !IndexCover.isCover(type.indexes[indexNumber], of: type, fieldIndexes: covered)
    }

    // MARK: Plans

    /// How many records are asked for at most, those that are left out included.
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
    /// Whether there is an `||` in it.
    var hasAlternatives: Bool {
        switch self {
        case .or(let parts): parts.count > 1 || parts.contains(where: \.hasAlternatives)
        case .and(let parts): parts.contains(where: \.hasAlternatives)
        default: false
        }
    }
}
