/// Decodes the fields of one record or embedded struct.
///
/// Macro-generated initializers call ``decode(_:)-(Int)`` with the index of each field as declared. Where the stored bytes
/// follow another schema version, `slots` says which stored field a declared one is.
@safe
public struct FieldDecoder: ~Escapable {
    @usableFromInline let table: FieldTable
    /// The stored field for each declared one, -1 where the stored version has none; nil when they agree.
    @usableFromInline let slots: [Int32]?
    /// Keeps the bytes that `table` lies in, where nobody else does.
    @usableFromInline let owner: [UInt8]?

    /// A decoder for the fields in `table`.
    @inlinable
    @_lifetime(copy table)
    package init(_ table: FieldTable, slots: [Int32]? = nil, owner: [UInt8]? = nil) {
        self.table = table
        self.slots = slots
        self.owner = owner
    }

    /// The stored place of a declared field, nil when the stored version does not have it.
    @inlinable
    @inline(__always)
    func slot(_ index: Int) throws(CodecError) -> Int? {
        // Nearly all records are of the newest version, with fields in the declared order.
        guard let slots else { return index }
        return try mappedSlot(index, slots)
    }

    @usableFromInline
    func mappedSlot(_ index: Int, _ slots: [Int32]) throws(CodecError) -> Int? {
        guard index < slots.count else { throw CodecError("there is no field \(index), only \(slots.count)") }
        return slots[index] < 0 ? nil : Int(slots[index])
    }

    /// The bytes of field `index` as declared, nil when the record is of a version without this field.
    @usableFromInline
    @_lifetime(copy self)
    func bytes(ofDeclared index: Int) throws(CodecError) -> RawSpan? {
        guard let slot = try slot(index) else { return nil }
        return try table.field(slot)
    }

    /// Whether the declared fields are just those of a table, byte by byte.
    @usableFromInline
    func holds(_ tableBytes: RawSpan) throws(CodecError) -> Bool {
        let other = try FieldTable(tableBytes)
        for index in 0..<other.count {
            guard let own = try bytes(ofDeclared: index), try own.isEqual(to: other.field(index)) else { return false }
        }
        return true
    }

    /// Field `index` as declared.
    ///
    /// - Throws: ``CodecError`` when its bytes are no `V`, or the record is of a version without this field.
    @inlinable
    public func decode<V: FieldValue>(_ index: Int, as type: V.Type = V.self) throws(CodecError) -> V {
        if let slot = try slot(index) { return try V(from: table.field(slot)) }
        guard let value = V.absentValue else {
            throw CodecError("the record is of a version that lacks field \(index), which has no initial value")
        }
        return value
    }

    /// Field `index` as declared, or `initial` when the record is of a version without this field.
    @inlinable
    public func decode<V: FieldValue>(
        _ index: Int, as type: V.Type = V.self, or initial: @autoclosure () -> V
    ) throws(CodecError) -> V {
        if let slot = try slot(index) { return try V(from: table.field(slot)) }
        return initial()
    }

    /// Field `index`, an enum that does not name ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable>(
        _ index: Int, as type: V.Type = V.self
    ) throws(CodecError) -> V where V.RawValue: FieldValue {
        try decode(rawValue: decode(index, as: V.RawValue.self), as: V.self)
    }

    /// Field `index`, an enum that does not name ``FieldValue``, or `initial` when the stored version lacks it.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable>(
        _ index: Int, as type: V.Type = V.self, or initial: @autoclosure () -> V
    ) throws(CodecError) -> V where V.RawValue: FieldValue {
        try decode(rawValue: decode(index, as: V.RawValue.self, or: initial().rawValue), as: V.self)
    }

    /// Field `index`, an optional enum that does not name ``FieldValue``.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable>(
        _ index: Int, as type: V?.Type = V?.self
    ) throws(CodecError) -> V? where V.RawValue: FieldValue {
        let raw: V.RawValue? = try decode(index)
        guard let raw else { return nil }
        return try decode(rawValue: raw, as: V.self)
    }

    /// Field `index`, an optional enum that does not name ``FieldValue``, or `initial` when the version lacks it.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable>(
        _ index: Int, as type: V?.Type = V?.self, or initial: @autoclosure () -> V?
    ) throws(CodecError) -> V? where V.RawValue: FieldValue {
        let raw: V.RawValue? = try decode(index, or: initial()?.rawValue)
        guard let raw else { return nil }
        return try decode(rawValue: raw, as: V.self)
    }

    /// Field `index`, an enum that does not name ``FieldValue`` but is Codable.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, as type: V.Type = V.self
    ) throws(CodecError) -> V where V.RawValue: FieldValue {
        try decode(rawValue: decode(index, as: V.RawValue.self), as: V.self)
    }

    /// Field `index`, an enum that does not name ``FieldValue`` but is Codable, or `initial` when the stored version lacks it.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, as type: V.Type = V.self, or initial: @autoclosure () -> V
    ) throws(CodecError) -> V where V.RawValue: FieldValue {
        try decode(rawValue: decode(index, as: V.RawValue.self, or: initial().rawValue), as: V.self)
    }

    /// Field `index`, an optional enum that does not name ``FieldValue`` but is Codable.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, as type: V?.Type = V?.self
    ) throws(CodecError) -> V? where V.RawValue: FieldValue {
        let raw: V.RawValue? = try decode(index)
        guard let raw else { return nil }
        return try decode(rawValue: raw, as: V.self)
    }

    /// Field `index`, an optional enum that does not name ``FieldValue`` but is Codable, or `initial` when the version lacks it.
    @inlinable
    @_disfavoredOverload
    public func decode<V: RawRepresentable & Codable & Sendable>(
        _ index: Int, as type: V?.Type = V?.self, or initial: @autoclosure () -> V?
    ) throws(CodecError) -> V? where V.RawValue: FieldValue {
        let raw: V.RawValue? = try decode(index, or: initial()?.rawValue)
        guard let raw else { return nil }
        return try decode(rawValue: raw, as: V.self)
    }

    /// Field `index`, a value that is only `Codable`, from JSON.
    @_disfavoredOverload
    public func decode<V: Codable & Sendable>(_ index: Int, as type: V.Type = V.self) throws(CodecError) -> V {
        let field: JSONField<V> = try decode(index)
        return field.value
    }

    /// Field `index`, a value that is only `Codable`, or `initial` when the stored version lacks it.
    @_disfavoredOverload
    public func decode<V: Codable & Sendable>(
        _ index: Int, as type: V.Type = V.self, or initial: @autoclosure () -> V
    ) throws(CodecError) -> V {
        if try slot(index) == nil { return initial() }
        return try decode(index)
    }

    @usableFromInline
    func decode<V: RawRepresentable>(rawValue: V.RawValue, as type: V.Type) throws(CodecError) -> V {
        guard let value = V(rawValue: rawValue) else {
            throw CodecError("\(V.self) has no case with the raw value \(rawValue)")
        }
        return value
    }
}
