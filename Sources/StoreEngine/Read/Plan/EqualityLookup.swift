import LMDB

/// A walk that answers a request whose condition only fixes the first fields of an index, or of the id, to one value each. Most
/// requests of services have this form.
///
/// The walk leads to exactly the records that meet the condition. If it is short, the request needs no plan, no estimates and no
/// compiled condition. The lookup keeps nothing from one request to the next, so it is valid for all values, catalogs and
/// statistics.
struct EqualityLookup: ~Copyable {
    /// The number of the index among the type's indexes; nil for the records in the order of ids.
    private let indexNumber: Int?
    /// The bytes with which the keys of all its entries begin.
    private let prefix: [UInt8]
    /// The direction in which the entries come in the requested order.
    private let order: PlanOrder
    /// Whether there is at most one such entry.
    private let isOne: Bool
    /// The walk, once it has turned out to have more than a few entries; nil before that.
    private(set) var longWalk: LongWalk?

    /// A range of more than ``RowEstimator/maximumDive`` keys.
    struct LongWalk {
        let indexNumber: Int?
        let range: KeyRange
    }

    /// Returns nil where the condition has another form, or where a value does not match its field.
    init?(_ request: borrowing Request, of type: OpenType) {
        // Pattern matching avoids the copies that a comparison with nil makes.
        if case .some = request.position { return nil }
        guard !request.isDistinct, request.offset >= 0, request.limit.map({ $0 >= 0 }) ?? true,
            let terms = EqualityTerms(request.condition, of: type),
            let sort = Self.sort(request.order, of: type)
        else { return nil }
        var best: (path: Int, order: PlanOrder, rank: Int)?
        for number in type.lookupPaths.indices where terms.name(theFirstOf: type.lookupPaths[number].fieldIndexes) {
            let path = type.lookupPaths[number]
            // If the request has no order, every order is right.
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
        // A truncated key also leads to other records.
        let kept = path.indexNumber == nil ? KeyLimit.recordKeyBeginning : KeyLimit.indexValueBeginning
        guard let prefix = terms.prefix(path.parts, of: type), prefix.count <= kept else { return nil }
        (indexNumber, order, isOne) = (path.indexNumber, best.order, best.rank == 2)
        self.prefix = prefix
    }

    var path: Plan.Path { indexNumber.map { .index($0) } ?? .records }

    /// Whether the walk gives the requested order, so that its first entries are the wanted ones.
    private var isOrdered: Bool { order != .unordered }

    /// Returns the plan for a request, once its keys are known.
    func plan(_ request: Request, of type: OpenType, _ keys: RecordKeyList) -> Plan {
        Plan(
            source: .keys(keys), filter: nil, wholeFilter: nil, isBackward: false,
            order: isOrdered ? [] : request.order.compactMap(type.sortPart), needsSort: !isOrdered,
            limit: request.limit, offset: request.offset, position: nil, distinct: nil, matching: nil)
    }

    /// Returns the keys of the records that the walk leads to, in its order, where there are few keys or the request needs few.
    ///
    /// - Returns: nil where there are more keys, or where long values are out of order. The request then needs a plan.
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

    /// Moves to the first entry of the walk. If the walk is empty, moves to an entry outside of it.
    private func enter(_ cursor: inout LMDBCursor) throws(LMDBError) -> Bool {
        guard order == .backward else { return try unsafe cursor.seek(atLeast: prefix.span.bytes) }
        guard let end = KeyRange.successor(of: prefix) else { return try cursor.last() }
        // The last entry before the end: one step back from the first entry at or after the end.
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

/// The fields that a condition fixes to one value each, where the condition does nothing else.
private struct EqualityTerms: ~Copyable {
    /// The indexes of the fields, in the order of the condition.
    private var fieldIndexes: InlineArray<8, Int> = .init(repeating: -1)
    private var values: InlineArray<8, DynamicValue> = .init(repeating: .none)
    private(set) var count = 0

    init?(_ condition: ConditionNode, of type: OpenType) {
        guard case .and(let parts) = condition else {
            guard add(condition, of: type) else { return nil }
            return
        }
        // The planner handles conditions with more terms.
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

    /// Whether the first fields of a path are exactly these. The path's fields are distinct, so no field is then named twice.
    func name(theFirstOf path: [Int]) -> Bool {
        guard path.count >= count else { return false }
        for fieldIndex in path.prefix(count) where number(of: fieldIndex) == nil { return false }
        return true
    }

    private func number(of fieldIndex: Int) -> Int? {
        for number in 0..<count where fieldIndexes[number] == fieldIndex { return number }
        return nil
    }

    /// Returns the bytes with which the keys begin where the path's first fields have these values; nil where a value does not
    /// match its field.
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

/// A path that an ``EqualityLookup`` may walk: the records in the order of ids, or an index that holds every record once.
struct LookupPath: Sendable {
    /// The number of the index among the type's indexes; nil for the records.
    let indexNumber: Int?
    let parts: [KeyPart]
    /// The indexes of the fields. They are stored separately because parts take longer to read.
    let fieldIndexes: [Int]
    let isUnique: Bool

    private init(indexNumber: Int?, parts: [KeyPart], isUnique: Bool) {
        self.indexNumber = indexNumber
        self.parts = parts
        fieldIndexes = parts.map(\.fieldIndex)
        self.isUnique = isUnique
    }

    /// Returns the paths of a type.
    static func all(idParts: [KeyPart], indexes: [OpenIndex]) -> [LookupPath] {
        var paths = [LookupPath(indexNumber: nil, parts: idParts, isUnique: true)]
        for (indexNumber, index) in indexes.enumerated() where !index.isMultiple && !index.stored.isBuilding {
            paths.append(LookupPath(indexNumber: indexNumber, parts: index.parts, isUnique: index.stored.isUnique))
        }
        return paths
    }
}
