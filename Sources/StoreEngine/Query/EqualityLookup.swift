/// The walk that answers a request whose condition gives one value to each of the first fields of an index, or of the id,
/// and says nothing else. Most requests of services are such.
///
/// It leads to just the records that meet the condition. So where it turns out to be short there is nothing to plan, and
/// finding it takes neither estimates nor a compiled condition. Nothing of it is kept from one request to the next, so it
/// holds for whatever values, catalog and statistics there are.
struct EqualityLookup {
    /// The index, by its place among the type's; nil for the records in the order of ids.
    let place: Int?
    private let prefix: [UInt8]
    /// The places of the fields that the condition names.
    private let fields: [Int]
    private let order: PlanOrder
    private let sort: [SortPart]

    /// The walk for a request; nil where its condition says more or less, or a value does not fit.
    init?(_ request: Request, of type: OpenType) {
        guard request.position == nil, !request.isDistinct, request.offset >= 0, request.limit.map({ $0 >= 0 }) ?? true,
            let terms = Self.terms(request.condition, of: type), let sort = Self.sort(request.order, of: type)
        else { return nil }
        var best: (place: Int?, parts: [KeyPart], order: PlanOrder, rank: Int)?
        for path in type.lookupPaths where path.begins(with: terms) {
            let fixed = path.parts.prefix(terms.count).lazy.map(\.place)
            // Without a sort any order is right.
            let order =
                sort.isEmpty
                ? .forward
                : PlanOrder(
                    parts: path.parts.dropFirst(terms.count), fixed: fixed, isByID: path.place == nil, of: type,
                    sort: sort)
            let isOne = path.isUnique && path.parts.count == terms.count
            let rank = isOne ? 2 : order == .unordered ? 0 : 1
            if best.map({ rank > $0.rank }) ?? true { best = (path.place, path.parts, order, rank) }
        }
        guard let best, let prefix = Self.prefix(best.parts, terms, of: type) else { return nil }
        // What is truncated leads to other records too.
        let kept = best.place == nil ? KeyLimit.recordKeyBeginning : KeyLimit.indexValueBeginning
        guard prefix.count <= kept else { return nil }
        (place, order) = (best.place, best.order)
        self.prefix = prefix
        self.sort = sort
        fields = terms.map(\.place)
    }

    var path: Plan.Path { place.map { .index($0) } ?? .records }

    /// Whether the walk gives the order, so that its first entries are those that are wanted.
    var isOrdered: Bool { order != .unordered }

    func plan(limit: Int?, offset: Int) -> Plan {
        Plan(
            source: .walk(
                PlannedWalk(place: place, ranges: KeyRanges([.prefixed(by: prefix, isPoint: true)]), fields: fields)),
            filter: nil, wholeFilter: nil, isBackward: order == .backward, order: sort, needsSort: !isOrdered,
            limit: limit, offset: offset, position: nil, distinct: nil, matching: nil)
    }

    /// A field that must have a value.
    fileprivate struct Term {
        let place: Int
        let value: DynamicValue
    }

    private static func terms(_ condition: ConditionNode, of type: OpenType) -> [Term]? {
        if case .and(let parts) = condition {
            var terms: [Term] = []
            terms.reserveCapacity(parts.count)
            for part in parts {
                guard let term = term(part, of: type), !terms.contains(where: { $0.place == term.place }) else {
                    return nil
                }
                terms.append(term)
            }
            return terms.isEmpty ? nil : terms
        }
        return term(condition, of: type).map { [$0] }
    }

    private static func term(_ condition: ConditionNode, of type: OpenType) -> Term? {
        guard case .comparison(let name, .equal, let value) = condition, let single = name.single,
            let place = type.place(ofNewestField: single)
        else { return nil }
        if case .none = value { return nil }
        return Term(place: place, value: value)
    }

    private static func sort(_ order: [SortTerm], of type: OpenType) -> [SortPart]? {
        var parts: [SortPart] = []
        for term in order {
            guard let part = type.sortPart(term) else { return nil }
            parts.append(part)
        }
        return parts
    }

    private static func prefix(_ parts: [KeyPart], _ terms: [Term], of type: OpenType) -> [UInt8]? {
        var key = ByteWriter(capacity: 64)
        var scratch = ByteWriter(capacity: 32)
        do {
            for part in parts.prefix(terms.count) {
                for term in terms where term.place == part.place {
                    try part.append(term.value, as: type.type.fields[part.place].type, to: &key, scratch: &scratch)
                }
            }
        } catch {
            return nil
        }
        return key.array()
    }
}

/// The records in the order of ids, or an index that holds all of them once: what an ``EqualityLookup`` may walk.
struct LookupPath: Sendable {
    /// The index, by its place among the type's; nil for the records.
    let place: Int?
    let parts: [KeyPart]
    let isUnique: Bool

    /// Those of a type.
    static func all(idParts: [KeyPart], indexes: [OpenIndex]) -> [LookupPath] {
        var paths = [LookupPath(place: nil, parts: idParts, isUnique: true)]
        for (place, index) in indexes.enumerated() where !index.isMultiple && !index.stored.isBuilding {
            paths.append(LookupPath(place: place, parts: index.parts, isUnique: index.stored.isUnique))
        }
        return paths
    }

    /// Whether the first parts are just the fields that must have values.
    fileprivate func begins(with terms: [EqualityLookup.Term]) -> Bool {
        guard parts.count >= terms.count else { return false }
        return parts.prefix(terms.count).allSatisfy { part in terms.contains { $0.place == part.place } }
    }
}
