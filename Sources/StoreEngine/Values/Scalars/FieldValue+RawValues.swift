// An enum with a raw value is stored as the raw value.

extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
    public static var fieldType: FieldType { FieldType.ofRawValues(Self.self) }
    @inlinable public static var fixedByteCount: Int? { RawValue.fixedByteCount }

    @inlinable
    public func encode(to writer: inout ByteWriter) throws(CodecError) { try rawValue.encode(to: &writer) }

    @inlinable
    public init(from bytes: RawSpan) throws(CodecError) {
        let raw = try RawValue(from: bytes)
        guard let value = Self(rawValue: raw) else {
            throw CodecError(raw, isNoRawValueOf: Self.self)
        }
        self = value
    }
}

extension CodecError {
    /// Creates the error for a stored raw value that no value of a type has.
    @usableFromInline
    init<Raw, Value>(_ raw: Raw, isNoRawValueOf type: Value.Type) {
        self.init("\(type) has no case with the raw value \(raw)")
    }
}

extension IndexableValue where Self: RawRepresentable, RawValue: IndexableValue {
    @inlinable
    public func encodeKey(to writer: inout ByteWriter) { rawValue.encodeKey(to: &writer) }
}

extension FieldType {
    /// Returns the description of a type with raw values. It contains the cases and their names if the type is `CaseIterable`.
    package static func ofRawValues<V: RawRepresentable>(_ type: V.Type) -> FieldType where V.RawValue: FieldValue {
        let raw = V.RawValue.fieldType
        var cases: EnumCases?
        if let iterable = type as? any CaseIterable.Type { cases = Self.cases(of: iterable, haveNames: raw != .string) }
        return .enumeration(raw, cases: cases)
    }

    /// - Parameter haveNames: whether to include names, because they say more than the raw values.
    private static func cases<C: CaseIterable>(of type: C.Type, haveNames: Bool) -> EnumCases {
        let all = type.allCases.compactMap { $0 as? any RawRepresentable }
        return EnumCases(all.map(rawText(of:)), names: haveNames ? all.map { "\($0)" } : nil)
    }

    private static func rawText(of value: any RawRepresentable) -> String { "\(value.rawValue)" }
}
