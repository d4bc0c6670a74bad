// Tokens for the fields of a referenced record: `$0.room.name`. Only requests can use them, because a request looks up the
// referenced record. The referring record holds only its id.
extension Field {
    /// The step through a reference in a token's path. The next step is the index of the referenced record's own field. A request
    /// finds the bytes of that field by its name and encodes them as an optional, which is none where there is no record.
    static var referenceStep: FieldStep { FieldStep(fieldIndex: FieldStep.mark, isOptional: true) }

    /// Whether the token names a field of another record.
    @inlinable var isThroughReference: Bool { !nestedPath.isEmpty && isNestedThroughReference }

    @usableFromInline var isNestedThroughReference: Bool { nestedPath.contains(Field.referenceStep) }

    /// The steps from the decoded bytes to the bytes of the property. The decoded bytes are a record's own field, or a field
    /// behind references.
    var decodedSteps: [FieldStep] {
        guard let last = nestedPath.lastIndex(of: Field.referenceStep) else { return nestedPath }
        return [Field.referenceStep] + nestedPath[(last + 2)...]
    }

    /// The error for reading another record's field from a record; nil for a field of the record itself.
    private var misfitThroughReference: StoreError? {
        guard isThroughReference else { return nil }
        return StoreError(
            .invalidValue, "\(name) is a field of another record, which only requests can read",
            remedy: "fetch the referenced records too: fetch(request, with:)")
    }

    /// The description of another record's field for a projection; nil for a field of the record itself.
    @usableFromInline var followed: FollowedField? {
        isThroughReference ? FollowedField(name: FieldName(name), mayBeNone: Self.nothing != nil) : nil
    }

    /// Nil as a value of the field's type, if that type is optional.
    private static var nothing: Value? {
        (Value.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Value
    }

    /// Returns the value of the field where its record or struct does not exist.
    ///
    /// - Throws: ``CodecError`` where the field's type is not optional.
    func ofNothing() throws(CodecError) -> Value {
        guard let value = Self.nothing else {
            throw CodecError("the record or struct with the field \(name) does not exist")
        }
        return value
    }

    /// Returns the value of another record's field, from the next of the values that were looked up.
    @usableFromInline
    func value(_ followed: [[UInt8]], _ next: inout Int) throws(CodecError) -> Value {
        guard next < followed.count else { throw CodecError("\(name) was not looked up") }
        defer { next += 1 }
        let bytes = followed[next]
        do {
            return unsafe try decode(bytes.span.bytes)
        } catch {
            throw CodecError("\(name): \(error.reason)")
        }
    }

    /// Returns the value in a record, or the next value that was looked up.
    @usableFromInline
    func value(in record: Root, _ followed: [[UInt8]], _ next: inout Int) throws(CodecError) -> Value {
        isThroughReference ? try value(followed, &next) : value(in: record)
    }

    /// Returns the value from the bytes of an optional: a mark, then the bytes of the record's own field.
    fileprivate func value(optional bytes: RawSpan) throws(CodecError) -> Value {
        if isThroughReference { return try decode(bytes) }
        return bytes.byteCount == 0 ? try ofNothing() : try decode(bytes.extracting(1..<bytes.byteCount))
    }

    /// Returns the token itself if it names a field of the record itself.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` where the token goes through a reference.
    @usableFromInline
    func ofRecord() throws(StoreError) -> Field {
        if let misfitThroughReference { throw misfitThroughReference }
        return self
    }

    /// The token for a field of the record that this field refers to.
    public subscript<Target: Record, Value2>(
        dynamicMember keyPath: KeyPath<Target.Fields, Field<Target, Value2>>
    ) -> Field<Root, Value2> where Value == Reference<Target> {
        let inner = Target.fields[keyPath: keyPath]
        return through(inner, isOptionalByPath: inner.isOptionalByPath) { (bytes: RawSpan) throws(CodecError) in
            try inner.value(optional: bytes)
        }
    }

    /// The token for a field of the record that this field may refer to. The value is nil where the reference is nil or its
    /// record does not exist.
    public subscript<Target: Record, Value2>(
        dynamicMember keyPath: KeyPath<Target.Fields, Field<Target, Value2>>
    ) -> Field<Root, Value2?> where Value == Reference<Target>? {
        let inner = Target.fields[keyPath: keyPath]
        return through(inner, isOptionalByPath: true) { (bytes: RawSpan) throws(CodecError) -> Value2? in
            bytes.byteCount == 0 ? nil : try inner.value(optional: bytes)
        }
    }

    /// The token for an optional field of the record that this field may refer to. The value is nil where the field or the
    /// reference is nil, or where the record does not exist.
    public subscript<Target: Record, Value2>(
        dynamicMember keyPath: KeyPath<Target.Fields, Field<Target, Value2?>>
    ) -> Field<Root, Value2?> where Value == Reference<Target>? {
        let inner = Target.fields[keyPath: keyPath]
        return through(inner, isOptionalByPath: inner.isOptionalByPath) { (bytes: RawSpan) throws(CodecError) in
            try inner.value(optional: bytes)
        }
    }

    private func through<Target, Inner, Outer>(
        _ inner: Field<Target, Inner>, isOptionalByPath: Bool,
        decode: @escaping @Sendable (RawSpan) throws(CodecError) -> Outer
    ) -> Field<Root, Outer> {
        let name = name + "." + inner.name
        return Field<Root, Outer>(
            index: index,
            nestedPath: nestedPath + [Field.referenceStep, FieldStep(fieldIndex: inner.index, isOptional: false)]
                + inner.nestedPath,
            isOptionalByPath: isOptionalByPath, name: name,
            read: { _ in preconditionFailure("\(name) is a field of another record: use it in requests only") },
            write: nil, decode: decode)
    }
}
