import LMDB

/// The walk that answers a request whose condition gives one value to each of the first fields of an index, or of the id,
/// and says nothing else. Most requests of services are such.
///
/// It leads to just the records that meet the condition. So where it turns out to be short there is nothing to plan, and
/// finding it takes neither estimates nor a compiled condition. Nothing of it is kept from one request to the next, so it
/// holds for whatever values, catalog and statistics there are.
struct EqualityLookup: ~Copyable {
    /// The index, by its place among the type's; nil for the records in the order of ids.
    private let indexNumber: Int?
    /// The beginning of the keys of all its entries.
    private let prefix: [UInt8]
    /// The direction in which the entries come in the order that is asked for.
    private let order: PlanOrder
    /// Whether there is no more than one such entry.
    private let isOne: Bool
    /// The walk, once it has turned out to have more than a few entries.
    private(set) var longWalk: LongWalk?

    /// A run of more than ``RowEstimator/maximumDive`` keys.
    struct LongWalk {
        let indexNumber: Int?
        let range: KeyRange
    }

    /// The walk for a request; nil where its condition says more or less, or a value does not fit.
    init?(_ request: borrowing Request, of type: OpenType) {
        // Without the copies that comparing with nil makes.
        if case .some = request.position { return nil }
        guard !request.isDistinct, request.offset >= 0, request.limit.map({ $0 >= 0 }) ?? true,
            let terms = EqualityTerms(request.condition, of: type),
            let sort = Self.sort(request.order, of: type)
        else { return nil }
        var best: (path: Int, order: PlanOrder, rank: Int)?
        for number in type.lookupPaths.indices where terms.name(theFirstOf: type.lookupPaths[number].fieldIndexes) {
            let path = type.lookupPaths[number]
            // Without a sort any order is right.
            let order =
                sort.isEmpty
                ? .forward
                : PlanOrder(
                    fieldIndexes: path.fieldIndexes.dropFirst(terms.count),
                    fixed: path.fieldIndexes.prefix(terms.count),
                    isByID: path.indexNumber == nil, idFieldIndexes: type.idFieldIndexes, sort: sort)
            let isOne = path.isUnique && path.fieldIndexes.count == terms.count
            let rank = isOne ? 2 : order == .unordered ? 0 : 1
            if best.map({ rank > $0.rank }) ?? true { best = (number, order, rank) }
        }
        guard let best else { return nil }
        let path = type.lookupPaths[best.path]
        // What is truncated leads to other records too.
        let kept = path.indexNumber == nil ? KeyLimit.recordKeyBeginning : KeyLimit.indexValueBeginning
        guard let prefix = terms.prefix(path.parts, of: type), prefix.count <= kept else { return nil }
        (indexNumber, order, isOne) = (path.indexNumber, best.order, best.rank == 2)
        self.prefix = prefix
    }

    var path: Plan.Path { indexNumber.map { .index($0) } ?? .records }

    /// Whether the walk gives the order, so that its first entries are those that are wanted.
    private var isOrdered: Bool { order != .unordered }

    /// The plan for a request, once the keys are known.
    func plan(_ request: Request, of type: OpenType, _ keys: RecordKeyList) -> Plan {
        Plan(
            source: .keys(keys), filter: nil, wholeFilter: nil, isBackward: false,
            order: isOrdered ? [] : request.order.compactMap(type.sortPart), needsSort: !isOrdered,
            limit: request.limit, offset: request.offset, position: nil, distinct: nil, matching: nil)
    }

    /// The keys of the records that the walk leads to, in its order, where they are few or few are wanted of them.
    ///
    /// - Returns: nil where they are more, or where long values are out of order: there is something to plan then.
    mutating func keys(
        _ request: Request, of type: OpenType, _ scope: ReadContext
    ) throws(StoreError) -> RecordKeyList? {
        let wanted = Swift.min(isOrdered ? request.wanted : .max, isOne ? 1 : .max)
        do throws(any Error) {
            var cursor = try scope.snapshot.openCursor(type.database(ofIndex: indexNumber))
            var keys = RecordKeyList(byteCount: 64, count: Swift.min(wanted, 8))
            guard wanted > 0, try enter(&cursor) else { return keys }
            repeat {
                let key = cursor.key
                guard key.begins(with: prefix) else { break }
                guard keys.count < RowEstimator.maximumDive else {
                    longWalk = LongWalk(indexNumber: indexNumber, range: .prefixed(by: prefix, isPoint: true))
                    return nil
                }
                guard key.byteCount < KeyLimit.indexValueBeginning else { return nil }
                if indexNumber == nil {
                    keys.append(key)
                } else {
                    keys.append(try IndexEntry.recordKey(key: key, data: cursor.value))
                }
            } while try keys.count < wanted && (order == .backward ? cursor.previous() : cursor.next())
            return keys
        } catch {
            throw StoreError(reading: error, at: "an entry of an index of \(type.name)")
        }
    }

    /// Goes to the first entry of the walk, or to one that is none of it.
    private func enter(_ cursor: inout LMDBCursor) throws(LMDBError) -> Bool {
        guard order == .backward else { return try unsafe cursor.seek(atLeast: prefix.span.bytes) }
        guard let end = KeyRange.successor(of: prefix) else { return try cursor.last() }
        // The last before the end: one back from the first that is not before it.
        _ = try unsafe cursor.seek(atLeast: end.span.bytes)
        return try cursor.previous()
    }

    private static func sort(_ order: [SortTerm], of type: OpenType) -> [SortField]? {
        var fieldIndexes: [SortField] = []
        for term in order {
            guard let fieldIndex = type.sortFieldIndex(term) else { return nil }
            fieldIndexes.append(SortField(fieldIndex: fieldIndex, isDescending: term.isDescending))
        }
        return fieldIndexes
    }
}

/// The fields that a condition gives one value each, where it says nothing else.
private struct EqualityTerms: ~Copyable {
    /// The places of the fields in the order of the condition.
    private var fieldIndexes: InlineArray<8, Int> = .init(repeating: -1)
    private var values: InlineArray<8, DynamicValue> = .init(repeating: .none)
    private(set) var count = 0

    init?(_ condition: ConditionNode, of type: OpenType) {
        guard case .and(let parts) = condition else {
            guard add(condition, of: type) else { return nil }
            return
        }
        // More are left to the planner.
        guard !parts.isEmpty, parts.count <= fieldIndexes.count else { return nil }
        for part in parts {
            guard add(part, of: type) else { return nil }
        }
    }

    private mutating func add(_ term: ConditionNode, of type: OpenType) -> Bool {
        guard case .comparison(let name, .equal, let value) = term, name.rest.isEmpty,
            let fieldIndex = type.newestFieldIndex(named: name.first)
        else { return false }
        if case .none = value { return false }
        fieldIndexes[count] = fieldIndex
        values[count] = value
        count += 1
        return true
    }

    /// Whether the first fields of a path, which are different ones, are just these. Then none is named twice.
    func name(theFirstOf path: [Int]) -> Bool {
        guard path.count >= count else { return false }
        for fieldIndex in path.prefix(count) where number(of: fieldIndex) == nil { return false }
        return true
    }

    private func number(of fieldIndex: Int) -> Int? {
        for number in 0..<count where fieldIndexes[number] == fieldIndex { return number }
        return nil
    }

    /// What the keys begin with where a path's first fields have the values; nil where a value does not fit.
    func prefix(_ parts: [KeyPart], of type: OpenType) -> [UInt8]? {
        var key = ByteWriter(capacity: 48)
        var scratch = ByteWriter(capacity: 0)
        do {
            for part in parts.prefix(count) {
                guard let number = number(of: part.fieldIndex) else { return nil }
                try part.append(values[number], as: type.type.fields[part.fieldIndex].type, to: &key, scratch: &scratch)
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
    let indexNumber: Int?
    let parts: [KeyPart]
    /// The places of the fields: apart, as parts cost more to look at.
    let fieldIndexes: [Int]
    let isUnique: Bool

    private init(indexNumber: Int?, parts: [KeyPart], isUnique: Bool) {
        self.indexNumber = indexNumber
        self.parts = parts
        fieldIndexes = parts.map(\.fieldIndex)
        self.isUnique = isUnique
    }

    /// Those of a type.
    static func all(idParts: [KeyPart], indexes: [OpenIndex]) -> [LookupPath] {
        var paths = [LookupPath(indexNumber: nil, parts: idParts, isUnique: true)]
        for (indexNumber, index) in indexes.enumerated() where !index.isMultiple && !index.stored.isBuilding {
            paths.append(LookupPath(indexNumber: indexNumber, parts: index.parts, isUnique: index.stored.isUnique))
        }
        return paths
    }
}
