public import Foundation
public import StoreEngine

// Reads of a single result. Each has a read transaction of its own, so use one `read` closure for reads that must agree with each
// other.
extension Store {
    /// Returns the record with this id, or nil.
    ///
    /// - Throws: ``StoreError``: `unknownType`, `damaged`, `closed`.
    /// - Complexity: logarithmic in the number of records.
    @inlinable
    public func get<R: Record>(_ type: R.Type, id: R.ID) throws -> R? {
        try read { try $0.get(type, id: id) }
    }

    /// Returns the record that has `value` in the unique field `field`, or nil.
    ///
    /// - Throws: as ``get(_:id:)``.
    /// - Complexity: logarithmic in the number of records.
    @inlinable
    public func get<R: Record, V: IndexableValue>(
        _ type: R.Type, unique field: KeyPath<R.UniqueFields, Field<R, V>>, equals value: V
    ) throws -> R? {
        try read { try $0.get(type, unique: field, equals: value) }
    }

    /// Returns the record that has `value` in the unique field `field`, or nil. The index holds the raw values of an enum.
    ///
    /// - Throws: as ``get(_:id:)``.
    /// - Complexity: logarithmic in the number of records.
    @inlinable
    @_disfavoredOverload
    public func get<R: Record, V: RawRepresentable & Sendable>(
        _ type: R.Type, unique field: KeyPath<R.UniqueFields, Field<R, V>>, equals value: V
    ) throws -> R? where V.RawValue: IndexableValue {
        try read { try $0.get(type, unique: field, equals: value) }
    }

    /// Returns the record that has `value` in the unique field `field`, or nil. The index holds the raw values of an enum.
    ///
    /// - Throws: as ``get(_:id:)``.
    /// - Complexity: logarithmic in the number of records.
    @inlinable
    @_disfavoredOverload
    public func get<R: Record, V: RawRepresentable & Sendable>(
        _ type: R.Type, unique field: KeyPath<R.UniqueFields, Field<R, V?>>, equals value: V?
    ) throws -> R? where V.RawValue: IndexableValue {
        try read { try $0.get(type, unique: field, equals: value) }
    }

    @available(
        *, unavailable,
        message: """
            this field is not unique by itself: mark it '@Unique', use 'get(_:id:)' for an id, or fetch the records by a \
            condition: 'fetch(R.where { $0.field == value })'
            """
    )
    /// Looks up a record by a field that is not unique. Unavailable.
    @_disfavoredOverload
    public func get<R: Record, V>(
        _ type: R.Type, unique field: KeyPath<R.Fields, Field<R, V>>, equals value: V
    ) throws -> R? { nil }

    /// Returns the records that match a request. See ``ReadableTransaction/fetch(_:)-(FetchRequest<R>)``.
    ///
    /// ```swift
    /// let hot = try store.fetch(Sensor.where { $0.celsius > 30 })
    /// ```
    ///
    /// - Throws: ``StoreError``: `unknownType`; `unknownField` and `invalidValue` when the request does not match the store's
    ///   schema; `damaged`; `closed`.
    @inlinable
    public func fetch<R: Record>(_ request: FetchRequest<R>) throws -> [R] {
        try read { try $0.fetch(request) }
    }

    /// Returns all records of a type: `store.fetch(Sensor.self)`.
    ///
    /// - Throws: ``StoreError``: `unknownType`; `invalidValue` when the type does not match the store's schema; `damaged`;
    ///   `closed`.
    @inlinable
    public func fetch<R: Record>(_ type: R.Type) throws -> [R] {
        try read { try $0.fetch(type) }
    }

    /// Returns the records that match a predicate: `store.fetch(#Predicate<Sensor> { $0.room == "kitchen" })`.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``; `invalidValue` for a predicate that cannot be translated.
    public func fetch<R: Record>(_ predicate: Predicate<R>) throws -> [R] {
        try read { try $0.fetch(predicate) }
    }

    /// Returns the first record that matches a request, or nil.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    @inlinable
    public func first<R: Record>(_ request: FetchRequest<R>) throws -> R? {
        try read { try $0.first(request) }
    }

    /// Returns the number of records that match a request. Decodes no records.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    public func count<R: Record>(_ request: FetchRequest<R>) throws -> Int {
        try read { try $0.count(request) }
    }

    /// Returns the number of records of a type.
    ///
    /// - Throws: ``StoreError``: `unknownType`, `closed`.
    /// - Complexity: constant.
    @inlinable
    public func count<R: Record>(_ type: R.Type) throws -> Int {
        try read { try $0.count(type) }
    }

    /// Returns whether any record matches a request.
    ///
    /// - Throws: as ``fetch(_:)-(FetchRequest<R>)``.
    public func exists<R: Record>(_ request: FetchRequest<R>) throws -> Bool {
        try read { try $0.exists(request) }
    }

    /// Returns whether there is a record with this id.
    ///
    /// - Throws: as ``get(_:id:)``.
    @inlinable
    public func exists<R: Record>(_ type: R.Type, id: R.ID) throws -> Bool {
        try read { try $0.contains(type, id: id) }
    }
}
