// Overloads that the generated code calls for indexed fields and ids. A type with a raw value counts as that value, so an enum
// does not have to declare conformance to `IndexableValue`. A type without an order gets a compile-time error with a remedy.

/// The type of an indexed field.
public func _indexable<V: IndexableValue>(_ type: V.Type) -> V.Type { type }

/// The type of an indexed field that is ordered by its raw value.
@_disfavoredOverload
public func _indexable<V: RawRepresentable>(_ type: V.Type) -> V.Type where V.RawValue: IndexableValue { type }

/// The type of an indexed optional field that is ordered by its raw value.
@_disfavoredOverload
public func _indexable<V: RawRepresentable>(_ type: V?.Type) -> V?.Type where V.RawValue: IndexableValue { type }

/// The type of an indexed field with an entry for each element.
public func _indexable<E: IndexableValue>(_ type: [E].Type) -> [E].Type { type }

/// The type of an indexed optional field with an entry for each element.
public func _indexable<E: IndexableValue>(_ type: [E]?.Type) -> [E]?.Type { type }

/// The type of an indexed field with an entry for each element.
public func _indexable<E: IndexableValue>(_ type: Set<E>.Type) -> Set<E>.Type { type }

/// The type of an indexed optional field with an entry for each element.
public func _indexable<E: IndexableValue>(_ type: Set<E>?.Type) -> Set<E>?.Type { type }

@available(
    *, unavailable,
    message: """
        values of this type have no order, which an index needs: index a number, a text, a date, a UUID or bytes, or a \
        type with one of these as its raw value
        """
)
/// The type of an indexed field that has no order.
@_disfavoredOverload
public func _indexable<V>(_ type: V.Type) -> V.Type { type }

extension ByteWriter {
    /// Appends the key of one part of a composite id.
    @inlinable
    public mutating func _append<V: IndexableValue>(key value: V) { value.encodeKey(to: &self) }

    /// Appends the key of one part of a composite id: the key of its raw value.
    @inlinable
    @_disfavoredOverload
    public mutating func _append<V: RawRepresentable>(key value: V) where V.RawValue: IndexableValue {
        value.rawValue.encodeKey(to: &self)
    }

    @available(
        *, unavailable,
        message: """
            values of this type have no order, which an id needs: use a number, a text, a date, a UUID or bytes, or a \
            type with one of these as its raw value
            """
    )
    /// Rejects a part of a composite id that has no order.
    @_disfavoredOverload
    public mutating func _append<V>(key value: V) {}
}

extension Record {
    @available(
        *, unavailable,
        message: """
            values of this type have no order, which an id needs: use a number, a text, a date, a UUID or bytes, or a \
            type with one of these as its raw value
            """
    )
    /// Rejects an id that has no order.
    @_disfavoredOverload
    public static func _key(of id: ID) -> String { "" }

    /// Rejects an id that has no order.
    @_disfavoredOverload
    public static func _id(of key: String) -> ID? { nil }
}
