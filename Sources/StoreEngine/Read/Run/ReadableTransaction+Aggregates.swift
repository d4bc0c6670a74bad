// Aggregates over all records that a request asks for. Nil values are ignored.
extension ReadableTransaction where Self: ~Copyable {
    /// Returns the least value of a field, by the order of keys; nil where no record has a value.
    ///
    /// - Complexity: one lookup where the field has an index and the request has no condition, limit or offset.
    public borrowing func min<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V? {
        try _reading.extreme(request, R.fields[keyPath: field], isGreatest: false)
    }

    /// Returns the greatest value of a field, by the order of keys; nil where no record has a value.
    ///
    /// - Complexity: the same as ``min(_:_:)-(_,KeyPath<R.Fields,Field<R,V>>)``.
    public borrowing func max<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V? {
        try _reading.extreme(request, R.fields[keyPath: field], isGreatest: true)
    }

    /// Returns the least value of an optional field, by the order of keys; nil where no record has a value.
    ///
    /// - Complexity: the same as for a field that is not optional.
    public borrowing func min<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V?>>
    ) throws(StoreError) -> V? {
        try _reading.extreme(request, R.fields[keyPath: field], isGreatest: false) ?? nil
    }

    /// Returns the greatest value of an optional field, by the order of keys; nil where no record has a value.
    ///
    /// - Complexity: the same as for a field that is not optional.
    public borrowing func max<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V?>>
    ) throws(StoreError) -> V? {
        try _reading.extreme(request, R.fields[keyPath: field], isGreatest: true) ?? nil
    }

    /// Returns the sum of a field; zero where no record has a value.
    ///
    /// Integers and durations are added in 128 bits, floating-point numbers in `Double`, and decimals with 38 digits. Values are
    /// added in the order of the walk.
    ///
    /// - Returns: a value of the field's type; for integers of fewer than 64 bits, an `Int` or a `UInt`.
    /// - Throws: ``StoreError`` with the code `tooLarge` when the sum does not fit the type.
    /// - Complexity: the same as for fetching the records, but no record is decoded as a whole.
    public borrowing func sum<R: Record, V: SummableFieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V.Summand.Total {
        let aggregate = R.fields[keyPath: field].sum
        return try aggregate.value(_reading.aggregated(request, aggregate.term))
    }

    /// Returns the mean of a field; nil where no record has a value. The mean of decimals is a decimal and the mean of durations
    /// a duration; any other mean is a `Double`.
    ///
    /// - Throws: ``StoreError`` with the code `tooLarge` when the sum of decimals or durations is out of range.
    /// - Complexity: the same as ``sum(_:_:)``.
    public borrowing func average<R: Record, V: SummableFieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws(StoreError) -> V.Summand.Mean? {
        let aggregate = R.fields[keyPath: field].average
        return try aggregate.value(_reading.aggregated(request, aggregate.term))
    }
}

extension ReadContext {
    /// Aggregates a field over all records that a request asks for.
    func aggregated<R: Record>(
        _ request: FetchRequest<R>, _ term: AggregateTerm
    ) throws(StoreError) -> AggregateState {
        let binding = try binding(R.self)
        let aggregates = [try CompiledAggregate(term, of: binding.type, in: catalog)]
        var noted = request.request
        noted.fields = [term.field]
        try note(noted, typeIndex: binding.typeIndex)
        var cursor = try fetchCursor(request, binding)
        var states = [AggregateState()]
        while try cursor.advance() { try cursor.add(to: &states, aggregates) }
        return states[0]
    }

    /// Calls `body` with each record that a request asks for.
    func forEachRecord<R: Record>(_ request: FetchRequest<R>, _ body: (R) -> Void) throws(StoreError) {
        let binding = try binding(R.self)
        var cursor = try fetchCursor(request, binding)
        while try cursor.advance() { body(try cursor.decoded(binding)) }
    }

    func extreme<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: Field<R, V>, isGreatest: Bool
    ) throws(StoreError) -> V? {
        if field.isThroughReference {
            let term = AggregateTerm(isGreatest ? .max : .min, field.name)
            return try aggregated(request, term).best.map { best throws(StoreError) in
                do throws(CodecError) {
                    // The bytes have no mark of an optional, so add it.
                    let bytes = V.fieldType.isOptional ? [1] + best.value : best.value
                    return unsafe try V(from: bytes.span.bytes)
                } catch {
                    throw StoreError(
                        unreadable: best.value, as: V.fieldType, error,
                        at: "the \(term.kind.rawValue) of \(field.name)")
                }
            }
        }
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
        // The request's own order and limit decide which records count.
        var (best, bestKey): (V?, [UInt8]) = (nil, [])
        try forEachRecord(request) { record in
            let value = field.value(in: record)
            var key = ByteWriter(capacity: 64)
            value.encodeKey(to: &key)
            let bytes = key.array()
            // The key of nil is a single zero byte.
            if V.fieldType.isOptional, bytes == [0] { return }
            let isBetter =
                isGreatest ? bestKey.lexicographicallyPrecedes(bytes) : bytes.lexicographicallyPrecedes(bestKey)
            if best == nil || isBetter { (best, bestKey) = (value, bytes) }
        }
        return best
    }
}
