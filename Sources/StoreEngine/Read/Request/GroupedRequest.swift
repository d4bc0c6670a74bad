/// A fetch request that counts and aggregates its records in groups. Make one with
/// ``FetchRequest/grouped(by:_:)->GroupedRequest<R,Key,Value>``.
public struct GroupedRequest<R: Record, Key, Values>: Sendable {
    let request: Request
    let key: Projection<R, Key>
    let terms: [AggregateTerm]
    let values: @Sendable ([AggregateState]) throws(StoreError) -> Values
}

/// A group of records with equal values in the fields that a request groups by.
public struct Group<Key, Values> {
    /// The value of the field, or a tuple of values for several fields.
    public let key: Key
    /// The number of records in the group.
    public let count: Int
    /// The results of the requested aggregates: one value, or a tuple of several.
    public let values: Values
}

extension Group: Sendable where Key: Sendable, Values: Sendable {}

extension FetchRequest {
    /// Returns a request for groups of records with equal values in some fields, with the number of records in each group.
    ///
    /// - Parameter key: a closure that receives the tokens of the record's fields and returns one token or a tuple of several.
    public func grouped<each Key>(
        by key: (R.Fields) -> (repeat Field<R, each Key>)
    ) -> GroupedRequest<R, (repeat each Key), Void> {
        GroupedRequest(
            request: request, key: fields(key), terms: [],
            values: { (_: [AggregateState]) throws(StoreError) -> Void in })
    }

    /// Returns a request for groups of records with equal values in one field, with the number of records in each group.
    ///
    /// Use this form for one field. The compiler accepts it in more expressions than the form for several fields.
    ///
    /// - Parameter key: a closure that receives the tokens of the record's fields and returns one of them.
    public func grouped<Key>(by key: (R.Fields) -> Field<R, Key>) -> GroupedRequest<R, Key, Void> {
        GroupedRequest(
            request: request, key: Projection(key(R.fields), of: self), terms: [],
            values: { (_: [AggregateState]) throws(StoreError) -> Void in })
    }

    /// Returns a request for groups of records with equal values in one field, with one aggregate for each group.
    ///
    /// - Parameters:
    ///   - key: a closure that receives the tokens of the record's fields and returns one of them.
    ///   - aggregate: a closure that receives the same tokens and returns an aggregate.
    public func grouped<Key, Value>(
        by key: (R.Fields) -> Field<R, Key>, _ aggregate: (R.Fields) -> Aggregate<R, Value>
    ) -> GroupedRequest<R, Key, Value> {
        let chosen = aggregate(R.fields)
        return GroupedRequest(
            request: request, key: Projection(key(R.fields), of: self), terms: [chosen.term],
            values: { (states: [AggregateState]) throws(StoreError) -> Value in try chosen.value(states[0]) })
    }

    /// Returns a request for groups of records with equal values in some fields, with several aggregates for each group:
    ///
    /// ```swift
    /// let rooms = FetchRequest(Sensor.self).grouped(by: { $0.room }) { ($0.celsius.average, $0.celsius.max) }
    /// for group in try store.read({ try $0.fetch(rooms) }) where group.count > 1 {
    ///     print(group.key, group.values.0)
    /// }
    /// ```
    ///
    /// The request's limit and offset apply to records, before they are grouped. Groups come in the ascending order of their
    /// keys. If the request is ordered by one of the grouping fields, that field keeps its direction.
    ///
    /// - Parameters:
    ///   - key: a closure that receives the tokens of the record's fields and returns one token or a tuple of several.
    ///   - aggregates: a closure that receives the same tokens and returns one aggregate or a tuple of several.
    public func grouped<each Key, each Value>(
        by key: (R.Fields) -> (repeat Field<R, each Key>),
        _ aggregates: (R.Fields) -> (repeat Aggregate<R, each Value>)
    ) -> GroupedRequest<R, (repeat each Key), (repeat each Value)> {
        let chosen = aggregates(R.fields)
        var terms: [AggregateTerm] = []
        for aggregate in repeat each chosen { terms.append(aggregate.term) }
        // The compiler also accepts a closure that returns something else, as a tuple of no aggregates. The same holds for
        // fields.
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
            .invalidValue, "the closure returns no aggregates of \(R.recordSchema.name)",
            remedy: "return one, or a tuple: { ($0.celsius.average, $0.celsius.max) }")
    }

    private static func value<V>(
        _ aggregate: Aggregate<R, V>, _ states: [AggregateState], _ next: inout Int
    ) throws(StoreError) -> V {
        defer { next += 1 }
        return try aggregate.value(states[next])
    }
}

extension ReadableTransaction where Self: ~Copyable {
    /// Fetches the groups that a request asks for.
    ///
    /// - Throws: ``StoreError`` as for ``fetch(_:)-(FetchRequest<R>)``; `tooLarge` when a sum does not fit its type.
    /// - Complexity: the same as for fetching the records, but no record is decoded as a whole. Takes memory for the groups.
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

    /// Returns the groups of a request's records, in the order of their keys.
    ///
    /// - Parameter begin: a closure that is called with the first record of each group.
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
        // Without a limit, an offset or a position, the order of the records does not change the groups.
        if request.limit == nil, request.offset == 0, request.position == nil { request.order = [] }
        var cursor = try fetchCursor(request, typeIndex: typeIndex)
        var groups: [RecordGroup] = []
        var numbers: [[UInt8]: Int] = [:]
        while try cursor.advance() {
            let bytes = try cursor.key(key)
            // If the walk follows an index on these fields, the records of a group come one after the other.
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

/// A group that is still being filled.
struct RecordGroup {
    /// The group's number in the order of first records, from 0.
    let number: Int
    /// The values that the group's records share, as bytes that sort as the groups do.
    let key: [UInt8]
    var count = 0
    var states: [AggregateState]

    init(number: Int, key: [UInt8], termCount: Int) {
        self.number = number
        self.key = key
        states = Array(repeating: AggregateState(), count: termCount)
    }
}
