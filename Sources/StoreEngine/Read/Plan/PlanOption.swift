/// One way to answer a request, for which the planner estimates the cost.
struct PlanOption: Sendable {
    enum Form: Hashable, Sendable {
        case walk, intersection, union
    }

    let form: Form
    /// The candidates: exactly one for a walk.
    let candidates: [PathCandidate]
    /// Whether the option finds only records that meet the condition.
    let isExact: Bool
    let order: PlanOrder

    func source(_ estimates: [RowEstimate?]) -> Plan.Source {
        let walks = zip(candidates, estimates).map { PlannedWalk($0, estimate: $1) }
        return switch form {
        case .walk: .walk(walks[0])
        case .intersection: .intersection(walks)
        case .union: .union(walks)
        }
    }
}

/// The direction in which a source gives the requested order; `unordered` where it does not.
enum PlanOrder: String, Sendable {
    case forward, backward, unordered

    /// Finds the direction in which entries come in the order of `sort`.
    ///
    /// - Parameters:
    ///   - fieldIndexes: the indexes of the fields that entries are ordered by, without `fixed`.
    ///   - fixed: the indexes of the fields that are equal in all entries.
    ///   - isByID: whether `fieldIndexes` are the fields of the id. Otherwise entries with equal values come in the order of ids.
    ///   - idFieldIndexes: the indexes of the id's fields.
    init(fieldIndexes: ArraySlice<Int>, fixed: ArraySlice<Int>, isByID: Bool, idFieldIndexes: [Int], sort: [SortField])
    {
        if sort.isEmpty {
            self = fieldIndexes.isEmpty || isByID ? .forward : .unordered
            return
        }
        var fieldIndexes = fieldIndexes
        var idFieldIndexes = idFieldIndexes[...]
        var direction: Bool?
        self = .unordered
        for (number, term) in sort.enumerated() {
            guard let fieldIndex = term.fieldIndex else { return }
            func isFixed(_ fieldIndex: Int) -> Bool {
                fixed.contains(fieldIndex) || sort[..<number].contains { $0.fieldIndex == fieldIndex }
            }
            // The field is equal in all records, so it orders nothing.
            if isFixed(fieldIndex) { continue }
            if let direction, direction != term.isDescending { return }
            if let next = fieldIndexes.first {
                guard next == fieldIndex else { return }
                fieldIndexes = fieldIndexes.dropFirst()
            } else {
                while let next = idFieldIndexes.first, isFixed(next) { idFieldIndexes = idFieldIndexes.dropFirst() }
                guard !isByID, let next = idFieldIndexes.first, next == fieldIndex else { return }
                idFieldIndexes = idFieldIndexes.dropFirst()
            }
            direction = term.isDescending
        }
        // The remaining fields would order otherwise equal entries, but ids should.
        if !fieldIndexes.isEmpty, !isByID { return }
        // Ties follow the direction of the last sort field, even where that field orders nothing itself.
        let isBackward = sort.last?.isDescending ?? false
        if let direction, direction != isBackward { return }
        self = isBackward ? .backward : .forward
    }
}

/// A field of the record itself as a sort field, and its direction.
struct SortField {
    /// The field's index; nil where the sort field is not one of the record's own fields.
    let fieldIndex: Int?
    let isDescending: Bool
}

extension SortPart {
    /// The sort field without the way to make its key.
    var sortField: SortField {
        SortField(
            fieldIndex: access.nested.isEmpty && path == nil ? access.fieldIndex : nil, isDescending: isDescending)
    }
}
