/// A request for records: a condition, an order, and a limit. A value that can be kept, sent and compared.
///
/// ```swift
/// let hot = Sensor.where { $0.room == "kitchen" && $0.celsius > 30 }
///     .order { $0.celsius.descending }
///     .limit(10)
/// let rows = try store.fetch(hot)
/// ```
///
/// Records that are equal in all that they are ordered by come in the order of their ids, in the direction of the last
/// key. Without `order`, the order is whatever is quickest.
///
/// As a property wrapper, `@FetchRequest var hot: LiveRecords<Sensor>`, it shows its results and keeps them up to date once
/// it was tied to a store; before that it shows none. The projected value, `$hot`, is the request with what ties it. It shows whole
/// records: rows of some fields (``fields(_:)``) and distinct ones have no ids by which changes could be told of them, and are
/// followed as values, by the store's `values(of:_:)`.
@propertyWrapper
public struct FetchRequest<R: Record>: Sendable {
    package var request: Request
    /// What keeps the results of a wrapped property up to date. No part of the value: requests are compared without it.
    package var source: (any LiveSource<R>)?

    /// All records of a type.
    public init(_ type: R.Type = R.self) { request = Request() }

    private init(_ request: Request) { self.request = request }

    /// The results, tracked by Observation where they are kept up to date; none where they are not.
    public var wrappedValue: LiveRecords<R> { source?.records ?? LiveRecords() }

    /// The request itself.
    public var projectedValue: FetchRequest { self }

    /// Those that meet a condition too.
    ///
    /// - Parameter condition: gets the tokens of the record's fields.
    @inlinable
    public func `where`(_ condition: (R.Fields) -> Condition<R>) -> FetchRequest { meeting(condition(R.fields)) }

    @usableFromInline
    func meeting(_ added: Condition<R>) -> FetchRequest {
        var result = FetchRequest(request)
        if case .constant(true) = request.condition {
            result.request.condition = added.node
        } else {
            result.request.condition = added.joined(to: request.condition)
        }
        return result
    }

    /// In the order of a field, among those that earlier calls leave equal.
    @inlinable
    public func order(_ key: (R.Fields) -> SortKey<R>) -> FetchRequest { ordered(by: key(R.fields)) }

    @usableFromInline
    func ordered(by key: SortKey<R>) -> FetchRequest {
        var result = FetchRequest(request)
        result.request.order.append(key.term)
        return result
    }

    /// In the order of several fields, the most significant first, among those that earlier calls leave equal.
    public func order(_ keys: (R.Fields) -> [SortKey<R>]) -> FetchRequest {
        var result = FetchRequest(request)
        result.request.order += keys(R.fields).map(\.term)
        return result
    }

    /// At most so many.
    public func limit(_ count: Int) -> FetchRequest {
        var result = FetchRequest(request)
        result.request.limit = count
        return result
    }

    /// Without the first `count`, which are walked all the same.
    public func offset(_ count: Int) -> FetchRequest {
        var result = FetchRequest(request)
        result.request.offset = count
        return result
    }
}

extension FetchRequest: Hashable {
    /// Whether both ask for the same.
    public static func == (left: FetchRequest, right: FetchRequest) -> Bool { left.request == right.request }

    /// Hashes what is asked for.
    public func hash(into hasher: inout Hasher) { hasher.combine(request) }
}

extension Record {
    /// The records that meet a condition.
    ///
    /// - Parameter condition: gets the tokens of the record's fields.
    @inlinable
    public static func `where`(_ condition: (Fields) -> Condition<Self>) -> FetchRequest<Self> {
        FetchRequest(Self.self).where(condition)
    }

    /// All records in the order of a field.
    @inlinable
    public static func order(_ key: (Fields) -> SortKey<Self>) -> FetchRequest<Self> {
        FetchRequest(Self.self).order(key)
    }

    /// All records in the order of several fields, the most significant first.
    public static func order(_ keys: (Fields) -> [SortKey<Self>]) -> FetchRequest<Self> {
        FetchRequest(Self.self).order(keys)
    }
}

/// A field that records are ordered by, and the direction.
public struct SortKey<Root>: Hashable, Sendable {
    let term: SortTerm

    @usableFromInline
    init(_ field: String, isDescending: Bool) { term = SortTerm(FieldName(field), isDescending: isDescending) }
}

extension Field {
    /// From the least to the greatest, nil first.
    @inlinable public var ascending: SortKey<Root> { SortKey(name, isDescending: false) }

    /// From the greatest to the least, nil last.
    @inlinable public var descending: SortKey<Root> { SortKey(name, isDescending: true) }
}
