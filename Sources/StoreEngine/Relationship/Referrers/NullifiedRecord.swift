/// A stored record without its references to a record that goes away.
enum NullifiedRecord {
    /// Encodes all fields of `old`, which has the form of the newest version, one of them without what it refers to.
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

    /// Appends a field with the references to other records only: none, where it is a single one.
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
