// Lookups by a unique field whose type has an indexable raw value and does not name `IndexableValue` itself. In the index
// such a value is its raw value.
extension ReadableTransaction where Self: ~Copyable {
    /// The record that has `value` in the unique field `field`, or nil.
    ///
    /// - Throws: ``StoreError``: `unknownField` when the field has no unique index of its own.
    @inlinable
    @_disfavoredOverload
    public borrowing func get<R: Record, V: RawRepresentable & Sendable>(
        _ type: R.Type, unique field: KeyPath<R.Fields, Field<R, V>>, equals value: V
    ) throws(StoreError) -> R? where V.RawValue: IndexableValue {
        try _reading.get(type, unique: R.fields[keyPath: field].map(\.rawValue), equals: value.rawValue)
    }

    /// The record that has `value` in the unique field `field`, or nil.
    ///
    /// - Throws: ``StoreError``: `unknownField` when the field has no unique index of its own.
    @inlinable
    @_disfavoredOverload
    public borrowing func get<R: Record, V: RawRepresentable & Sendable>(
        _ type: R.Type, unique field: KeyPath<R.Fields, Field<R, V?>>, equals value: V?
    ) throws(StoreError) -> R? where V.RawValue: IndexableValue {
        try _reading.get(type, unique: R.fields[keyPath: field].map { $0?.rawValue }, equals: value?.rawValue)
    }
}

extension Field {
    /// A token for what `transform` makes of this field, to be read only.
    @usableFromInline
    func map<Part>(_ transform: @escaping @Sendable (Value) -> Part) -> Field<Root, Part> {
        Field<Root, Part>(
            index: index, nestedPath: nestedPath, isOptionalByPath: isOptionalByPath, name: name,
            read: { [read] in transform(read($0)) }, write: nil,
            decode: { [decode] (bytes: RawSpan) throws(CodecError) -> Part in try transform(decode(bytes)) })
    }
}
