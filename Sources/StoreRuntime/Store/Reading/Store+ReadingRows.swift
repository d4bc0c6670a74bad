public import StoreEngine

// Reads of rows, groups, sections and pages. Each has a read transaction of its own.
extension Store {
    /// The rows that a projection asks for.
    ///
    /// ```swift
    /// let readings = try store.fetch(hot.fields { ($0.id, $0.celsius) })
    /// ```
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `unknownField` or `invalidValue` where a struct does not fit the record.
    @inlinable
    public func fetch<R: Record, Output>(_ projection: Projection<R, Output>) throws -> [Output] {
        try read { try $0.fetch(projection) }
    }

    /// The first row that a projection asks for, or nil.
    ///
    /// - Throws: as for its rows.
    @inlinable
    public func first<R: Record, Output>(_ projection: Projection<R, Output>) throws -> Output? {
        try read { try $0.first(projection) }
    }

    /// The number of rows that a projection asks for. Decodes none.
    ///
    /// - Throws: as for its rows.
    public func count<R: Record, Output>(_ projection: Projection<R, Output>) throws -> Int {
        try read { try $0.count(projection) }
    }

    /// The groups that a request asks for.
    ///
    /// ```swift
    /// let rooms = try store.fetch(FetchRequest(Sensor.self).grouped(by: { $0.room }) { $0.celsius.average })
    /// ```
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `tooLarge` when a sum does not fit its type.
    public func fetch<R: Record, Key, Values>(
        _ grouped: GroupedRequest<R, Key, Values>
    ) throws -> [Group<Key, Values>] {
        try read { try $0.fetch(grouped) }
    }

    /// The sections that a request asks for.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    public func fetch<R: Record, Key>(_ sectioned: SectionedRequest<R, Key>) throws -> [Section<Key, R>] {
        try read { try $0.fetch(sectioned) }
    }

    /// The records that a request asks for, up to its limit, and a token for the next page.
    ///
    /// ```swift
    /// let page = try store.page(Sensor.order { $0.celsius.descending }.limit(20))
    /// ```
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    public func page<R: Record>(_ request: FetchRequest<R>) throws -> Page<R> {
        try read { try $0.page(request) }
    }

    /// The rows that a projection asks for, up to its limit, and a token for the next page.
    ///
    /// - Throws: as for its rows; `invalidValue` for a projection that is distinct.
    public func page<R: Record, Output>(_ projection: Projection<R, Output>) throws -> Page<Output> {
        try read { try $0.page(projection) }
    }

    /// How a request is answered. See ``ReadableTransaction/explain(_:analyzed:)-(FetchRequest<R>,_)``.
    ///
    /// - Parameters:
    ///   - request: the request to explain.
    ///   - analyzed: whether to answer the request too, and to say what each step gave.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    public func explain<R: Record>(_ request: FetchRequest<R>, analyzed: Bool = false) throws -> String {
        try read { try $0.explain(request, analyzed: analyzed) }
    }

    /// How a projection is answered.
    ///
    /// - Parameters:
    ///   - projection: the projection to explain.
    ///   - analyzed: whether to answer the projection too, and to say what each step gave.
    /// - Throws: as for its rows.
    public func explain<R: Record, Output>(
        _ projection: Projection<R, Output>, analyzed: Bool = false
    ) throws -> String {
        try read { try $0.explain(projection, analyzed: analyzed) }
    }
}
