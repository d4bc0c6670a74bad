/// The costs of the steps of a fetch, in nanoseconds on the machine that ran the benchmarks. Only their ratios matter: fetching
/// one record from an index entry costs as much as walking over several adjacent records.
enum PlanCost {
    /// Finding the first entry of a range of keys.
    static let seek = 300.0
    /// Moving to the next entry of an index.
    static let entry = 20.0
    /// Moving to the next record.
    static let record = 30.0
    /// Testing a record.
    static let test = 40.0

    /// Returns the cost of finding a record by its key: a search in each level of the tree, and memory outside every cache when
    /// the tree is large.
    static func fetch(depth: Int, byteCount: Int) -> Double {
        100 + 150 * Double(depth) + (byteCount > 8 << 20 ? 400 : 0)
    }

    /// Making a record's sort key and comparing it with the last key kept.
    static let sortKey = 50.0
    /// One comparison during a sort.
    static let comparison = 15.0
    /// Keeping a record's key for an intersection or a union, or looking it up among the kept keys.
    static let keep = 60.0

    /// Returns the cost of sorting `rows` records, of which `wanted` are kept and then fetched.
    static func sort(_ rows: Double, wanted: Int, fetch: Double) -> Double {
        let kept = Swift.min(rows, Double(wanted))
        let depth = kept > 1 ? Double(Int(kept).bitWidth - Int(kept).leadingZeroBitCount) : 1
        // If few records are kept, most records come after all of them.
        let moved = kept < rows ? kept * depth : rows * depth
        return rows * sortKey + moved * comparison + kept * fetch
    }
}

/// Guesses of the share of records that meet a condition, from its form alone.
extension ConditionNode {
    /// The guessed share of all records that meet the condition.
    var guessedShare: Double {
        switch self {
        case .constant(let value): value ? 1 : 0
        case .comparison(_, .equal, _), .fieldComparison(_, .equal, _), .arithmetic(_, .equal, _),
            .text(_, .equals, _, _):
            0.05
        case .comparison(_, .notEqual, _), .fieldComparison(_, .notEqual, _), .arithmetic(_, .notEqual, _): 0.95
        case .comparison, .fieldComparison, .arithmetic, .size: 0.33
        case .membership(_, let values): Swift.min(1, 0.05 * Double(values.count))
        case .text: 0.1
        case .element, .elements, .inverse: 0.2
        case .found(let found): found.isExcluded ? 0.9 : Swift.min(1, 0.05 * Double(found.keys.count))
        case .and(let parts): parts.reduce(1) { $0 * $1.guessedShare }
        case .or(let parts): 1 - parts.reduce(1) { $0 * (1 - $1.guessedShare) }
        case .not(let part): 1 - part.guessedShare
        case .invalid: 1
        }
    }

    /// The conditions that must all hold for this condition to hold.
    var conjuncts: [ConditionNode] {
        if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
    }

    /// The conditions of which at least one must hold for this condition to hold.
    var disjuncts: [ConditionNode] {
        if case .or(let parts) = self { parts.flatMap(\.disjuncts) } else { [self] }
    }

    /// Whether the ranges of some paths guarantee this condition: every record that all of the paths lead to meets it.
    ///
    /// An index of elements guarantees only the element test that its range was made from. It guarantees nothing else about its
    /// field.
    func isSaid(by candidates: [PathCandidate], in type: RecordType) -> Bool {
        func isBound(_ name: FieldName) -> Bool {
            guard let single = name.single else { return false }
            return isBound { type.isField($0, named: single) }
        }
        func isBound(_ isMeant: (Int) -> Bool) -> Bool {
            candidates.contains { $0.element == nil && $0.boundFieldIndexes.contains(where: isMeant) }
        }
        return switch self {
        case .constant(true): true
        case .comparison(let name, .notEqual, .none): isBound(name)
        case .comparison(let name, let comparison, _): comparison != .notEqual && isBound(name)
        case .membership(let name, _): isBound(name)
        case .found(let found):
            !found.isExcluded && type.idFields.count == 1 && isBound { type.fieldIndex(ofID: type.idFields[0]) == $0 }
        case .text(let name, .startsWith, _, let options), .text(let name, .equals, _, let options):
            options.isEmpty && isBound(name)
        case .element: candidates.contains { $0.element == self }
        case .and(let parts): parts.allSatisfy { $0.isSaid(by: candidates, in: type) }
        default: false
        }
    }
}
