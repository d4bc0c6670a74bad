/// One step from a field to a property of the embedded struct in the field.
@usableFromInline
struct FieldStep: Hashable, Sendable {
    /// The property's field index in the struct.
    let fieldIndex: Int
    /// Whether the struct is optional. The bytes of its field are then a mark byte and the struct, or empty for nil.
    let isOptional: Bool

    /// The `fieldIndex` of a step that selects all bytes after the mark instead of a property.
    static let mark = -1

    /// Returns the bytes of the property; nil if a struct on the way is nil.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of the record's own field.
    ///   - way: the steps before this step.
    @_lifetime(copy bytes)
    func bytes(in bytes: RawSpan, behind way: [FieldStep]) throws(CodecError) -> RawSpan? {
        var bytes = bytes
        // Most properties belong to a struct in the record itself, so `way` is usually empty.
        if !way.isEmpty {
            for step in way {
                guard let inner = try step.bytes(in: bytes) else { return nil }
                bytes = inner
            }
        }
        return try self.bytes(in: bytes)
    }

    /// Returns the bytes of the property, from the bytes of the field that holds the struct; nil if the struct is nil.
    @_lifetime(copy bytes)
    func bytes(in bytes: RawSpan) throws(CodecError) -> RawSpan? {
        guard isOptional else { return try FieldTable(bytes).field(fieldIndex) }
        guard bytes.byteCount > 0 else { return nil }
        let inner = bytes.extracting(1..<bytes.byteCount)
        return fieldIndex == Self.mark ? inner : try FieldTable(inner).field(fieldIndex)
    }
}
