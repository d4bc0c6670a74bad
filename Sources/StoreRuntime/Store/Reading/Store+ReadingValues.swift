public import StoreEngine

// One value for all records that a request asks for. Each read has a transaction of its own. Nil counts for nothing.
extension Store {
    /// The least value of a field, by the order of keys; nil where no record has one.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: an index on the field answers it with one look where the request has no condition of its own.
    public func min<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws -> V? {
        try read { try $0.min(request, field) }
    }

    /// The least value of a field that may be nil; nil where no record has one.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: as for a field that may not.
    public func min<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V?>>
    ) throws -> V? {
        try read { try $0.min(request, field) }
    }

    /// The greatest value of a field, by the order of keys; nil where no record has one.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: as for the least value.
    public func max<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws -> V? {
        try read { try $0.max(request, field) }
    }

    /// The greatest value of a field that may be nil; nil where no record has one.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: as for a field that may not.
    public func max<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V?>>
    ) throws -> V? {
        try read { try $0.max(request, field) }
    }

    /// The sum of a field; zero where no record has a value.
    ///
    /// - Returns: a value of the field's type; of integers of fewer bits than 64 an `Int` or a `UInt`.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `tooLarge` when the sum does not fit.
    public func sum<R: Record, V: SummableFieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws -> V.Summand.Total {
        try read { try $0.sum(request, field) }
    }

    /// The mean of a field; nil where no record has a value.
    ///
    /// - Returns: of decimals and durations a value of their type, otherwise a `Double`.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `tooLarge` when the sum of decimals or durations is out of range.
    public func average<R: Record, V: SummableFieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws -> V.Summand.Mean? {
        try read { try $0.average(request, field) }
    }
}
