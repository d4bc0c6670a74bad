// One value for all records that a request asks for. Nil counts for nothing.
extension ReadableTransaction where Self: ~Copyable {
    /// The least value of a field, by the order of keys; nil where no record has one.
    ///
    /// - Complexity: an index on the field answers it with one look where the request has no condition of its own.
    public borrowing func min<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V? {
        try _reading.extreme(request, R.fields[keyPath: field], isGreatest: false)
    }

    /// The greatest value of a field, by the order of keys; nil where no record has one.
    ///
    /// - Complexity: as ``min(_:_:)``.
    public borrowing func max<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V? {
        try _reading.extreme(request, R.fields[keyPath: field], isGreatest: true)
    }

    /// The sum of an integer field.
    ///
    /// - Throws: ``StoreError`` with the code `tooLarge` when the sum does not fit the field's type.
    @inlinable
    public borrowing func sum<R: Record, V: FixedWidthInteger & FieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V {
        let token = try R.fields[keyPath: field].ofRecord()
        var sum: V = 0
        var hasOverflown = false
        try _reading.forEachRecord(request) { record in
            let added = sum.addingReportingOverflow(token.value(in: record))
            (sum, hasOverflown) = (added.partialValue, hasOverflown || added.overflow)
        }
        if hasOverflown { throw StoreError(.tooLarge, "the sum of \(token.name) does not fit \(V.self)") }
        return sum
    }

    /// The sum of a floating field, added up in the order of the walk.
    @inlinable
    public borrowing func sum<R: Record, V: BinaryFloatingPoint & FieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V {
        let token = try R.fields[keyPath: field].ofRecord()
        var sum: V = 0
        try _reading.forEachRecord(request) { record in sum += token.value(in: record) }
        return sum
    }

    /// The mean of an integer field; nil where there is no record.
    @inlinable
    public borrowing func average<R: Record, V: FixedWidthInteger & FieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> Double? {
        let token = try R.fields[keyPath: field].ofRecord()
        return try _reading.mean(request) { Double(token.value(in: $0)) }
    }

    /// The mean of a floating field; nil where there is no record.
    @inlinable
    public borrowing func average<R: Record, V: BinaryFloatingPoint & FieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> Double? {
        let token = try R.fields[keyPath: field].ofRecord()
        return try _reading.mean(request) { Double(token.value(in: $0)) }
    }
}

extension ReadingScope {
    /// Calls `body` with all records that a request asks for.
    @inlinable
    func forEachRecord<R: Record>(_ request: FetchRequest<R>, _ body: (R) -> Void) throws(StoreError) {
        let binding = try binding(R.self)
        var cursor = try fetchCursor(request, binding)
        while try cursor.advance() { body(try cursor.decoded(binding)) }
    }

    @inlinable
    func mean<R: Record>(_ request: FetchRequest<R>, _ value: (R) -> Double) throws(StoreError) -> Double? {
        var (sum, count) = (0.0, 0)
        try forEachRecord(request) { record in
            sum += value(record)
            count += 1
        }
        return count == 0 ? nil : sum / Double(count)
    }

    func extreme<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: Field<R, V>, isGreatest: Bool
    ) throws(StoreError) -> V? {
        let name = FieldName(field.name)
        let hasValue = ConditionNode.comparison(name, .notEqual, .none)
        let term = SortTerm(name, isDescending: isGreatest)
        var ordered = request
        if V.fieldType.isOptional {
            let isAll = request.request.condition == .constant(true)
            ordered.request.condition = isAll ? hasValue : .and([request.request.condition, hasValue])
        }
        if request.request.limit == nil, request.request.offset == 0, request.request.position == nil {
            ordered.request.order = [term]
            ordered.request.limit = 1
            return try fetch(ordered).first.map { field.value(in: $0) }
        }
        // Only those that the request's own order and limit let in.
        var (best, bestKey): (V?, [UInt8]) = (nil, [])
        try forEachRecord(request) { record in
            let value = field.value(in: record)
            var key = ByteWriter(capacity: 64)
            value.encodeKey(to: &key)
            let bytes = key.array()
            // The key of nil is a zero.
            if V.fieldType.isOptional, bytes == [0] { return }
            let isBetter =
                isGreatest ? bestKey.lexicographicallyPrecedes(bytes) : bytes.lexicographicallyPrecedes(bestKey)
            if best == nil || isBetter { (best, bestKey) = (value, bytes) }
        }
        return best
    }
}
