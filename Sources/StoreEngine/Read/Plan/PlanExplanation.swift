/// A plan as text, with one line for each step. A line gives the estimated number of entries or records of its step and, after
/// the plan has run, the actual number.
struct PlanExplanation {
    private let type: OpenType
    private let request: Request
    private let plan: Plan
    /// Whether the index holds all requested fields.
    let isCovered: Bool
    /// The lookups made during planning, for parts of the condition about other records.
    private let lookups: [ConditionLookup]
    /// The work done by running the plan; nil when it has not run.
    var done: FetchCounts?

    init(_ planned: PlannedRequest) {
        type = planned.type
        request = planned.explained ?? Request()
        plan = planned.plan
        isCovered = planned.isCovered
        lookups = planned.lookups
    }

    var text: String {
        var lines = lookups.map(\.text) + sourceLines
        if plan.filter != nil {
            let passed = done.map { ", \($0.passed) of \($0.tested) passed" } ?? ""
            let expected = plan.matching.map { ": \(Self.text($0, of: "record"))" } ?? ""
            lines.append("test each record: \(Self.shortened(request.condition))\(expected)\(passed)")
        }
        if isCovered { lines.append("read the fields from the index, without the records") }
        if !request.order.isEmpty {
            let terms = request.order.map { "\($0.field)" + ($0.isDescending ? " descending" : "") }
            let order = plan.needsSort ? "sort the results" : "walk \(plan.isBackward ? "backward" : "forward")"
            lines.append("\(order) for the order by \(terms.joined(separator: ", "))")
        }
        if plan.position != nil { lines.append("continue after a position") }
        if let distinct = plan.distinct {
            lines.append("each \(distinct.names) once" + (distinct.areNeighbours ? ", equal rows are adjacent" : ""))
        }
        if request.offset > 0 { lines.append("skip the first \(request.offset)") }
        if let limit = request.limit { lines.append("at most \(limit)") }
        if let done {
            if done.isWalkOfAll { lines.append("there were too many keys for memory: the plan walked all records") }
            lines.append("records read: \(done.fetched), returned: \(done.returned)")
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a condition as text for messages. A long list is shortened to its length and first values, and a long text to its
    /// beginning.
    static func shortened(_ condition: ConditionNode) -> String {
        let text = condition.withShortLists.text
        return text.utf8.count > 1_000 ? text.prefix(1_000) + "…" : text
    }

    private var sourceLines: [String] {
        switch plan.source {
        case .walk(let walk): return [line(walk, 0)]
        // Planning for an explanation does not look keys up.
        case .keys: return []
        case .intersection(let walks):
            return ["take the records that all of these find"] + walks.indices.map { "  " + line(walks[$0], $0) }
        case .union(let walks):
            return ["take the records that any of these finds"] + walks.indices.map { "  " + line(walks[$0], $0) }
        }
    }

    private func line(_ walk: PlannedWalk, _ number: Int) -> String {
        var line: String
        let names = walk.fields.map { type.type.fields[$0].name }
        let by = names.isEmpty ? "" : " by \(names.joined(separator: ", "))"
        if let indexNumber = walk.indexNumber {
            let index = type.indexes[indexNumber]
            let kind = index.stored.isUnique ? "unique index" : "index"
            line = "look in the \(kind) on \(index.fieldNames(in: type.type))\(by)"
        } else {
            line = walk.fields.isEmpty ? "walk all \(type.name) in the order of ids" : "look in \(type.name)\(by)"
        }
        if walk.ranges.ranges.count != 1 { line += " in \(walk.ranges.ranges.count) ranges" }
        if let estimate = walk.estimate { line += ": \(Self.text(estimate, of: "entry"))" }
        if let done { line += ", looked at \(done.walked[number])" }
        return line
    }

    /// Returns a number of entries as text. An estimate is rounded to two digits.
    private static func text(_ estimate: RowEstimate, of noun: String) -> String {
        var rows = Int(estimate.rows.rounded())
        if estimate.source != .counted {
            var unit = 1
            while rows / unit >= 100 { unit *= 10 }
            rows = (rows + unit / 2) / unit * unit
        }
        let plural = noun == "entry" ? "entries" : "\(noun)s"
        let number = "\(rows) \(rows == 1 ? noun : plural)"
        return switch estimate.source {
        case .counted: number
        case .sampled: "about \(number)"
        case .guessed: "perhaps \(number)"
        }
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Explains how a request is answered: its paths, its tests and sorts, and the number of entries and records that each step
    /// gives.
    ///
    /// A bare number was counted. "about" marks an estimate from the store's statistics, and "perhaps" a guess from the form of
    /// the condition alone.
    ///
    /// - Parameters:
    ///   - request: the request to explain.
    ///   - analyzed: whether to run the request too, and to report the number of entries and records that each step gave. This
    ///     takes as long as a fetch.
    /// - Throws: ``StoreError``: `unknownType`; `unknownField` and `invalidValue` where the request does not match the store's
    ///   schema; `damaged`.
    public borrowing func explain<R: Record>(
        _ request: FetchRequest<R>, analyzed: Bool = false
    ) throws(StoreError) -> String {
        let scope = _reading
        return try scope.explain(request.request, typeIndex: scope.binding(R.self).typeIndex, analyzed: analyzed)
    }
}

extension ReadContext {
    /// Explains how a request is answered.
    ///
    /// - Parameters:
    ///   - indexNumbers: the indexes of the only requested fields; nil for all fields.
    ///   - path: the path to use, for tests; nil leaves the choice to the planner.
    ///   - analyzed: whether to run the request too, and to report the work that it did.
    package func explain(
        _ request: Request, covering fieldIndexes: [Int]? = nil, typeIndex: Int, by path: Plan.Path? = nil,
        analyzed: Bool = false
    ) throws(StoreError) -> String {
        let planned = try planned(request, typeIndex: typeIndex, covering: fieldIndexes, by: path, isExplained: true)
        var explanation = PlanExplanation(planned)
        if analyzed {
            var cursor = try FetchCursor(self, planned)
            while try cursor.advance() {
                // The index cuts long values, so the record is needed.
                if explanation.isCovered, try !cursor.readCovered() { try cursor.load() }
            }
            explanation.done = cursor.done
        }
        return explanation.text
    }
}
