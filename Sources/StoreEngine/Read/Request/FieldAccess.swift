/// Locates the bytes of a field, or of a field of an embedded struct, in a record.
struct FieldAccess: Hashable, Sendable {
    /// The field's index among the type's newest fields. A test of elements uses ``whole`` for the element itself.
    let fieldIndex: Int
    /// The steps through the embedded structs that lead to the field.
    let nested: [FieldStep]
    /// The field's type, without optionality.
    let type: FieldType
    /// Whether the field itself is optional.
    let isOptionalItself: Bool

    /// Stands in for a field index where the bytes are the whole value and not a field.
    static let whole = -1

    /// Whether the value may be none.
    var mayBeNone: Bool { isOptionalItself || nested.contains(where: \.isOptional) }

    /// Creates an access to the field with a name.
    ///
    /// - Throws: ``StoreError`` with the code `unknownField` and the nearest name.
    init(_ name: FieldName, of type: RecordType) throws(StoreError) {
        // The stand-in type for elements that are not structs has one field, with an empty name.
        let first = name.first
        guard let fieldIndex = type.fieldIndex(named: first) else {
            throw FieldAccess.unknown(in: type.name, type.fields.map(\.name), first)
        }
        let schema = type.fields[fieldIndex].schema
        var current = schema.type
        var nested: [FieldStep] = []
        for part in name.rest {
            if case .reference = current.unwrapped {
                throw StoreError(
                    .invalidValue,
                    "\(type.name).\(name) is a field of another record, which only requests can read",
                    remedy: "store the value in this record too, or fetch the referenced records")
            }
            guard case .embedded(let inner) = current.unwrapped else {
                throw StoreError(
                    .unknownField, "\(type.name).\(name): \(current) has no fields", remedy: "name the field alone")
            }
            guard let index = inner.fieldIndex(named: part) else {
                throw FieldAccess.unknown(in: "\(type.name).\(first)", inner.fields.map(\.name), part)
            }
            nested.append(FieldStep(fieldIndex: index, isOptional: current.isOptional))
            current = inner.fields[index].type
        }
        self.fieldIndex = first.isEmpty ? FieldAccess.whole : fieldIndex
        self.nested = nested
        self.type = current.unwrapped
        isOptionalItself = current.isOptional
    }

    /// Returns the error for a name that matches no field.
    static func unknown(in owner: String, _ names: [String], _ part: String) -> StoreError {
        let nearest = NearestName.find(part, among: names)
        return StoreError(
            .unknownField, "\(owner) has no field \(part)",
            remedy: nearest.map { "did you mean \($0)?" } ?? "it has \(names.joined(separator: ", "))")
    }

    /// Returns the bytes of the field's value, without the mark of an optional; nil where there is no value.
    ///
    /// - Parameter table: the fields of a record in the form of the newest version.
    @_lifetime(copy table)
    func bytes(_ table: FieldTable) throws(CodecError) -> RawSpan? {
        var bytes = fieldIndex == FieldAccess.whole ? table.bytes : try table.field(fieldIndex)
        if !nested.isEmpty {
            for step in nested {
                guard let inner = try step.bytes(in: bytes) else { return nil }
                bytes = inner
            }
        }
        guard isOptionalItself else { return bytes }
        return bytes.byteCount > 0 ? bytes.extracting(1..<bytes.byteCount) : nil
    }

    /// Whether there is no value. The type of a field that is kept as JSON does not say whether the field is optional, so a JSON
    /// null counts as no value.
    func isNone(_ table: FieldTable) throws(CodecError) -> Bool {
        guard let bytes = try bytes(table) else { return true }
        return unsafe type == .json && bytes.isEqual(to: Self.null.utf8Span.span.bytes)
    }

    private static let null = "null"
}
