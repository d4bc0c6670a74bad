/// The encoding of a stored record without its references to a deleted record.
enum NullifiedRecord {
    /// Encodes all fields of `old`, one of them without its references to `target`. `old` has the form of the newest version.
    static func encode(
        _ old: borrowing ByteWriter, without target: ReferenceTarget, in reference: OpenReference,
        to encoder: inout FieldEncoder
    ) throws(CodecError) {
        let table = try RecordBytes(old.bytes).table
        encoder.begin(fieldCount: table.count)
        for fieldIndex in 0..<table.count {
            guard fieldIndex == reference.fieldIndex else {
                encoder.append(encoded: try table.field(fieldIndex))
                continue
            }
            var rest = ByteWriter()
            try appendOthers(table.field(fieldIndex), target, reference, to: &rest)
            encoder.append(encoded: rest.bytes)
        }
        try encoder.finish()
    }

    /// Appends a field with its references to records other than `target`. A field with a single reference becomes none.
    private static func appendOthers(
        _ field: RawSpan, _ target: ReferenceTarget, _ reference: OpenReference, to writer: inout ByteWriter
    ) throws(CodecError) {
        guard reference.isMultiple else { return }
        if reference.isOptional { writer.append(byte: 1) }
        var key = ByteWriter(capacity: 64)
        try reference.forEachID(in: field) { id throws(CodecError) in
            key.removeAll()
            try reference.component.append(id, to: &key)
            if unsafe key.bytes.isEqual(to: target.idKey.span.bytes) { return true }
            if reference.type.fixedByteCount == nil {
                writer.append(lengthPrefixed: id)
            } else {
                writer.append(id)
            }
            return true
        }
    }
}
