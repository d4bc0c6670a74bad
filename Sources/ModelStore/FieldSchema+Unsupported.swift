// What the code that macros generate reaches where the type of a field does not fit: an error that says what to do, once
// for each field. Without it the compiler reports whichever requirement of the schema or of the codec it tried last, and
// does so three times.

extension FieldSchema {
    @available(
        *, unavailable,
        message: """
            the store has no form for this type: mark a struct '@Embedded', name 'FieldValue' on a type with a raw \
            value, make any other type Codable and Sendable, or mark the property '@Transient'
            """
    )
    /// A field that cannot be stored.
    @_disfavoredOverload
    public init<V>(_ name: String, _ type: V.Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: """
            the store has no form for this type: mark a struct '@Embedded', name 'FieldValue' on a type with a raw \
            value, make any other type Codable and Sendable, or mark the property '@Transient'
            """
    )
    /// A field that cannot be stored, with its default.
    @_disfavoredOverload
    public init<V>(_ name: String, _ type: V.Type, default value: V, renamedFrom: [String] = []) {
        fatalError("unavailable")
    }

    @available(
        *, unavailable,
        message: "a record is no field of another: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// A field that holds another record.
    public init<V: Record>(_ name: String, _ type: V.Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a record is no field of another: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// A field that holds another record or nil.
    public init<V: Record>(_ name: String, _ type: V?.Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a record is no field of another: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// A field that holds other records.
    public init<V: Record>(_ name: String, _ type: [V].Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a record is no field of another: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// A field that holds other records or nil.
    public init<V: Record>(_ name: String, _ type: [V]?.Type, renamedFrom: [String] = []) { fatalError("unavailable") }

    @available(
        *, unavailable,
        message: "a record is no field of another: refer to it with Reference, as in 'var room: Reference<Room>'"
    )
    /// A field that holds other records, with its default.
    public init<V: Record>(_ name: String, _ type: [V].Type, default value: [V], renamedFrom: [String] = []) {
        fatalError("unavailable")
    }
}

// The codec takes any type, so that a field that the schema reports is not reported again. Code written by hand gets to
// these if its schema hides the type; they refuse it then.

extension FieldEncoder {
    /// Refuses the next field.
    @_disfavoredOverload
    public mutating func encode<V>(_ value: V) throws(CodecError) { throw CodecError(noForm: V.self) }
}

extension FieldDecoder {
    /// Refuses field `index`.
    @_disfavoredOverload
    public func decode<V>(_ index: Int, as type: V.Type) throws(CodecError) -> V { throw CodecError(noForm: type) }

    /// Refuses field `index`.
    @_disfavoredOverload
    public func decode<V>(_ index: Int, as type: V.Type, or initial: @autoclosure () -> V) throws(CodecError) -> V {
        throw CodecError(noForm: type)
    }
}

extension CodecError {
    fileprivate init<V>(noForm type: V.Type) { self.init("the store has no form for the type \(type)") }
}
