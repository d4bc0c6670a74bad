/// Picks how a request is answered.
///
/// Each path (the records in the order of ids, and each index) is judged by what the condition says of its fields, from the
/// first on: as long as they are fixed to single values the next one counts too. A path that finds one record for each
/// value is best, then those that fix more fields, then those that bound one; the whole type is walked when nothing is
/// known. Whatever the path, each record is tested against the whole condition unless the ranges say the same.
struct Planner {
    let type: OpenType

    /// The most ranges that values of several fields are combined to.
    private static let maximumRanges = 256

    /// What is known of one path.
    struct Candidate {
        let path: Plan.Path
        let parts: [KeyPart]
        let ranges: KeyRanges
        /// The number of leading parts that are fixed to one value each.
        let fixedCount: Int
        /// The number of parts that the ranges speak of.
        let boundCount: Int
        /// Whether each range holds one record at most.
        let isUnique: Bool
        /// Whether bounds were cut, so that the ranges hold more than was asked for.
        var isClipped = false
    }

    /// The plan for a request.
    ///
    /// - Parameter forced: the path to take, for tests; nil leaves the choice to the planner.
    /// - Throws: ``StoreError``: `unknownField`, `invalidValue`.
    func plan(_ request: Request, forced: Plan.Path? = nil) throws(StoreError) -> Plan {
        let decision = try decide(request, forced: forced)
        return Plan(
            path: decision.chosen.path, ranges: decision.chosen.ranges, filter: decision.filter,
            isBackward: decision.order == .backward, order: decision.sort,
            needsSort: decision.order == .unordered && !decision.sort.isEmpty, limit: request.limit,
            offset: request.offset)
    }

    /// What was decided about a request.
    private struct Decision {
        let chosen: Candidate
        let sort: [SortPart]
        /// In which direction the chosen path gives the order, if it does.
        let order: Order
        /// What is tested on each record; nil when the ranges say it all.
        let filter: CompiledCondition?
    }

    private func decide(_ request: Request, forced: Plan.Path? = nil) throws(StoreError) -> Decision {
        guard request.offset >= 0, request.limit.map({ $0 >= 0 }) ?? true else {
            throw StoreError(.invalidValue, "limit and offset must not be negative")
        }
        let filter = try ConditionCompiler(type: type.type).compile(request.condition)
        let sort = try sortParts(request.order)
        let candidates = self.candidates(request.condition)
        let chosen =
            forced.flatMap { path in candidates.first { $0.path == path } } ?? best(candidates, sort, request.limit)
        return Decision(
            chosen: chosen, sort: sort, order: order(of: chosen, sort),
            filter: isExact(chosen, request.condition) ? nil : filter)
    }

    private func sortParts(_ order: [SortTerm]) throws(StoreError) -> [SortPart] {
        var parts: [SortPart] = []
        for term in order {
            let access = try FieldAccess(term.field, of: type.type)
            guard let component = KeyComponent(access.type) else {
                throw StoreError(.invalidValue, "\(type.name).\(term.field), of type \(access.type), has no order")
            }
            parts.append(SortPart(access: access, component: component, isDescending: term.isDescending))
        }
        return parts
    }

    /// All paths that can answer the request.
    func candidates(_ condition: ConditionNode) -> [Candidate] {
        let records = candidate(.records, type.idParts, condition, isUnique: true)
        return [records]
            + type.indexes.indices.filter { !type.indexes[$0].stored.isBuilding }.map { place in
                let index = type.indexes[place]
                return candidate(.index(place), index.parts, condition, isUnique: index.stored.isUnique)
            }
    }

    private func candidate(
        _ path: Plan.Path, _ parts: [KeyPart], _ condition: ConditionNode, isUnique: Bool
    ) -> Candidate {
        var prefixes: [[UInt8]] = [[]]
        var ranges: [KeyRange]?
        var (fixedCount, boundCount) = (0, 0)
        for (place, part) in parts.enumerated() {
            let own = ConditionRanges(type: type.type, part: part).ranges(condition)
            if own.isAll { break }
            boundCount = place + 1
            guard own.arePoints, own.ranges.count * prefixes.count <= Self.maximumRanges else {
                ranges = prefixes.flatMap { own.prefixed(by: $0) }
                break
            }
            if own.ranges.count == 1, fixedCount == place { fixedCount += 1 }
            prefixes = prefixes.flatMap { prefix in own.ranges.map { prefix + $0.lower } }
        }
        let isWhole = ranges == nil && boundCount == parts.count
        let unclipped = KeyRanges(ranges ?? prefixes.map { $0.isEmpty ? .all : .prefixed(by: $0) })
        let clipped = self.clipped(unclipped, path)
        return Candidate(
            path: path, parts: parts, ranges: clipped, fixedCount: fixedCount, boundCount: boundCount,
            isUnique: isUnique && isWhole, isClipped: clipped != unclipped)
    }

    /// Long keys are stored truncated: bounds are cut to what all of them keep.
    private func clipped(_ ranges: KeyRanges, _ path: Plan.Path) -> KeyRanges {
        let kept = (path == .records ? KeyLimit.recordKey : KeyLimit.indexValue) - KeyLimit.hashByteCount
        guard ranges.ranges.contains(where: { $0.lower.count > kept || $0.upper.map { $0.count > kept } ?? false })
        else { return ranges }
        return KeyRanges(
            ranges.ranges.map { range in
                var range = range
                range.isPoint = false
                if range.lower.count > kept { range.lower = Array(range.lower[..<kept]) }
                if let upper = range.upper, upper.count > kept {
                    range.upper = KeyRange.successor(of: Array(upper[..<kept]))
                }
                return range
            })
    }

    private func best(_ candidates: [Candidate], _ sort: [SortPart], _ limit: Int?) -> Candidate {
        var best = candidates[0]
        var bestScore = score(best, sort, limit)
        for candidate in candidates.dropFirst() {
            let score = score(candidate, sort, limit)
            if score > bestScore { (best, bestScore) = (candidate, score) }
        }
        return best
    }

    /// How promising a path is.
    private func score(_ candidate: Candidate, _ sort: [SortPart], _ limit: Int?) -> Int {
        if candidate.ranges.ranges.isEmpty { return 1_000_000 }
        var score = 0
        if candidate.isUnique { score += 10_000 }
        score += candidate.fixedCount * 1_000 + candidate.boundCount * 400
        let isOrdered = order(of: candidate, sort) != .unordered
        // In order, a limit ends the walk early; without one, sorting takes less than fetching each record by its key.
        if isOrdered, limit != nil || candidate.boundCount > 0 { score += 100 }
        // The records themselves need no second look-up.
        if candidate.path == .records { score += 50 }
        return score
    }

    /// Whether the ranges hold just the records that meet the condition.
    private func isExact(_ candidate: Candidate, _ condition: ConditionNode) -> Bool {
        guard !candidate.isClipped else { return false }
        let names = candidate.parts.prefix(candidate.boundCount).map { type.type.fields[$0.place].name }
        func isExact(_ node: ConditionNode) -> Bool {
            switch node {
            case .constant(true): true
            case .comparison(let name, let comparison, _):
                comparison != .notEqual && name.parts.count == 1 && names.contains(name.parts[0])
            case .membership(let name, _): name.parts.count == 1 && names.contains(name.parts[0])
            case .text(let name, .startsWith, _, let options), .text(let name, .equals, _, let options):
                options.isEmpty && name.parts.count == 1 && names.contains(name.parts[0])
            case .and(let parts): parts.allSatisfy(isExact)
            default: false
            }
        }
        return isExact(condition)
    }

    private enum Order: String {
        case forward, backward, unordered
    }

    /// In which direction a path gives the order that is asked for, if it does.
    private func order(of candidate: Candidate, _ sort: [SortPart]) -> Order {
        var parts = candidate.parts[...]
        var fixed: Set<Int> = Set(parts.prefix(candidate.fixedCount).map(\.place))
        parts = parts.dropFirst(candidate.fixedCount)
        var direction: Bool?
        var idParts = type.idParts[...]
        for term in sort {
            guard term.access.nested.isEmpty else { return .unordered }
            // Equal in all records: it orders nothing.
            if fixed.contains(term.access.place) { continue }
            if let direction, direction != term.isDescending { return .unordered }
            if let next = parts.first {
                guard next.place == term.access.place else { return .unordered }
                parts = parts.dropFirst()
            } else {
                // Entries with equal values come in the order of ids.
                while let next = idParts.first, fixed.contains(next.place) { idParts = idParts.dropFirst() }
                guard candidate.path != .records, let next = idParts.first, next.place == term.access.place else {
                    return .unordered
                }
                idParts = idParts.dropFirst()
            }
            direction = term.isDescending
            fixed.insert(term.access.place)
        }
        if !parts.isEmpty, candidate.path != .records {
            // What is left orders those that are equal otherwise, where ids should.
            return .unordered
        }
        // Ties come in the direction of the last term, whether or not that orders anything itself.
        let isBackward = sort.last?.isDescending ?? false
        if let direction, direction != isBackward { return .unordered }
        return isBackward ? .backward : .forward
    }

    /// The plan for people.
    func explain(_ request: Request) throws(StoreError) -> String {
        let decision = try decide(request)
        let chosen = decision.chosen
        var lines: [String] = []
        let names = chosen.parts.prefix(chosen.boundCount).map { type.type.fields[$0.place].name }
        switch chosen.path {
        case .records:
            lines.append(
                names.isEmpty
                    ? "walk all \(type.name) in the order of ids"
                    : "look in \(type.name) by \(names.joined(separator: ", "))")
        case .index(let place):
            let index = type.indexes[place]
            let kind = index.stored.isUnique ? "unique index" : "index"
            lines.append(
                "look in the \(kind) on \(index.fieldNames(in: type.type))"
                    + (names.isEmpty ? "" : " by \(names.joined(separator: ", "))"))
        }
        if chosen.boundCount > 0 {
            lines.append("ranges of keys: \(chosen.ranges.ranges.count)")
        }
        if decision.filter != nil { lines.append("test each record: \(request.condition.text)") }
        if !request.order.isEmpty {
            let terms = request.order.map { "\($0.field)" + ($0.isDescending ? " descending" : "") }
            let order = decision.order == .unordered ? "sort what is found" : "walk \(decision.order.rawValue)"
            lines.append("\(order) for the order by \(terms.joined(separator: ", "))")
        }
        if request.offset > 0 { lines.append("leave out the first \(request.offset)") }
        if let limit = request.limit { lines.append("at most \(limit)") }
        return lines.joined(separator: "\n")
    }
}
