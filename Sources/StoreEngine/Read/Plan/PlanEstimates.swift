/// Estimates for one request, each made once.
struct PlanEstimates {
    private let planner: Planner
    private var known: [(candidate: PathCandidate, estimate: RowEstimate)] = []
    private var matching: RowEstimate?

    /// From so many records on, records of the sample are tested where the walk's end depends on how many match.
    private static let tableWorthTesting = 10_000

    init(_ planner: Planner) { self.planner = planner }

    /// How many entries a path leads to.
    mutating func rows(_ candidate: PathCandidate, _ estimator: inout RowEstimator) throws(StoreError) -> RowEstimate {
        if candidate.isWhole { return .counted(estimator.total) }
        for (other, estimate) in known
        where other.indexNumber == candidate.indexNumber && other.ranges == candidate.ranges {
            return estimate
        }
        let estimate = try estimator.estimate(candidate)
        known.append((candidate, estimate))
        return estimate
    }

    /// How many records meet the condition.
    ///
    /// - Parameter option: a way to them, whose paths count beside those that were looked at before.
    mutating func matching(
        _ option: PlanOption, _ estimator: inout RowEstimator
    ) throws(StoreError) -> RowEstimate {
        for candidate in option.candidates { _ = try rows(candidate, &estimator) }
        if option.form == .walk, option.isExact { return try rows(option.candidates[0], &estimator) }
        if let matching { return matching }
        var result = guessedMatching(option, total: Double(estimator.total))
        if estimator.total >= Self.tableWorthTesting, result.source == .guessed,
            let share = try estimator.sampledShare(planner.filter)
        {
            result = RowEstimate(rows: share * Double(estimator.total), source: .sampled)
            // What an index says of a few is more exact.
            for (candidate, estimate) in known where !candidate.isOfBranch {
                result.rows = min(result.rows, estimate.rows)
            }
        }
        matching = result
        return result
    }

    /// The least that any path says, times what the rest of the condition may leave out.
    private func guessedMatching(_ option: PlanOption, total: Double) -> RowEstimate {
        let conjuncts = planner.request.condition.conjuncts
        var best = RowEstimate(
            rows: total * planner.request.condition.guessedShare,
            source: planner.request.condition == .constant(true) ? .counted : .guessed)
        for (candidate, estimate) in known where !candidate.isOfBranch {
            let rest =
                candidate.isClipped ? [] : conjuncts.filter { !$0.isSaid(by: [candidate], in: planner.type.type) }
            let rows = estimate.rows * rest.reduce(1) { $0 * share($1, total) }
            if rows < best.rows || rest.isEmpty {
                best = RowEstimate(rows: rows, source: rest.isEmpty ? estimate.source : .guessed)
                if rest.isEmpty { break }
            }
        }
        return best
    }

    /// The share of records that meet a conjunct, by the paths that were looked at where one speaks of it alone.
    private func share(_ conjunct: ConditionNode, _ total: Double) -> Double {
        for (candidate, estimate) in known where candidate.boundCount == 1 && !candidate.isOfBranch {
            if conjunct.isSaid(by: [candidate], in: planner.type.type) {
                return total > 0 ? estimate.rows / total : 1
            }
        }
        return conjunct.guessedShare
    }

    // MARK: Costs

    mutating func cost(_ option: PlanOption, _ estimator: inout RowEstimator) throws(StoreError) -> Double {
        switch option.form {
        case .walk: return try walkCost(option, &estimator)
        case .intersection, .union: return try gatheringCost(option, &estimator)
        }
    }

    private mutating func walkCost(
        _ option: PlanOption, _ estimator: inout RowEstimator
    ) throws(StoreError) -> Double {
        let candidate = option.candidates[0]
        let rows = try rows(candidate, &estimator).rows
        let needsSort = option.order == .unordered && !planner.sort.isEmpty
        let isFetched = planner.isFetching(option)
        let entry =
            candidate.indexNumber == nil ? PlanCost.record : PlanCost.entry + (isFetched ? estimator.fetchCost : 0)
        let perEntry = entry + (option.isExact ? 0 : PlanCost.test)
        var cost = PlanCost.seek * Double(candidate.ranges.ranges.count)
        // Without a limit or a sort nothing depends on how many match.
        guard needsSort || planner.wanted < .max else { return cost + rows * perEntry }
        let matching = try matching(option, &estimator).rows
        let share = rows > 0 ? Swift.min(1, matching / rows) : 1
        var visited = rows
        if !needsSort, Double(planner.wanted) < visited * share {
            visited = Double(planner.wanted) / Swift.max(share, .leastNonzeroMagnitude)
        }
        cost += visited * perEntry
        if needsSort { cost += PlanCost.sort(visited * share, wanted: planner.wanted, fetch: estimator.fetchCost) }
        return cost
    }

    private mutating func gatheringCost(
        _ option: PlanOption, _ estimator: inout RowEstimator
    ) throws(StoreError) -> Double {
        var cost = 0.0
        var found = option.form == .union ? 0 : Double(estimator.total)
        for candidate in option.candidates {
            let rows = try rows(candidate, &estimator).rows
            let seeks = PlanCost.seek * Double(candidate.ranges.ranges.count)
            cost += seeks + rows * (PlanCost.entry + PlanCost.keep)
            if option.form == .union {
                found += rows
            } else if estimator.total > 0 {
                found *= rows / Double(estimator.total)
            }
        }
        found = Swift.min(found, Double(estimator.total))
        let needsSort = option.order == .unordered && !planner.sort.isEmpty
        let depth = found > 1 ? Double(Int(found).bitWidth - Int(found).leadingZeroBitCount) : 1
        cost += found * depth * PlanCost.comparison
        if planner.isFetching(option) {
            let visited = needsSort ? found : Swift.min(found, Double(planner.wanted))
            cost += visited * (estimator.fetchCost + PlanCost.test)
        }
        if needsSort { cost += PlanCost.sort(found, wanted: planner.wanted, fetch: estimator.fetchCost) }
        return cost
    }
}
