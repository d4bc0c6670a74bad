/// The estimates for one request. Each is made once.
struct PlanEstimates {
    private let planner: Planner
    private var known: [(candidate: PathCandidate, estimate: RowEstimate)] = []
    private var matching: RowEstimate?

    /// The number of records from which sampled records are tested, where the end of the walk depends on the number of matches.
    private static let tableWorthTesting = 10_000

    init(_ planner: Planner) { self.planner = planner }

    /// Returns the number of entries that a path leads to.
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

    /// Returns the number of records that meet the condition.
    ///
    /// - Parameter option: a way to find them. Its paths count in addition to those that were estimated before.
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
            // An index that counts few records is more exact than the sample.
            for (candidate, estimate) in known where !candidate.isOfBranch {
                result.rows = min(result.rows, estimate.rows)
            }
        }
        matching = result
        return result
    }

    /// Returns the smallest estimate of any path, multiplied by the share that the rest of the condition lets through.
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

    /// Returns the share of records that meet a conjunct. If an estimated path restricts only the conjunct's field, its estimate
    /// gives the share.
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
        // Without a limit and a sort, the cost does not depend on the number of matches.
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
