// Overloads that the generated code selects when the store does not support the type of a field. Each gives one error with a
// remedy per field. Without them, the compiler reports an arbitrary requirement of the schema or the codec, three times per
// field.

extension FieldSchema {
    @available(
        *, unavailable,
        message: """
            the store cannot store this type: mark a struct '@Embedded', conform a type with a raw value to \
            'FieldValue', make any other type Codable and Sendable, or mark the property '@Transient'
            """
    )
    /// Rejects a field of a type that cannot be stored.
    @_disfavoredOverload
    public init<V>(_ name: String, _ type: V.Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: """
            the store cannot store this type: mark a struct '@Embedded', conform a type with a raw value to \
            'FieldValue', make any other type Codable and Sendable, or mark the property '@Transient'
            """
    )
    /// Rejects a field of a type that cannot be stored, with a default.
    @_disfavoredOverload
    public init<V>(_ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []) {
        fatalError("unavailable")
    }

    @available(
        *, unavailable,
        message:
            "a record cannot be a field of another record: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// Rejects a field that holds another record.
    public init<V: Record>(_ name: String, _ type: V.Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message:
            "a record cannot be a field of another record: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// Rejects an optional field that holds another record.
    public init<V: Record>(_ name: String, _ type: V?.Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message:
            "a record cannot be a field of another record: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// Rejects a field that holds an array of records.
    public init<V: Record>(_ name: String, _ type: [V].Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message:
            "a record cannot be a field of another record: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// Rejects an optional field that holds an array of records.
    public init<V: Record>(_ name: String, _ type: [V]?.Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message:
            "a record cannot be a field of another record: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// Rejects a field that holds an array of records, with a default.
    public init<V: Record>(_ name: String, _ type: [V].Type, default value: [V], renamedFrom: [String] = []) {
        fatalError("unavailable")
    }
}

// The codec accepts any type, so that the compiler reports an unsupported field once, for the schema. Handwritten code reaches
// these methods only if its schema hides the type. They then throw.

extension FieldEncoder {
    /// Throws: the store does not support the type of the next field.
    @_disfavoredOverload
    public mutating func encode<V>(_ value: V) throws(CodecError) { throw CodecError(noForm: V.self) }
}

extension FieldDecoder {
    /// Throws: the store does not support the type of field `index`.
    @_disfavoredOverload
    public func decode<V>(_ index: Int, as type: V.Type) throws(CodecError) -> V { throw CodecError(noForm: type) }

    /// Throws: the store does not support the type of field `index`.
    @_disfavoredOverload
    public func decode<V>(_ index: Int, as type: V.Type, or initial: @autoclosure () -> V) throws(CodecError) -> V {
        throw CodecError(noForm: type)
    }
}

extension CodecError {
    fileprivate init<V>(noForm type: V.Type) { self.init("the store cannot store the type \(type)") }
}
