/// A fetch request of which the records are counted and summed up in groups. ``FetchRequest/grouped(by:_:)`` makes one.
public struct GroupedRequest<R: Record, Key, Values>: Sendable {
    let request: Request
    let key: Projection<R, Key>
    let terms: [AggregateTerm]
    let values: @Sendable ([AggregateState]) throws(StoreError) -> Values
}

/// The records that have equal values in the fields that a request is grouped by.
public struct Group<Key, Values> {
    /// The value of the field, or the tuple of those of several.
    public let key: Key
    /// How many records there are.
    public let count: Int
    /// The aggregates that were asked for: one, or a tuple of several.
    public let values: Values
}

extension Group: Sendable where Key: Sendable, Values: Sendable {}

extension FetchRequest {
    /// Groups of records that are equal in some fields, with the number of records in each.
    ///
    /// - Parameter key: gets the tokens of the record's fields, and returns one or a tuple of several.
    public func grouped<each Key>(
        by key: (R.Fields) -> (repeat Field<R, each Key>)
    ) -> GroupedRequest<R, (repeat each Key), Void> {
        GroupedRequest(
            request: request, key: fields(key), terms: [],
            values: { (_: [AggregateState]) throws(StoreError) -> Void in })
    }

    /// Groups of records that are equal in one field, with the number of records in each.
    ///
    /// The compiler knows better what to make of it than of the form for several fields: it takes it in every place.
    ///
    /// - Parameter key: gets the tokens of the record's fields, and returns one.
    public func grouped<Key>(by key: (R.Fields) -> Field<R, Key>) -> GroupedRequest<R, Key, Void> {
        GroupedRequest(
            request: request, key: Projection(key(R.fields), of: self), terms: [],
            values: { (_: [AggregateState]) throws(StoreError) -> Void in })
    }

    /// Groups of records that are equal in one field, with one value for each.
    ///
    /// - Parameters:
    ///   - key: gets the tokens of the record's fields, and returns one.
    ///   - aggregate: gets them too, and returns an aggregate.
    public func grouped<Key, Value>(
        by key: (R.Fields) -> Field<R, Key>, _ aggregate: (R.Fields) -> Aggregate<R, Value>
    ) -> GroupedRequest<R, Key, Value> {
        let chosen = aggregate(R.fields)
        return GroupedRequest(
            request: request, key: Projection(key(R.fields), of: self), terms: [chosen.term],
            values: { (states: [AggregateState]) throws(StoreError) -> Value in try chosen.value(states[0]) })
    }

    /// Groups of records that are equal in some fields, with values for each:
    ///
    /// ```swift
    /// let rooms = FetchRequest(Sensor.self).grouped(by: { $0.room }) { ($0.celsius.average, $0.celsius.max) }
    /// for group in try store.read({ try $0.fetch(rooms) }) where group.count > 1 {
    ///     print(group.key, group.values.0)
    /// }
    /// ```
    ///
    /// Limit and offset of the request count records, before they are grouped. Groups come in the ascending order of
    /// their keys, those of a field by which the request is ordered in that field's direction.
    ///
    /// - Parameters:
    ///   - key: gets the tokens of the record's fields, and returns one or a tuple of several.
    ///   - aggregates: gets them too, and returns one aggregate or a tuple of several.
    public func grouped<each Key, each Value>(
        by key: (R.Fields) -> (repeat Field<R, each Key>),
        _ aggregates: (R.Fields) -> (repeat Aggregate<R, each Value>)
    ) -> GroupedRequest<R, (repeat each Key), (repeat each Value)> {
        let chosen = aggregates(R.fields)
        var terms: [AggregateTerm] = []
        for aggregate in repeat each chosen { terms.append(aggregate.term) }
        // As with fields, anything else is a tuple of no aggregates.
        var keys = fields(key)
        if terms.isEmpty { keys.misfit = keys.misfit ?? Self.noAggregates }
        return GroupedRequest(
            request: request, key: keys, terms: terms,
            values: { (states: [AggregateState]) throws(StoreError) -> (repeat each Value) in
                var next = 0
                return try (repeat FetchRequest.value(each chosen, states, &next))
            })
    }

    private static var noAggregates: StoreError {
        StoreError(
            .invalidValue, "a closure gives no aggregates of \(R.recordSchema.name)",
            remedy: "give one, or a tuple of some: { ($0.celsius.average, $0.celsius.max) }")
    }

    private static func value<V>(
        _ aggregate: Aggregate<R, V>, _ states: [AggregateState], _ next: inout Int
    ) throws(StoreError) -> V {
        defer { next += 1 }
        return try aggregate.value(states[next])
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// The groups that a request asks for.
    ///
    /// - Throws: ``StoreError`` as for ``fetch(_:)-(FetchRequest<R>)``; `tooLarge` when a sum does not fit its type.
    /// - Complexity: as for the records, of which none is decoded as a whole. Takes memory for the groups.
    public borrowing func fetch<R: Record, Key, Values>(
        _ grouped: GroupedRequest<R, Key, Values>
    ) throws(StoreError) -> [Group<Key, Values>] {
        try _reading.fetch(grouped)
    }
}

extension ReadContext {
    func fetch<R: Record, Key, Values>(
        _ grouped: GroupedRequest<R, Key, Values>
    ) throws(StoreError) -> [Group<Key, Values>] {
        if let misfit = grouped.key.misfit { throw misfit }
        let binding = try binding(R.self)
        let paths = try FollowedPaths(grouped.key, binding.type, in: catalog)
        var keys: [Key] = []
        let groups = try groups(
            grouped.request, by: grouped.key.request.fields ?? [], grouped.terms, typeIndex: binding.typeIndex
        ) { cursor throws(StoreError) in
            keys.append(try cursor.rowOfRecord(grouped.key, paths, binding))
        }
        return try groups.map { group throws(StoreError) in
            Group(key: keys[group.number], count: group.count, values: try grouped.values(group.states))
        }
    }

    /// The groups of a request's records, in the order of their keys.
    ///
    /// - Parameter begin: is called with the first record of each group.
    func groups(
        _ request: Request, by fields: [FieldName], _ terms: [AggregateTerm], typeIndex: Int,
        _ begin: (borrowing FetchCursor) throws(StoreError) -> Void
    ) throws(StoreError) -> [RecordGroup] {
        let type = state.catalog.types[typeIndex]
        let key = try GroupKey(fields, of: type, in: catalog, order: request.order)
        let aggregates = try terms.map { term throws(StoreError) in try CompiledAggregate(term, of: type, in: catalog) }
        var request = request
        request.fields = fields + terms.map(\.field)
        try note(request, typeIndex: typeIndex)
        request.fields = nil
        // Without a limit the order of the records makes no difference.
        if request.limit == nil, request.offset == 0, request.position == nil { request.order = [] }
        var cursor = try fetchCursor(request, typeIndex: typeIndex)
        var groups: [RecordGroup] = []
        var numbers: [[UInt8]: Int] = [:]
        while try cursor.advance() {
            let bytes = try cursor.key(key)
            // An index on the fields gives the records of a group one after the other.
            var number = groups.count - 1
            if number < 0 || groups[number].key != bytes {
                number = numbers[bytes] ?? groups.count
                if number == groups.count {
                    numbers[bytes] = number
                    groups.append(RecordGroup(number: number, key: bytes, termCount: terms.count))
                    try begin(cursor)
                }
            }
            groups[number].count += 1
            if !aggregates.isEmpty { try cursor.add(to: &groups[number].states, aggregates) }
        }
        return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
}

/// A group in the making.
struct RecordGroup {
    /// When it began, counted from 0.
    let number: Int
    /// The values that its records share, as bytes in the order of the groups.
    let key: [UInt8]
    var count = 0
    var states: [AggregateState]

    init(number: Int, key: [UInt8], termCount: Int) {
        self.number = number
        self.key = key
        states = Array(repeating: AggregateState(), count: termCount)
    }
}
