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
    ///   - parts: what entries are ordered by, those without `fixed`.
    ///   - fixed: the places of the fields that are equal in all entries.
    ///   - isByID: whether `parts` are those of the id; otherwise entries with equal values come in the order of ids.
    init(
        parts: some Collection<KeyPart>, fixed: some Sequence<Int>, isByID: Bool, of type: OpenType, sort: [SortPart]
    ) {
        if sort.isEmpty {
            self = parts.isEmpty || isByID ? .forward : .unordered
            return
        }
        var parts = Array(parts)[...]
        var fixed = Array(fixed)
        var direction: Bool?
        var idParts = type.idParts[...]
        self = .unordered
        for term in sort {
            guard term.access.nested.isEmpty, term.path == nil else { return }
            // Equal in all records: it orders nothing.
            if fixed.contains(term.access.place) { continue }
            if let direction, direction != term.isDescending { return }
            if let next = parts.first {
                guard next.place == term.access.place else { return }
                parts = parts.dropFirst()
            } else {
                while let next = idParts.first, fixed.contains(next.place) { idParts = idParts.dropFirst() }
                guard !isByID, let next = idParts.first, next.place == term.access.place else { return }
                idParts = idParts.dropFirst()
            }
            direction = term.isDescending
            fixed.append(term.access.place)
        }
        // What is left orders those that are equal otherwise, where ids should.
        if !parts.isEmpty, !isByID { return }
        // Ties come in the direction of the last term, whether or not that orders anything itself.
        let isBackward = sort.last?.isDescending ?? false
        if let direction, direction != isBackward { return }
        self = isBackward ? .backward : .forward
    }
}
