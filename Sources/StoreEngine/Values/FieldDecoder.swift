/// Decodes the fields of one record or embedded struct.
///
/// Macro-generated initializers call ``decode(_:as:)-gzso`` with the declared index of each field. If the stored bytes follow
/// another schema version, the decoder maps each declared index to the index of the stored field.
@safe
public struct FieldDecoder: ~Escapable {
    @usableFromInline let table: FieldTable
    /// For each declared field, the index of the stored field, or -1 if the stored version lacks it; nil if both have the same
    /// order.
    @usableFromInline let slots: [Int32]?
    /// Keeps the bytes of `table` alive if nothing else does.
    @usableFromInline let owner: [UInt8]?

    /// Creates a decoder for the fields in `table`.
    @inlinable
    @_lifetime(copy table)
    package init(_ table: FieldTable, slots: [Int32]? = nil, owner: [UInt8]? = nil) {
        self.table = table
        self.slots = slots
        self.owner = owner
    }

    /// Returns the stored index of a declared field; nil if the stored version lacks the field.
    @inlinable
    @inline(__always)
    func slot(_ index: Int) throws(CodecError) -> Int? {
        // Nearly all records have the newest version, with fields in the declared order.
        guard let slots else { return index }
        return try mappedSlot(index, slots)
    }

    @usableFromInline
    func mappedSlot(_ index: Int, _ slots: [Int32]) throws(CodecError) -> Int? {
        guard index < slots.count else { throw CodecError("there is no field \(index), only \(slots.count)") }
        return slots[index] < 0 ? nil : Int(slots[index])
    }

    /// Returns the bytes of the declared field `index`; nil if the record has a version without this field.
    @usableFromInline
    @_lifetime(copy self)
    func bytes(ofDeclared index: Int) throws(CodecError) -> RawSpan? {
        guard let slot = try slot(index) else { return nil }
        return try table.field(slot)
    }

    /// Returns whether the declared fields have the same bytes as the fields of a table.
    @usableFromInline
    func holds(_ tableBytes: RawSpan) throws(CodecError) -> Bool {
        let other = try FieldTable(tableBytes)
        for index in 0..<other.count {
            guard let own = try bytes(ofDeclared: index), try own.isEqual(to: other.field(index)) else { return false }
        }
        return true
    }

    /// Decodes the declared field `index`.
    ///
    /// - Throws: ``CodecError`` if the bytes do not encode a `V`, or if the record has a version without this field and `V` has
    ///   no ``FieldValue/absentValue``.
    @inlinable
    public func decode<V: FieldValue>(_ index: Int, as type: V.Type = V.self) throws(CodecError) -> V {
        if let slot = try slot(index) { return try decode(slot: slot, of: index) }
        guard let value = V.absentValue else {
            throw CodecError("the record has a version that lacks field \(index), which has no initial value")
        }
        return value
    }

    /// Decodes the declared field `index`, or returns `initial` if the record has a version without this field.
    @inlinable
    public func decode<V: FieldValue>(
        _ index: Int, as type: V.Type = V.self, or initial: @autoclosure () -> V
    ) throws(CodecError) -> V {
        if let slot = try slot(index) { return try decode(slot: slot, of: index) }
        return initial()
    }

    @inlinable
    @inline(__always)
    func decode<V: FieldValue>(slot: Int, of index: Int) throws(CodecError) -> V {
        let bytes = try table.field(slot)
        do {
            return try V(from: bytes)
        } catch {
            throw error.inField(index)
        }
    }

    /// Decodes field `index`, an enum that does not conform to ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable>(
        _ index: Int, as type: V.Type = V.self
    ) throws(CodecError) -> V where V.RawValue: FieldValue {
        try decode(rawValue: decode(index, as: V.RawValue.self), of: index)
    }

    /// Decodes field `index`, an enum that does not conform to ``FieldValue``, or returns `initial` if the stored version lacks
    /// the field.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable>(
        _ index: Int, as type: V.Type = V.self, or initial: @autoclosure () -> V
    ) throws(CodecError) -> V where V.RawValue: FieldValue {
        try decode(rawValue: decode(index, as: V.RawValue.self, or: initial().rawValue), of: index)
    }

    /// Decodes field `index`, an optional enum that does not conform to ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable>(
        _ index: Int, as type: V?.Type = V?.self
    ) throws(CodecError) -> V? where V.RawValue: FieldValue {
        let raw: V.RawValue? = try decode(index)
        guard let raw else { return nil }
        return try decode(rawValue: raw, of: index)
    }

    /// Decodes field `index`, an optional enum that does not conform to ``FieldValue``, or returns `initial` if the stored
    /// version lacks the field.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable>(
        _ index: Int, as type: V?.Type = V?.self, or initial: @autoclosure () -> V?
    ) throws(CodecError) -> V? where V.RawValue: FieldValue {
        let raw: V.RawValue? = try decode(index, or: initial()?.rawValue)
        guard let raw else { return nil }
        return try decode(rawValue: raw, of: index)
    }

    /// Decodes field `index`, a `Codable` enum that does not conform to ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, as type: V.Type = V.self
    ) throws(CodecError) -> V where V.RawValue: FieldValue {
        try decode(rawValue: decode(index, as: V.RawValue.self), of: index)
    }

    /// Decodes field `index`, a `Codable` enum that does not conform to ``FieldValue``, or returns `initial` if the stored
    /// version lacks the field.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, as type: V.Type = V.self, or initial: @autoclosure () -> V
    ) throws(CodecError) -> V where V.RawValue: FieldValue {
        try decode(rawValue: decode(index, as: V.RawValue.self, or: initial().rawValue), of: index)
    }

    /// Decodes field `index`, an optional `Codable` enum that does not conform to ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, as type: V?.Type = V?.self
    ) throws(CodecError) -> V? where V.RawValue: FieldValue {
        let raw: V.RawValue? = try decode(index)
        guard let raw else { return nil }
        return try decode(rawValue: raw, of: index)
    }

    /// Decodes field `index`, an optional `Codable` enum that does not conform to ``FieldValue``, or returns `initial` if the
    /// stored version lacks the field.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, as type: V?.Type = V?.self, or initial: @autoclosure () -> V?
    ) throws(CodecError) -> V? where V.RawValue: FieldValue {
        let raw: V.RawValue? = try decode(index, or: initial()?.rawValue)
        guard let raw else { return nil }
        return try decode(rawValue: raw, of: index)
    }

    /// Decodes field `index` from JSON, for a type that conforms only to `Codable`.
    @_disfavoredOverload
    public func decode<V: Codable & Sendable>(_ index: Int, as type: V.Type = V.self) throws(CodecError) -> V {
        let field: JSONField<V> = try decode(index)
        return field.value
    }

    /// Decodes field `index` from JSON, for a type that conforms only to `Codable`, or returns `initial` if the stored version
    /// lacks the field.
    @_disfavoredOverload
    public func decode<V: Codable & Sendable>(
        _ index: Int, as type: V.Type = V.self, or initial: @autoclosure () -> V
    ) throws(CodecError) -> V {
        if try slot(index) == nil { return initial() }
        return try decode(index)
    }

    @usableFromInline
    func decode<V: RawRepresentable>(rawValue: V.RawValue, of index: Int) throws(CodecError) -> V {
        guard let value = V(rawValue: rawValue) else {
            throw CodecError(rawValue, isNoRawValueOf: V.self).inField(index)
        }
        return value
    }
}
