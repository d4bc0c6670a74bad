/// One way to answer a request, with what it is expected to cost.
struct PlanOption: Sendable {
    enum Form: Hashable, Sendable {
        case walk, intersection, union
    }

    let form: Form
    /// One for a walk.
    let candidates: [PathCandidate]
    /// Whether no record is found that does not meet the condition.
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

/// In which direction a source gives the order that is asked for, if it does.
enum PlanOrder: String, Sendable {
    case forward, backward, unordered

    /// The direction in which entries come in the order of `sort`.
    ///
    /// - Parameters:
    ///   - fieldIndexes: those of the fields that entries are ordered by, without `fixed`.
    ///   - fixed: the places of the fields that are equal in all entries.
    ///   - isByID: whether `fieldIndexes` are those of the id; otherwise entries with equal values come in the order of ids.
    ///   - idFieldIndexes: the places of the id's fields.
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
            // Equal in all records: it orders nothing.
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
        // What is left orders those that are equal otherwise, where ids should.
        if !fieldIndexes.isEmpty, !isByID { return }
        // Ties come in the direction of the last term, whether or not that orders anything itself.
        let isBackward = sort.last?.isDescending ?? false
        if let direction, direction != isBackward { return }
        self = isBackward ? .backward : .forward
    }
}

/// By which field of the record itself it is sorted, and in which direction.
struct SortField {
    /// Nil where it is not one of the record's own fields.
    let fieldIndex: Int?
    let isDescending: Bool
}

extension SortPart {
    /// The same without how a key is made.
    var sortField: SortField {
        SortField(
            fieldIndex: access.nested.isEmpty && path == nil ? access.fieldIndex : nil, isDescending: isDescending)
    }
}
