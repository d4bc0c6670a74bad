// Tokens of the fields of a record that is referred to: `$0.room.name`. They serve requests, which look the record up; there
// is nothing of it in the record at hand.
extension Field {
    /// What stands among the steps of a token for the one through a reference. Behind it comes the place of that record's own
    /// field, whose bytes are found by its name: as an optional's, which are none where there is no record.
    static var referenceStep: FieldStep { FieldStep(fieldIndex: FieldStep.mark, isOptional: true) }

    /// Whether the token names a field of another record.
    @inlinable var isThroughReference: Bool { !nestedPath.isEmpty && isNestedThroughReference }

    @usableFromInline var isNestedThroughReference: Bool { nestedPath.contains(Field.referenceStep) }

    /// The steps from the bytes that are decoded to those of the property: a record's own field, or one behind references.
    var decodedSteps: [FieldStep] {
        guard let last = nestedPath.lastIndex(of: Field.referenceStep) else { return nestedPath }
        return [Field.referenceStep] + nestedPath[(last + 2)...]
    }

    /// The error for reading, in a record, what another one holds; nil for a field of the record itself.
    private var misfitThroughReference: StoreError? {
        guard isThroughReference else { return nil }
        return StoreError(
            .invalidValue, "\(name) is a field of another record: it serves in requests",
            remedy: "fetch the records that are referred to with them: fetch(request, with:)")
    }

    /// What a projection has to know of a field of another record; nil for one of the record itself.
    @usableFromInline var followed: FollowedField? {
        isThroughReference ? FollowedField(name: FieldName(name), mayBeNone: Self.nothing != nil) : nil
    }

    /// Nil as a value of the field; nothing where it takes none.
    private static var nothing: Value? {
        (Value.self as? any ExpressibleByNilLiteral.Type)?.init(nilLiteral: ()) as? Value
    }

    /// The value of the field of a record or a struct that is not there.
    func ofNothing() throws(CodecError) -> Value {
        guard let value = Self.nothing else { throw CodecError("what \(name) is a field of is not there") }
        return value
    }

    /// The value of a field of another record, from the next of those that were looked up.
    @usableFromInline
    func value(_ followed: [[UInt8]], _ next: inout Int) throws(CodecError) -> Value {
        guard next < followed.count else { throw CodecError("\(name) was not looked up") }
        defer { next += 1 }
        let bytes = followed[next]
        return unsafe try decode(bytes.span.bytes)
    }

    /// The value in a record, or of the next field that was looked up.
    @usableFromInline
    func value(in record: Root, _ followed: [[UInt8]], _ next: inout Int) throws(CodecError) -> Value {
        isThroughReference ? try value(followed, &next) : value(in: record)
    }

    /// The value from the bytes of an optional: behind the mark those of the record's own field.
    fileprivate func value(optional bytes: RawSpan) throws(CodecError) -> Value {
        if isThroughReference { return try decode(bytes) }
        return bytes.byteCount == 0 ? try ofNothing() : try decode(bytes.extracting(1..<bytes.byteCount))
    }

    /// The token itself, where it names a field of the record at hand.
    ///
    /// - Throws: ``StoreError`` with the code `invalidValue` where it goes through a reference.
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

    /// The token for a field of the record that this field may refer to; nil where it refers to none.
    public subscript<Target: Record, Value2>(
        dynamicMember keyPath: KeyPath<Target.Fields, Field<Target, Value2>>
    ) -> Field<Root, Value2?> where Value == Reference<Target>? {
        let inner = Target.fields[keyPath: keyPath]
        return through(inner, isOptionalByPath: true) { (bytes: RawSpan) throws(CodecError) -> Value2? in
            bytes.byteCount == 0 ? nil : try inner.value(optional: bytes)
        }
    }

    /// The same for a field that is optional itself.
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
