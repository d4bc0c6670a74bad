/// The position at which a request continues: after a record, which may have been deleted.
package enum RequestPosition: Hashable, Sendable {
    /// After the record with these fields. Only the id and the fields that order the request count.
    case row([String: DynamicValue])
    /// After the last row of a page.
    case token(PageToken)
    /// After a record that could not be encoded, with the reason.
    case invalid(String)
}

extension RequestPosition {
    /// Creates the position after a record.
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
    /// Returns the order of the request's records. Where the request has a position but no order, that is the order of ids.
    func order(of type: OpenType) -> [SortTerm] {
        position != nil && order.isEmpty ? type.orderByID : order
    }
}

extension OpenType {
    /// The fields of the id, ascending.
    var orderByID: [SortTerm] { idParts.map { SortTerm(FieldName([type.fields[$0.fieldIndex].name])) } }
}

extension ReadContext {
    /// Returns the token for a position in the order of a request.
    ///
    /// - Throws: ``StoreError``: `invalidValue` where the position does not belong to this request; `unknownField`; `damaged`.
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

    /// Returns the token for a given record. Sort fields of other records are looked up.
    private func token(
        behind values: [String: DynamicValue], _ type: OpenType, _ sort: [SortPart]
    ) throws(StoreError) -> PageToken {
        // A program may not know all fields of the stored type, and may know some by earlier names.
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
            throw StoreError(.invalidValue, "the \(type.name) row to continue after: \(error.reason)", cause: error)
        } catch {
            throw StoreError(reading: error, at: "a record that is referred to")
        }
    }
}

/// A position, as bytes that sort as the records do.
struct PlanPosition: Sendable {
    /// The values of the fields that order the records, as keys in ascending form.
    private let values: [[UInt8]]
    /// These values as one sort key.
    private let sortKey: [UInt8]
    /// The values of the id's fields as keys; then all of them as one key; then that as the record's key.
    private let id: [[UInt8]]
    private let idKey: [UInt8]
    private let recordKey: [UInt8]
    private let isIDDescending: Bool
    /// A condition on the first sort field that every record after the position meets; nil where there is none.
    let bound: ConditionNode?

    /// Reads a token that is already known to belong to this request.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` when its values do not match the request.
    init(_ token: PageToken, of request: Request, type: OpenType, sort: [SortPart]) throws(StoreError) {
        do throws(CodecError) {
            let (values, sortKey) = try PlanPosition.keys(token, sort)
            (self.values, self.sortKey) = (values, sortKey)
            id = try PlanPosition.idKeys(token, type)
            idKey = id.flatMap(\.self)
            recordKey = PlanPosition.recordKey(idKey, type.keyHash)
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

    private static func recordKey(_ idKey: [UInt8], _ hash: KeyHash) -> [UInt8] {
        var key = ByteWriter(capacity: 64)
        key.append(idKey)
        KeyLimit.truncateRecordKey(&key, hash)
        return key.array()
    }

    private static func bound(
        _ value: [UInt8]?, _ term: SortTerm?, _ part: SortPart?
    ) throws(CodecError) -> ConditionNode? {
        // There is no bound on a field of another record: compiled conditions test the record's own fields only.
        guard let term, let part, part.path == nil else { return nil }
        guard let value else { return term.isDescending ? .comparison(term.field, .equal, .none) : nil }
        let limit = unsafe try DynamicValue(from: value.span.bytes, as: part.access.type)
        guard term.isDescending else { return .comparison(term.field, .greaterOrEqual, limit) }
        let atMost = ConditionNode.comparison(term.field, .lessOrEqual, limit)
        return part.access.mayBeNone ? .or([atMost, .comparison(term.field, .equal, .none)]) : atMost
    }

    /// Whether a record comes after the position.
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

    /// Returns the range of keys after the position on a path that gives the order; nil where the range is not known.
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
                // The condition on an element fixes the path's key, not the field.
                let ranges =
                    candidate.element == nil
                    ? ConditionRanges(type: type.type, part: part).ranges(condition) : candidate.ranges
                let fixed = ranges.ranges.first?.lower
                // The record does not meet the condition, so it comes before or after all records that do.
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
        // Long keys are truncated, so keys with the same beginning are in no order. In a unique index, the only entry for a value
        // may lead to another record by now.
        let isExact = key.count < kept && !isSole
        if isIDDescending { return KeyRange(lower: [], upper: isExact ? key : KeyRange.successor(of: prefix)) }
        return KeyRange(lower: isExact ? key + [0] : prefix, upper: nil)
    }
}
