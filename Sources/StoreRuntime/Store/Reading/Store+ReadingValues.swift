public import StoreEngine

// One value, computed from all records that match a request. Each read has a transaction of its own. Nil values are ignored.
extension Store {
    /// Returns the least value of a field, in the order of keys; nil when no record has a value.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: a single lookup if the field has an index and the request has no condition of its own.
    public func min<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws -> V? {
        try read { try $0.min(request, field) }
    }

    /// Returns the least value of an optional field; nil when no record has a value.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: as for a field that is not optional.
    public func min<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V?>>
    ) throws -> V? {
        try read { try $0.min(request, field) }
    }

    /// Returns the greatest value of a field, in the order of keys; nil when no record has a value.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: as for the least value.
    public func max<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws -> V? {
        try read { try $0.max(request, field) }
    }

    /// Returns the greatest value of an optional field; nil when no record has a value.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    /// - Complexity: as for a field that is not optional.
    public func max<R: Record, V: IndexableValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V?>>
    ) throws -> V? {
        try read { try $0.max(request, field) }
    }

    /// Returns the sum of a field; zero when no record has a value.
    ///
    /// - Returns: a value of the field's type; for integers of fewer than 64 bits, an `Int` or a `UInt`.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `tooLarge` when the sum is out of range.
    public func sum<R: Record, V: SummableFieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws -> V.Summand.Total {
        try read { try $0.sum(request, field) }
    }

    /// Returns the mean of a field; nil when no record has a value.
    ///
    /// - Returns: for decimals and durations, a value of their type; otherwise a `Double`.
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `tooLarge` when the sum of decimals or durations is out of range.
    public func average<R: Record, V: SummableFieldValue>(
        _ request: FetchRequest<R>, _ field: KeyPath<R.Fields, Field<R, V>>
    ) throws -> V.Summand.Mean? {
        try read { try $0.average(request, field) }
    }
}
