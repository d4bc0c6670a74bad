public import StoreEngine

// A request as a property wrapper: the property holds the request's results, and stays up to date.
extension FetchRequest {
    /// Creates a property wrapper that keeps the results of a request up to date.
    ///
    /// ```swift
    /// struct Dashboard {
    ///     @FetchRequest var hot: LiveRecords<Sensor>
    ///
    ///     init(_ store: Store) throws {
    ///         _hot = try FetchRequest(Sensor.where { $0.celsius > 30 }, in: store)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request to follow.
    ///   - store: the store.
    /// - Throws: ``StoreError``, as ``Store/liveQuery(_:)``.
    public init(_ request: FetchRequest, in store: Store) throws {
        self = request
        source = try store.liveQuery(request)
    }

    /// Creates a property wrapper that follows only changes to some fields of the results; see ``Store/updates(of:fields:)``.
    public init<each V>(
        _ request: FetchRequest, in store: Store, fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) throws {
        self = try FetchRequest(request.watching(repeat each fields), in: store)
    }

    /// The live query behind a wrapped property; nil for a request that is only a value.
    public var query: LiveQuery<R>? { source as? LiveQuery<R> }

    /// The results as models, tracked field by field: see ``LiveQuery/models``. Empty if nothing keeps the results up to date.
    ///
    /// ```swift
    /// @FetchRequest(Sensor.where { $0.celsius > 30 }) var hot: LiveRecords<Sensor>
    ///
    /// for sensor in $hot.models { context.place(SensorRow(sensor: sensor), id: sensor.id) }
    /// ```
    ///
    /// A component that reads only these models updates when records are added, removed or moved, and when a field that it reads
    /// changes.
    public var models: LiveModels<R> { (try? query?.models) ?? LiveModels() }

    /// The results, decoded on demand: see ``LiveQuery/lazyResults``. Empty if nothing keeps the results up to date.
    public var lazyRecords: LazyRecords<R> { (try? query?.lazyResults) ?? LazyRecords() }

    /// Creates a property wrapper for a component. The scope that hosts the component connects the request to its store.
    ///
    /// ```swift
    /// @FetchRequest(Sensor.where { $0.celsius > 30 }) var hot: LiveRecords<Sensor>
    /// ```
    ///
    /// In a component without a host, the property has no records, and a notice names the line.
    public init(_ request: FetchRequest, file: StaticString = #fileID, line: UInt = #line) {
        self = request
        if source == nil { source = UnhostedResults<R>((file, line)) }
    }

    /// Returns the request with the live query that keeps its results up to date.
    package func hosted(by query: LiveQuery<R>) -> FetchRequest {
        var result = self
        result.source = query
        return result
    }
}
