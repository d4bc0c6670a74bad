/// Where in its order a request goes on: behind a record, which need not be there any more.
package enum RequestPosition: Hashable, Sendable {
    /// Behind the record with these fields, of which those count that the request is ordered by, and the id.
    case row([String: DynamicValue])
    /// Behind the last row of a page.
    case token(PageToken)
    /// Behind a record that could not be encoded, and why.
    case invalid(String)
}

extension RequestPosition {
    /// Behind a record.
    init<R: Record>(after record: R) {
        do {
            let schema = R.recordSchema
            var encoder = FieldEncoder()
            encoder.begin(fieldCount: schema.fields.count)
            try record.encode(to: &encoder)
            try encoder.finish()
            let table = try FieldTable(encoder.tableBytes)
            var values: [String: DynamicValue] = [:]
            for (index, field) in schema.fields.enumerated() {
                values[field.name] = try DynamicValue(from: table.field(index), as: field.type)
            }
            self = .row(values)
        } catch {
            self = .invalid("\(R.recordSchema.name): \(error.reason)")
        }
    }
}

extension Request {
    /// What records are ordered by: by their ids where a position needs an order and none was given.
    func order(of type: OpenType) -> [SortTerm] {
        position != nil && order.isEmpty ? type.orderByID : order
    }
}

extension OpenType {
    /// The fields of the id, from the least.
    var orderByID: [SortTerm] { idParts.map { SortTerm(FieldName([type.fields[$0.fieldIndex].name])) } }
}

extension ReadContext {
    /// A position in the order of a request as a token.
    ///
    /// - Throws: ``StoreError``: `invalidValue` where it is none of this request's; `unknownField`, `damaged`.
    func token(_ position: RequestPosition, of request: Request, _ type: OpenType) throws(StoreError) -> PageToken {
        switch position {
        case .invalid(let reason): throw StoreError(.invalidValue, reason)
        case .token(let token):
            try token.requireFit(request, of: type, in: state.catalog)
            return token
        case .row(let values):
            return try token(behind: values, type, try Planner.sortParts(request.order(of: type), type, state.catalog))
        }
    }

    /// The token of a record that is given. What it is ordered by behind references is looked up.
    private func token(
        behind values: [String: DynamicValue], _ type: OpenType, _ sort: [SortPart]
    ) throws(StoreError) -> PageToken {
        // A program need not know all fields, and may know some by earlier names.
        var known: [Int: DynamicValue] = [:]
        for (name, value) in values {
            if let fieldIndex = type.type.fieldIndex(named: name) { known[fieldIndex] = value }
        }
        let needed = Set(sort.map(\.fieldIndex) + type.idParts.map(\.fieldIndex))
        do {
            var encoder = FieldEncoder()
            encoder.begin(fieldCount: type.type.fields.count)
            for (fieldIndex, field) in type.type.fields.enumerated() {
                var bytes = ByteWriter(capacity: 32)
                if needed.contains(fieldIndex) {
                    guard let value = known[fieldIndex] else { throw CodecError("\(field.name): is missing") }
                    try value.completed(as: field.type).encode(as: field.type, to: &bytes)
                }
                encoder.append(encoded: bytes.bytes)
            }
            try encoder.finish()
            return try PageToken(0, FieldTable(encoder.tableBytes), order: sort, idParts: type.idParts, in: unnoted)
        } catch let error as CodecError {
            throw StoreError(.invalidValue, "the row to go on behind, of \(type.name): \(error.reason)", cause: error)
        } catch {
            throw StoreError(reading: error, at: "a record that is referred to")
        }
    }
}

/// A position, as bytes that sort as records do.
struct PlanPosition: Sendable {
    /// What the fields are that order the records, as keys, all in ascending form.
    private let values: [[UInt8]]
    /// All of them as one sort key.
    private let sortKey: [UInt8]
    /// The fields of the id as keys, all of them as one, and that as the record's key.
    private let id: [[UInt8]]
    private let idKey: [UInt8]
    private let recordKey: [UInt8]
    private let isIDDescending: Bool
    /// What the position says of the first field that orders the records, if anything: it holds for all behind it.
    let bound: ConditionNode?

    /// Reads a token, of which it is known that it is one of this request.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` when its values do not fit the request.
    init(_ token: PageToken, of request: Request, type: OpenType, sort: [SortPart]) throws(StoreError) {
        do throws(CodecError) {
            let (values, sortKey) = try PlanPosition.keys(token, sort)
            (self.values, self.sortKey) = (values, sortKey)
            id = try PlanPosition.idKeys(token, type)
            idKey = id.flatMap(\.self)
            recordKey = PlanPosition.recordKey(idKey)
            bound = try PlanPosition.bound(token.values.first ?? nil, request.order(of: type).first, sort.first)
        } catch {
            throw StoreError(.invalidValue, "the page token: \(error.reason)", cause: error)
        }
        isIDDescending = sort.last?.isDescending ?? false
    }

    private static func keys(
        _ token: PageToken, _ sort: [SortPart]
    ) throws(CodecError) -> (values: [[UInt8]], sortKey: [UInt8]) {
        guard token.values.count == sort.count else { throw CodecError("it has too many or too few values") }
        var values: [[UInt8]] = []
        var sortKey = ByteWriter(capacity: 64)
        for (value, part) in zip(token.values, sort) {
            let start = sortKey.count
            if let value {
                unsafe try part.appendKey(of: value.span.bytes, to: &sortKey)
            } else {
                try part.appendKey(of: nil, to: &sortKey)
            }
            values.append(Array(sortKey.array()[start...]))
            if part.isDescending { sortKey.complement(from: start) }
        }
        return (values, sortKey.array())
    }

    private static func idKeys(_ token: PageToken, _ type: OpenType) throws(CodecError) -> [[UInt8]] {
        guard token.id.count == type.idParts.count else { throw CodecError("it has no id of \(type.name)") }
        var keys: [[UInt8]] = []
        for (value, part) in zip(token.id, type.idParts) {
            var key = ByteWriter(capacity: 64)
            unsafe try part.component.append(value.span.bytes, to: &key)
            keys.append(key.array())
        }
        return keys
    }

    private static func recordKey(_ idKey: [UInt8]) -> [UInt8] {
        var key = ByteWriter(capacity: 64)
        key.append(idKey)
        KeyLimit.truncateRecordKey(&key)
        return key.array()
    }

    private static func bound(
        _ value: [UInt8]?, _ term: SortTerm?, _ part: SortPart?
    ) throws(CodecError) -> ConditionNode? {
        // What stands behind references is not looked for by the position.
        guard let term, let part, part.path == nil else { return nil }
        guard let value else { return term.isDescending ? .comparison(term.field, .equal, .none) : nil }
        let limit = unsafe try DynamicValue(from: value.span.bytes, as: part.access.type)
        guard term.isDescending else { return .comparison(term.field, .greaterOrEqual, limit) }
        let atMost = ConditionNode.comparison(term.field, .lessOrEqual, limit)
        return part.access.mayBeNone ? .or([atMost, .comparison(term.field, .equal, .none)]) : atMost
    }

    /// Whether a record comes behind the position.
    func precedes(
        _ table: FieldTable, _ key: RawSpan, of type: OpenType, _ order: [SortPart], in scope: ReadContext
    ) throws -> Bool {
        var own = ByteWriter(capacity: 64)
        for part in order { try part.append(table, scope, to: &own) }
        let byValue = unsafe own.bytes.compared(to: sortKey.span.bytes)
        if byValue != 0 { return byValue > 0 }
        own.removeAll()
        try type.appendIDOrder(of: table, key: key, to: &own)
        let byID = unsafe own.bytes.compared(to: idKey.span.bytes)
        return isIDDescending ? byID < 0 : byID > 0
    }

    /// The keys behind the position on a path that gives the order; nil where that is not known.
    func keys(
        on candidate: PathCandidate, _ sort: [SortPart], _ condition: ConditionNode, _ type: OpenType
    ) -> KeyRange? {
        var own: [[UInt8]?] = id
        var isSole = false
        if let indexNumber = candidate.indexNumber {
            isSole = type.indexes[indexNumber].stored.isUnique
            own = candidate.parts.map { part in
                let same = sort.firstIndex {
                    $0.path == nil && $0.access.nested.isEmpty && $0.access.fieldIndex == part.fieldIndex
                }
                return same.map { values[$0] }
            }
        }
        var key: [UInt8] = []
        for (number, part) in candidate.parts.enumerated() {
            var value = own[number]
            if number < candidate.fixedCount {
                // What is asked of an element says nothing of the field, only of the path.
                let ranges =
                    candidate.element == nil
                    ? ConditionRanges(type: type.type, part: part).ranges(condition) : candidate.ranges
                let fixed = ranges.ranges.first?.lower
                // A record that does not meet the condition stands before or behind all that do.
                if let value, value != fixed { return nil }
                value = fixed
            }
            guard let value else { return nil }
            key += value
        }
        if candidate.indexNumber == nil {
            key = recordKey
        } else if !isSole {
            key += recordKey
        }
        let kept = candidate.indexNumber == nil ? KeyLimit.recordKeyBeginning : KeyLimit.indexValueBeginning
        return keys(behind: key, kept: kept, isSole)
    }

    private func keys(behind key: [UInt8], kept: Int, _ isSole: Bool) -> KeyRange {
        let prefix = Array(key.prefix(kept))
        // Long keys are truncated, and come in no order among those that begin alike. The only entry of a value in a unique
        // index may lead to another record by now.
        let isExact = key.count < kept && !isSole
        if isIDDescending { return KeyRange(lower: [], upper: isExact ? key : KeyRange.successor(of: prefix)) }
        return KeyRange(lower: isExact ? key + [0] : prefix, upper: nil)
    }
}
