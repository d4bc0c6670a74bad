public import StoreEngine

// A request as a property wrapper: the property shows the request's results, and follows.
extension FetchRequest {
    /// A request whose results are kept up to date from now on, to be the wrapper of a property.
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
    ///   - request: what to show.
    ///   - store: the store.
    /// - Throws: ``StoreError``, as ``Store/liveQuery(_:)``.
    public init(_ request: FetchRequest, in store: Store) throws {
        self = request
        source = try store.liveQuery(request)
    }

    /// The same, followed only where some fields change; see ``Store/updates(of:fields:)``.
    public init<each V>(
        _ request: FetchRequest, in store: Store, fields: repeat KeyPath<R.Fields, Field<R, each V>>
    ) throws {
        var fieldIndexes = FieldIndexSet()
        repeat fieldIndexes.insert(FieldToken(R.fields[keyPath: each fields]).fieldIndex)
        self = request
        source = try store.liveQuery(request, fields: fieldIndexes)
    }

    /// The live query behind a wrapped property; nil for a request that is only a value.
    public var query: LiveQuery<R>? { source as? LiveQuery<R> }

    /// The results as models, observed field by field: see ``LiveQuery/models``. None where they are not kept up to date.
    ///
    /// ```swift
    /// @FetchRequest(Sensor.where { $0.celsius > 30 }) var hot: LiveRecords<Sensor>
    ///
    /// for sensor in $hot.models { context.place(SensorRow(sensor: sensor), id: sensor.id) }
    /// ```
    ///
    /// A component that reads these alone is updated as records come, go and move, and by those fields that it reads.
    public var models: LiveModels<R> { (try? query?.models) ?? LiveModels() }

    /// The results, of which nothing is decoded before it is asked for: see ``LiveQuery/lazyResults``. None where they are not kept up
    /// to date.
    public var lazyRecords: LazyRecords<R> { (try? query?.lazyResults) ?? LazyRecords() }

    /// A request to be the wrapper of a component's property: it is tied to the store of the scope that hosts the component.
    ///
    /// ```swift
    /// @FetchRequest(Sensor.where { $0.celsius > 30 }) var hot: LiveRecords<Sensor>
    /// ```
    public init(_ request: FetchRequest) { self = request }

    /// The request with what keeps its results up to date.
    package func hosted(by query: LiveQuery<R>) -> FetchRequest {
        var result = self
        result.source = query
        return result
    }
}
