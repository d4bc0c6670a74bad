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
    public init<V: RawRepresentable & SendableMetatype>(
        _ index: Int, _ name: String,
        get: @escaping @Sendable (Root) -> V?,
        set: (@Sendable (inout Root, V?) -> Void)? = nil
    ) where Value == V?, V.RawValue: FieldValue {
        self.init(
            index: index, nestedPath: [], isOptionalByPath: false, name: name, read: get, write: set,
            decode: { (bytes: RawSpan) throws(CodecError) -> Value in try Field.optional(ofRaw: bytes) })
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
    public init<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, _ name: String,
        get: @escaping @Sendable (Root) -> V?,
        set: (@Sendable (inout Root, V?) -> Void)? = nil
    ) where Value == V?, V.RawValue: FieldValue {
        self.init(
            index: index, nestedPath: [], isOptionalByPath: false, name: name, read: get, write: set,
            decode: { (bytes: RawSpan) throws(CodecError) -> Value in try Field.optional(ofRaw: bytes) })
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
    static func optional<V: RawRepresentable>(ofRaw bytes: RawSpan) throws(CodecError) -> V?
    where Value == V?, V.RawValue: FieldValue {
        guard let raw = try V.RawValue?(from: bytes) else { return nil }
        guard let value = V(rawValue: raw) else {
            throw CodecError("\(V.self) has no case with the raw value \(raw)")
        }
        return value
    }

    @usableFromInline
    static func value(ofJSON bytes: RawSpan) throws(CodecError) -> Value where Value: Codable & Sendable {
        try JSONField<Value>(from: bytes).value
    }
}
