import LMDB

/// The fields of a record, checked and encoded. An import spools them after reading and before the transaction that stores them,
/// so that it validates all records before it writes any.
///
/// The form: for each of the type's newest fields, in order, a varint length and the encoded value.
package enum EncodedFields {
    /// Appends the fields of a record.
    ///
    /// - Throws: ``CodecError`` that names the field whose value does not match its type.
    package static func append(
        _ values: [DynamicValue], of type: RecordType, to writer: inout ByteWriter
    ) throws(CodecError) {
        for (value, field) in zip(values, type.fields) {
            var bytes = ByteWriter()
            do {
                try value.encode(as: field.type, to: &bytes)
            } catch {
                throw CodecError("\(field.name): \(error.reason)")
            }
            writer.append(lengthPrefixed: bytes.bytes)
        }
    }
}

extension WriteTransaction {
    /// Stores a record from its ``EncodedFields``.
    ///
    /// - Parameters:
    ///   - held: gets the record if another record holds one of its unique values.
    ///   - tag: the caller's name of the record.
    /// - Throws: ``StoreError``: `invalidValue` when the bytes are not the fields of this type; otherwise as `put` of a dynamic
    ///   record.
    package mutating func put(
        encodedFields bytes: RawSpan, typeIndex: Int, mode: WriteMode, holdingBack held: inout HeldBackRecords, tag: Int
    ) throws(StoreError) {
        let type = state.catalog.types[typeIndex]
        do throws(CodecError) {
            var reader = ByteReader(bytes)
            encoder.begin(fieldCount: type.type.fields.count)
            for _ in type.type.fields { encoder.append(encoded: try reader.readLengthPrefixed()) }
            guard reader.isAtEnd else { throw CodecError("there are \(reader.remaining) bytes too many") }
            try encoder.finish()
        } catch {
            throw StoreError(.invalidValue, "a record of \(type.name): \(error.reason)", cause: error)
        }
        try put(typeIndex, mode: mode, holdingBack: &held, tag: tag)
    }

    /// Returns a description of a reference in these ``EncodedFields`` that leads to no record; nil where all referenced records
    /// exist.
    package borrowing func brokenReference(encodedFields bytes: RawSpan, typeIndex: Int) throws -> String? {
        let type = state.catalog.types[typeIndex]
        let referrers = Referrers(raw.snapshot, state.catalog)
        var reader = ByteReader(bytes)
        for fieldIndex in type.type.fields.indices {
            let field = try reader.readLengthPrefixed()
            for reference in state.catalog.references.outgoing[typeIndex]
            where reference.isChecked && reference.fieldIndex == fieldIndex {
                var ids: [DynamicValue] = []
                try reference.forEachID(in: field) { id throws(CodecError) in
                    ids.append(try DynamicValue(from: id, as: reference.type))
                    return true
                }
                var keys: [[UInt8]] = []
                try reference.forEachKey(in: field) { keys.append($0) }
                for (id, key) in zip(ids, keys)
                where try !referrers.exists(ReferenceTarget(type: reference.target, idKey: key)) {
                    let target = state.catalog.types[reference.target].name
                    return
                        "\(type.type.fields[fieldIndex].name) refers to the \(target) \(id.text), which does not exist"
                }
            }
        }
        return nil
    }
}
