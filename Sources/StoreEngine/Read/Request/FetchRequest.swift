/// A request for records: a condition, an order, and a limit. A request is a value that you can keep, send and compare.
///
/// ```swift
/// let hot = Sensor.where { $0.room == "kitchen" && $0.celsius > 30 }
///     .order { $0.celsius.descending }
///     .limit(10)
/// let rows = try store.fetch(hot)
/// ```
///
/// Without `order`, the records come in the order that is quickest. With it, records that are equal in all keys come in the order
/// of their ids, in the direction of the last key.
///
/// ## Use as a property wrapper
///
/// A request can also be a property wrapper: `@FetchRequest var hot: LiveRecords<Sensor>`. Once the request is tied to a store,
/// the property holds its results and keeps them up to date. Before that it holds no records. The projected value, `$hot`, is the
/// request itself, together with that tie.
///
/// The wrapper delivers whole records only. Rows of some fields (``fields(_:)->Projection<R,Value>``) and distinct rows have no
/// ids to identify changes by. Follow them as values, with the store's `values(of:_:)`.
@propertyWrapper
public struct FetchRequest<R: Record>: Sendable {
    package var request: Request
    /// The declared fields whose changes live queries deliver; nil for all.
    package var watched: FieldIndexSet?
    /// Keeps the results of a wrapped property up to date. Comparisons and hashes of requests ignore it.
    package var source: (any LiveSource<R>)?

    /// Creates a request for all records of a type.
    public init(_ type: R.Type = R.self) { request = Request() }

    /// The request without the object that keeps its results up to date.
    private var unhosted: FetchRequest {
        var result = self
        result.source = nil
        return result
    }

    /// The results, tracked by Observation. Empty where nothing keeps them up to date.
    public var wrappedValue: LiveRecords<R> { source?.records ?? LiveRecords() }

    /// The request itself.
    public var projectedValue: FetchRequest { self }

    /// Adds a condition: the result holds the records that also meet `condition`.
    ///
    /// - Parameter condition: a closure that receives the tokens of the record's fields.
    @inlinable
    public func `where`(_ condition: (R.Fields) -> Condition<R>) -> FetchRequest { meeting(condition(R.fields)) }

    @usableFromInline
    func meeting(_ added: Condition<R>) -> FetchRequest {
        var result = unhosted
        if case .constant(true) = request.condition {
            result.request.condition = added.node
        } else {
            result.request.condition = added.joined(to: request.condition)
        }
        return result
    }

    /// Orders the records by a field. A key of an earlier call is more significant.
    @inlinable
    public func order(_ key: (R.Fields) -> SortKey<R>) -> FetchRequest { ordered(by: key(R.fields)) }

    @usableFromInline
    func ordered(by key: SortKey<R>) -> FetchRequest {
        var result = unhosted
        result.request.order.append(key.term)
        return result
    }

    /// Orders the records by several fields, the most significant first. A key of an earlier call is more significant.
    public func order(_ keys: (R.Fields) -> [SortKey<R>]) -> FetchRequest {
        var result = unhosted
        result.request.order += keys(R.fields).map(\.term)
        return result
    }

    /// Limits the result to at most `count` records.
    public func limit(_ count: Int) -> FetchRequest {
        var result = unhosted
        result.request.limit = count
        return result
    }

    /// Skips the first `count` records. The fetch still walks the skipped records.
    public func offset(_ count: Int) -> FetchRequest {
        var result = unhosted
        result.request.offset = count
        return result
    }
}

extension FetchRequest {
    /// Limits the updates of live queries to some fields: they deliver changes of these fields, and changes that decide which
    /// records match or their order. A fetch ignores the limit.
    ///
    /// ```swift
    /// for try await update in store.updates(of: open.watching(\.status), drivers.watching(\.name, \.phone)) { … }
    /// ```
    ///
    /// The results also contain the other fields, as they were at the last update.
    ///
    /// - Parameter fields: the fields of interest, in addition to those of earlier calls.
    public func watching<each V>(_ fields: repeat KeyPath<R.Fields, Field<R, each V>>) -> FetchRequest {
        var fieldIndexes = watched ?? FieldIndexSet()
        repeat fieldIndexes.insert(FieldToken(R.fields[keyPath: each fields]).fieldIndex)
        var result = unhosted
        result.watched = fieldIndexes
        return result
    }
}

extension FetchRequest: Hashable {
    /// Whether two requests are equal, with the fields that they watch. The source of their results is not compared.
    public static func == (left: FetchRequest, right: FetchRequest) -> Bool {
        left.request == right.request && left.watched == right.watched
    }

    /// Hashes the request.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(request)
        hasher.combine(watched)
    }
}

extension Record {
    /// A request for all records of the type.
    @inlinable
    public static var all: FetchRequest<Self> { FetchRequest(Self.self) }

    /// Returns a request for the records that meet a condition.
    ///
    /// - Parameter condition: a closure that receives the tokens of the record's fields.
    @inlinable
    public static func `where`(_ condition: (Fields) -> Condition<Self>) -> FetchRequest<Self> {
        FetchRequest(Self.self).where(condition)
    }

    /// Returns a request for all records in the order of a field.
    @inlinable
    public static func order(_ key: (Fields) -> SortKey<Self>) -> FetchRequest<Self> {
        FetchRequest(Self.self).order(key)
    }

    /// Returns a request for all records in the order of several fields, the most significant first.
    public static func order(_ keys: (Fields) -> [SortKey<Self>]) -> FetchRequest<Self> {
        FetchRequest(Self.self).order(keys)
    }
}

/// A field that a request orders records by, and the direction.
public struct SortKey<Root>: Hashable, Sendable {
    let term: SortTerm

    @usableFromInline
    init(_ field: String, isDescending: Bool) { term = SortTerm(FieldName(field), isDescending: isDescending) }
}

extension Field {
    /// Sorts from the least value to the greatest, nil first.
    @inlinable public var ascending: SortKey<Root> { SortKey(name, isDescending: false) }

    /// Sorts from the greatest value to the least, nil last.
    @inlinable public var descending: SortKey<Root> { SortKey(name, isDescending: true) }
}
