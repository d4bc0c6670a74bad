/// One entry of an index, as bytes.
///
/// An index maps a value part (the order-preserving keys of the indexed fields) to a record key, in one of two forms:
///
/// ```
/// shared   key: value part, record key     data: byte 0, length of the record key (1 byte)
/// sole     key: value part                 data: byte 1, record key
/// ```
///
/// A unique index uses the sole form, so that LMDB itself refuses a second entry. There are two exceptions, which use the shared
/// form. An entry with a nil field is exempt from uniqueness. If the value part was truncated, two long values may share it, and
/// the store compares their records.
package enum IndexEntry {
    static let sharedForm: UInt8 = 0
    static let soleForm: UInt8 = 1

    /// The properties of a value part that ``appendValue(of:_:to:)`` appended.
    package struct ValueTraits {
        /// Whether one of the fields is nil.
        package var hasNone = false
        /// Whether the part was truncated.
        package var isTruncated = false
    }

    /// Appends the value part of an entry for the record with these fields.
    package static func appendValue(
        of table: FieldTable, _ index: OpenIndex, to writer: inout ByteWriter
    ) throws(CodecError) -> ValueTraits {
        let start = writer.count
        var traits = ValueTraits()
        for part in index.parts {
            let field = try table.field(part.fieldIndex)
            if case .optional = part.component, field.byteCount == 0 { traits.hasNone = true }
            try part.component.append(field, to: &writer)
        }
        traits.isTruncated = KeyLimit.truncateIndexValue(&writer, from: start, index.keyHash)
        return traits
    }

    /// Completes an entry from the value part in `key`: extends `key` and fills `data`.
    ///
    /// - Returns: whether the entry is in the sole form.
    package static func complete(
        isUnique: Bool, traits: ValueTraits, recordKey: RawSpan, key: inout ByteWriter, data: inout ByteWriter
    ) -> Bool {
        data.removeAll()
        if isUnique, !traits.hasNone, !traits.isTruncated {
            data.append(byte: soleForm)
            data.append(recordKey)
            return true
        }
        key.append(recordKey)
        data.append(byte: sharedForm)
        data.append(byte: UInt8(recordKey.byteCount))
        return false
    }

    /// Returns the record key in the data of an entry in the sole form; nil for the shared form.
    @_lifetime(copy data)
    package static func soleRecordKey(_ data: RawSpan) throws(CodecError) -> RawSpan? {
        guard try data.loadInteger(at: 0, as: UInt8.self) == soleForm, data.byteCount > 1 else { return nil }
        return data.extracting(1..<data.byteCount)
    }

    /// Returns the value part of an entry.
    @_lifetime(copy key)
    static func value(key: RawSpan, data: RawSpan) throws(CodecError) -> RawSpan {
        if try soleRecordKey(data) != nil { return key }
        return try key.extracting(0..<key.byteCount - recordKey(key: key, data: data).byteCount)
    }

    /// Returns the record key of an entry.
    @_lifetime(copy key, copy data)
    package static func recordKey(key: RawSpan, data: RawSpan) throws(CodecError) -> RawSpan {
        if let sole = try soleRecordKey(data) { return sole }
        switch try data.loadInteger(at: 0, as: UInt8.self) {
        case sharedForm where data.byteCount == 2:
            let length = Int(try data.loadInteger(at: 1, as: UInt8.self))
            guard length > 0, length < key.byteCount else {
                throw CodecError("an index entry names a record key of \(length) bytes in a key of \(key.byteCount)")
            }
            return key.extracting(key.byteCount - length..<key.byteCount)
        default: throw CodecError("an index entry has an unknown form")
        }
    }
}
