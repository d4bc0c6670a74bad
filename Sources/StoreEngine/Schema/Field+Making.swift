// These initializers create tokens, with one overload for each way to decode a property. `get` reads the property. `set` changes
// it, and is nil for a constant.
extension Field {
    /// Creates a token for the property with the field index `index`, whose type conforms to ``FieldValue``.
    @inlinable
    public init(
        _ index: Int, _ name: String,
        get: @escaping @Sendable (Root) -> Value,
        set: (@Sendable (inout Root, Value) -> Void)? = nil
    ) where Value: FieldValue {
        self.init(
            index: index, nestedPath: [], isOptionalByPath: false, name: name, read: get, write: set,
            decode: { (bytes: RawSpan) throws(CodecError) -> Value in try Value(from: bytes) })
    }

    /// Creates a token for the property with the field index `index`, an enum that does not conform to ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public init(
        _ index: Int, _ name: String,
        get: @escaping @Sendable (Root) -> Value,
        set: (@Sendable (inout Root, Value) -> Void)? = nil
    ) where Value: RawRepresentable & SendableMetatype, Value.RawValue: FieldValue {
        self.init(
            index: index, nestedPath: [], isOptionalByPath: false, name: name, read: get, write: set,
            decode: { (bytes: RawSpan) throws(CodecError) -> Value in try Field.value(ofRaw: bytes) })
    }

    /// Creates a token for the property with the field index `index`, an optional enum that does not conform to ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public init(
        _ index: Int, _ name: String,
        get: @escaping @Sendable (Root) -> Value,
        set: (@Sendable (inout Root, Value) -> Void)? = nil
    ) where Value: OptionalRawValue & SendableMetatype {
        self.init(
            index: index, nestedPath: [], isOptionalByPath: false, name: name, read: get, write: set,
            decode: { (bytes: RawSpan) throws(CodecError) -> Value in try Value(ofRaw: bytes) })
    }

    /// Creates a token for the property with the field index `index`, a `Codable` enum that does not conform to ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public init(
        _ index: Int, _ name: String,
        get: @escaping @Sendable (Root) -> Value,
        set: (@Sendable (inout Root, Value) -> Void)? = nil
    ) where Value: RawRepresentable & Codable & Sendable, Value.RawValue: FieldValue {
        self.init(
            index: index, nestedPath: [], isOptionalByPath: false, name: name, read: get, write: set,
            decode: { (bytes: RawSpan) throws(CodecError) -> Value in try Field.value(ofRaw: bytes) })
    }

    /// Creates a token for the property with the field index `index`, an optional `Codable` enum that does not conform to
    /// ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public init(
        _ index: Int, _ name: String,
        get: @escaping @Sendable (Root) -> Value,
        set: (@Sendable (inout Root, Value) -> Void)? = nil
    ) where Value: OptionalRawValue & Codable & Sendable {
        self.init(
            index: index, nestedPath: [], isOptionalByPath: false, name: name, read: get, write: set,
            decode: { (bytes: RawSpan) throws(CodecError) -> Value in try Value(ofRaw: bytes) })
    }

    /// Creates a token for the property with the field index `index`, whose type conforms only to `Codable`.
    @inlinable
    @_disfavoredOverload
    public init(
        _ index: Int, _ name: String,
        get: @escaping @Sendable (Root) -> Value,
        set: (@Sendable (inout Root, Value) -> Void)? = nil
    ) where Value: Codable & Sendable {
        self.init(
            index: index, nestedPath: [], isOptionalByPath: false, name: name, read: get, write: set,
            decode: { (bytes: RawSpan) throws(CodecError) -> Value in try Field.value(ofJSON: bytes) })
    }

    @usableFromInline
    static func value(ofRaw bytes: RawSpan) throws(CodecError) -> Value
    where Value: RawRepresentable, Value.RawValue: FieldValue {
        let raw = try Value.RawValue(from: bytes)
        guard let value = Value(rawValue: raw) else {
            throw CodecError(raw, isNoRawValueOf: Value.self)
        }
        return value
    }

    @usableFromInline
    static func value(ofJSON bytes: RawSpan) throws(CodecError) -> Value where Value: Codable & Sendable {
        try JSONField<Value>(from: bytes).value
    }
}

/// An optional enum whose raw values conform to ``FieldValue``.
///
/// Do not conform to this protocol. It distinguishes these optionals from other `Codable` optionals, which the store keeps as
/// JSON.
public protocol OptionalRawValue {
    /// Decodes the value from the bytes of an optional raw value.
    ///
    /// - Throws: ``CodecError`` if the bytes do not encode an optional raw value, or if no case has the raw value.
    init(ofRaw bytes: RawSpan) throws(CodecError)
}

extension Optional: OptionalRawValue where Wrapped: RawRepresentable, Wrapped.RawValue: FieldValue {
    /// Decodes the value from the bytes of an optional raw value.
    ///
    /// - Throws: ``CodecError`` if the bytes do not encode an optional raw value, or if no case has the raw value.
    public init(ofRaw bytes: RawSpan) throws(CodecError) {
        guard let raw = try Wrapped.RawValue?(from: bytes) else {
            self = nil
            return
        }
        guard let value = Wrapped(rawValue: raw) else {
            throw CodecError(raw, isNoRawValueOf: Wrapped.self)
        }
        self = value
    }
}
