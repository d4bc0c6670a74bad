// Lookups by a unique field whose type has an indexable raw value but does not conform to `IndexableValue` itself. The index
// holds the raw value.
extension ReadableTransaction where Self: ~Copyable {
    /// Returns the record that has `value` in the unique field `field`; nil where there is none.
    ///
    /// - Parameters:
    ///   - type: the record type.
    ///   - field: a field marked `@Unique`. The compiler accepts no other field.
    ///   - value: the value to look up.
    /// - Throws: ``StoreError``: `unknownField` when the field's unique index is not built in the store.
    @inlinable
    @_disfavoredOverload
    public borrowing func get<R: Record, V: RawRepresentable & Sendable>(
        _ type: R.Type, unique field: KeyPath<R.UniqueFields, Field<R, V>>, equals value: V
    ) throws(StoreError) -> R? where V.RawValue: IndexableValue {
        try _reading.get(type, unique: R.uniqueFields[keyPath: field].map(\.rawValue), equals: value.rawValue)
    }

    /// Returns the record that has `value` in the unique field `field`; nil where there is none.
    ///
    /// - Parameters:
    ///   - type: the record type.
    ///   - field: a field marked `@Unique`. The compiler accepts no other field.
    ///   - value: the value to look up.
    /// - Throws: ``StoreError``: `unknownField` when the field's unique index is not built in the store.
    @inlinable
    @_disfavoredOverload
    public borrowing func get<R: Record, V: RawRepresentable & Sendable>(
        _ type: R.Type, unique field: KeyPath<R.UniqueFields, Field<R, V?>>, equals value: V?
    ) throws(StoreError) -> R? where V.RawValue: IndexableValue {
        try _reading.get(type, unique: R.uniqueFields[keyPath: field].map { $0?.rawValue }, equals: value?.rawValue)
    }
}

extension ReadableTransaction where Self: ~Copyable {
    @available(
        *, unavailable,
        message: """
            this field is not unique by itself: mark it '@Unique', use 'get(_:id:)' for an id, or fetch the records by a \
            condition: 'fetch(R.where { $0.field == value })'
            """
    )
    /// Unavailable: a lookup by a field that is not unique.
    @_disfavoredOverload
    public borrowing func get<R: Record, V>(
        _ type: R.Type, unique field: KeyPath<R.Fields, Field<R, V>>, equals value: V
    ) throws(StoreError) -> R? { nil }
}

extension Field {
    /// Returns a read-only token whose value is the result of `transform` on this field.
    @usableFromInline
    func map<Part>(_ transform: @escaping @Sendable (Value) -> Part) -> Field<Root, Part> {
        Field<Root, Part>(
            index: index, nestedPath: nestedPath, isOptionalByPath: isOptionalByPath, name: name,
            read: { [read] in transform(read($0)) }, write: nil,
            decode: { [decode] (bytes: RawSpan) throws(CodecError) -> Part in try transform(decode(bytes)) })
    }
}
