/// One step from a field to a property of the embedded struct that it holds.
@usableFromInline
struct FieldStep: Hashable, Sendable {
    /// The property's place in the struct.
    let fieldIndex: Int
    /// Whether the struct is optional, so that a mark stands before its bytes, or there are none.
    let isOptional: Bool

    /// The place of what is no property but all that stands behind the mark.
    static let mark = -1

    /// The bytes of the property; nil where a struct on the way is none.
    ///
    /// - Parameters:
    ///   - bytes: those of the record's own field.
    ///   - way: the steps before this one.
    @_lifetime(copy bytes)
    func bytes(in bytes: RawSpan, behind way: [FieldStep]) throws(CodecError) -> RawSpan? {
        var bytes = bytes
        // Most properties are those of a struct in the record itself.
        if !way.isEmpty {
            for step in way {
                guard let inner = try step.bytes(in: bytes) else { return nil }
                bytes = inner
            }
        }
        return try self.bytes(in: bytes)
    }

    /// The bytes of the property, from those of the field that holds the struct; nil where that is none.
    @_lifetime(copy bytes)
    func bytes(in bytes: RawSpan) throws(CodecError) -> RawSpan? {
        guard isOptional else { return try FieldTable(bytes).field(fieldIndex) }
        guard bytes.byteCount > 0 else { return nil }
        let inner = bytes.extracting(1..<bytes.byteCount)
        return fieldIndex == Self.mark ? inner : try FieldTable(inner).field(fieldIndex)
    }
}
