// How tokens are made: by overloads that tell how a property of each kind is decoded. `get` reads the property and `set`
// changes it, unless it is a constant.
extension Field {
    /// A token for the property at `index`, of a type that the store knows.
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

    /// A token for the property at `index`, an enum that does not name ``FieldValue``.
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

    /// A token for the property at `index`, an optional enum that does not name ``FieldValue``.
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

    /// A token for the property at `index`, an enum that does not name ``FieldValue`` but is Codable.
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

    /// A token for the property at `index`, an optional enum that does not name ``FieldValue`` but is Codable.
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

    /// A token for the property at `index`, a value that is only `Codable`.
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
            throw CodecError("\(Value.self) has no case with the raw value \(raw)")
        }
        return value
    }

    @usableFromInline
    static func value(ofJSON bytes: RawSpan) throws(CodecError) -> Value where Value: Codable & Sendable {
        try JSONField<Value>(from: bytes).value
    }
}

/// An optional enum whose raw values the store knows. Nothing to conform to: it tells such optionals from others that are
/// `Codable`, which the store keeps as JSON.
public protocol OptionalRawValue {
    /// Decodes an optional raw value.
    ///
    /// - Throws: ``CodecError`` where there is none, or no case has it.
    init(ofRaw bytes: RawSpan) throws(CodecError)
}

extension Optional: OptionalRawValue where Wrapped: RawRepresentable, Wrapped.RawValue: FieldValue {
    /// Decodes an optional raw value.
    public init(ofRaw bytes: RawSpan) throws(CodecError) {
        guard let raw = try Wrapped.RawValue?(from: bytes) else {
            self = nil
            return
        }
        guard let value = Wrapped(rawValue: raw) else {
            throw CodecError("\(Wrapped.self) has no case with the raw value \(raw)")
        }
        self = value
    }
}
