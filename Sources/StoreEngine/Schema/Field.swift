/// A typed token for one stored property of a record or of an embedded struct.
///
/// The macro `@Record` generates one token for each stored property: `Sensor.fields.celsius` is a `Field<Sensor, Double>`. A
/// parameter that takes a key path such as `\.celsius` takes a key path into these tokens.
///
/// The public members of a token build conditions and orders. Any other name after a token names a property of the embedded
/// struct, or of the record that the property refers to, such as `$0.room.name`.
@dynamicCallable
@dynamicMemberLookup
public struct Field<Root, Value>: Sendable {
    /// The property's field index in the record.
    @usableFromInline let index: Int
    /// The steps through embedded structs to a nested property; empty for a property of the record itself.
    @usableFromInline let nestedPath: [FieldStep]
    /// Whether the value is optional only because a struct on the way is optional. Its bytes then have no mark of an optional.
    @usableFromInline let isOptionalByPath: Bool
    /// The property's name, with dots between the parts of a nested name.
    @usableFromInline let name: String
    @usableFromInline let read: @Sendable (Root) -> Value
    @usableFromInline let write: (@Sendable (inout Root, Value) -> Void)?
    /// Decodes the property from the bytes of the record's own field at `index`.
    @usableFromInline let decode: @Sendable (RawSpan) throws(CodecError) -> Value

    @usableFromInline
    init(
        index: Int, nestedPath: [FieldStep], isOptionalByPath: Bool, name: String,
        read: @escaping @Sendable (Root) -> Value,
        write: (@Sendable (inout Root, Value) -> Void)?,
        decode: @escaping @Sendable (RawSpan) throws(CodecError) -> Value
    ) {
        self.index = index
        self.nestedPath = nestedPath
        self.isOptionalByPath = isOptionalByPath
        self.name = name
        self.read = read
        self.write = write
        self.decode = decode
    }

    /// The field indexes of the property: the index in the record, then the indexes in the embedded structs on the way.
    @usableFromInline var path: [Int] { [index] + nestedPath.map(\.fieldIndex) }

    /// Whether the property can be changed.
    @inlinable var isMutable: Bool { write != nil }

    /// Returns the property's value in `root`.
    @inlinable
    func value(in root: Root) -> Value { read(root) }

    /// Sets the property in `root`. For a constant, changes nothing and returns false.
    @inlinable
    @discardableResult
    func set(_ value: Value, in root: inout Root) -> Bool {
        guard let write else { return false }
        write(&root, value)
        return true
    }

    /// Returns an error of decoding the value as one of the record.
    @usableFromInline
    func inRecord(_ error: CodecError) -> CodecError {
        nestedPath.reversed().reduce(error) { $0.inField($1.fieldIndex) }.inField(index)
    }

    /// The token for a property of the optional embedded struct in this property. Its value is nil if the struct is nil.
    public subscript<Wrapped: EmbeddedValue, Nested>(
        dynamicMember keyPath: KeyPath<Wrapped.Fields, Field<Wrapped, Nested>>
    ) -> Field<Root, Nested?> where Value == Wrapped? {
        let inner = Wrapped.fields[keyPath: keyPath]
        let outer = read
        let (way, step) = (decodedSteps, FieldStep(fieldIndex: inner.index, isOptional: !isOptionalByPath))
        return Field<Root, Nested?>(
            index: index, nestedPath: nestedPath + [step] + inner.nestedPath, isOptionalByPath: true,
            name: name + "." + inner.name,
            read: { outer($0).map { inner.read($0) } }, write: nil,
            decode: { (bytes: RawSpan) throws(CodecError) -> Nested? in
                guard let own = try step.bytes(in: bytes, behind: way) else { return nil }
                return try inner.decode(own)
            })
    }

    /// The token for an optional property of the optional embedded struct in this property. Its value is nil if the struct is
    /// nil.
    public subscript<Wrapped: EmbeddedValue, Nested>(
        dynamicMember keyPath: KeyPath<Wrapped.Fields, Field<Wrapped, Nested?>>
    ) -> Field<Root, Nested?> where Value == Wrapped? {
        let inner = Wrapped.fields[keyPath: keyPath]
        let outer = read
        let (way, step) = (decodedSteps, FieldStep(fieldIndex: inner.index, isOptional: !isOptionalByPath))
        return Field<Root, Nested?>(
            index: index, nestedPath: nestedPath + [step] + inner.nestedPath, isOptionalByPath: inner.isOptionalByPath,
            name: name + "." + inner.name,
            read: { outer($0).flatMap { inner.read($0) } }, write: nil,
            decode: { (bytes: RawSpan) throws(CodecError) -> Nested? in
                guard let own = try step.bytes(in: bytes, behind: way) else { return nil }
                return try inner.decode(own)
            })
    }

    /// The token for a property of the embedded struct in this property.
    public subscript<Nested>(dynamicMember keyPath: KeyPath<Value.Fields, Field<Value, Nested>>) -> Field<Root, Nested>
    where Value: EmbeddedValue {
        let inner = Value.fields[keyPath: keyPath]
        let outerRead = read
        var nestedWrite: (@Sendable (inout Root, Nested) -> Void)?
        if let outerWrite = write, let innerWrite = inner.write {
            nestedWrite = { root, value in
                var embedded = outerRead(root)
                innerWrite(&embedded, value)
                outerWrite(&root, embedded)
            }
        }
        let (way, step) = (decodedSteps, FieldStep(fieldIndex: inner.index, isOptional: false))
        return Field<Root, Nested>(
            index: index, nestedPath: nestedPath + [step] + inner.nestedPath, isOptionalByPath: inner.isOptionalByPath,
            name: name + "." + inner.name,
            read: { inner.read(outerRead($0)) },
            write: nestedWrite,
            decode: { (bytes: RawSpan) throws(CodecError) -> Nested in
                guard let own = try step.bytes(in: bytes, behind: way) else { return try inner.ofNothing() }
                return try inner.decode(own)
            }
        )
    }
}
