public import StoreEngine

// Reads of rows, groups, sections and pages. Each has a read transaction of its own.
extension Store {
    /// Returns the rows of a projection.
    ///
    /// ```swift
    /// let readings = try store.fetch(hot.fields { ($0.id, $0.celsius) })
    /// ```
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `unknownField` or `invalidValue` when a struct does not match the record.
    @inlinable
    public func fetch<R: Record, Output>(_ projection: Projection<R, Output>) throws -> [Output] {
        try read { try $0.fetch(projection) }
    }

    /// Returns the first row of a projection, or nil.
    ///
    /// - Throws: as fetching its rows.
    @inlinable
    public func first<R: Record, Output>(_ projection: Projection<R, Output>) throws -> Output? {
        try read { try $0.first(projection) }
    }

    /// Returns the number of rows of a projection. Decodes no rows.
    ///
    /// - Throws: as fetching its rows.
    public func count<R: Record, Output>(_ projection: Projection<R, Output>) throws -> Int {
        try read { try $0.count(projection) }
    }

    /// Returns the groups of a request.
    ///
    /// ```swift
    /// let rooms = try store.fetch(FetchRequest(Sensor.self).grouped(by: { $0.room }) { $0.celsius.average })
    /// ```
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `tooLarge` when a sum is out of its type's range.
    public func fetch<R: Record, Key, Values>(
        _ grouped: GroupedRequest<R, Key, Values>
    ) throws -> [Group<Key, Values>] {
        try read { try $0.fetch(grouped) }
    }

    /// Returns the sections of a request.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    public func fetch<R: Record, Key>(_ sectioned: SectionedRequest<R, Key>) throws -> [Section<Key, R>] {
        try read { try $0.fetch(sectioned) }
    }

    /// Returns the records that match a request, up to its limit, and a token for the next page.
    ///
    /// ```swift
    /// let page = try store.page(Sensor.order { $0.celsius.descending }.limit(20))
    /// ```
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    public func page<R: Record>(_ request: FetchRequest<R>) throws -> Page<R> {
        try read { try $0.page(request) }
    }

    /// Returns the rows of a projection, up to its limit, and a token for the next page.
    ///
    /// - Throws: as fetching its rows; `invalidValue` for a distinct projection.
    public func page<R: Record, Output>(_ projection: Projection<R, Output>) throws -> Page<Output> {
        try read { try $0.page(projection) }
    }

    /// Describes how the store answers a request. See ``ReadableTransaction/explain(_:analyzed:)-(FetchRequest<R>,_)``.
    ///
    /// - Parameters:
    ///   - request: the request to explain.
    ///   - analyzed: whether to answer the request too, and to report how many entries and records each step gave.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    public func explain<R: Record>(_ request: FetchRequest<R>, analyzed: Bool = false) throws -> String {
        try read { try $0.explain(request, analyzed: analyzed) }
    }

    /// Describes how the store answers a projection.
    ///
    /// - Parameters:
    ///   - projection: the projection to explain.
    ///   - analyzed: whether to answer the projection too, and to report how many entries and records each step gave.
    /// - Throws: as fetching its rows.
    public func explain<R: Record, Output>(
        _ projection: Projection<R, Output>, analyzed: Bool = false
    ) throws -> String {
        try read { try $0.explain(projection, analyzed: analyzed) }
    }
}
