/// Converts records of an earlier version of their type's schema to records of the newest version.
///
/// A change of the schema edits only the catalog. A record keeps its bytes until a transaction writes it again. Until then, each
/// read converts it to the newest form.
package struct RecordUpgrade: Sendable {
    /// The source of a field in the newest version.
    private enum Source {
        /// A field of the earlier version, without a change.
        case field(Int)
        /// A field of the earlier version whose type has changed. The conversions lead through each of its later types.
        case converted(Int, [FieldConversion])
        /// The value of a field that the earlier version did not have.
        case constant([UInt8])
    }

    private let sources: [Source]
    private let names: [String]
    private let version: UInt32

    /// Creates the upgrade from an earlier version to the newest; nil if their records have the same form.
    init?(from earlier: EarlierVersion, to type: RecordType) {
        sources = type.fields.map { field in
            guard let fieldIndex = earlier.fields.firstIndex(where: { $0.id == field.id }) else {
                return .constant(field.missing ?? [])
            }
            let conversions = RecordUpgrade.conversions(of: field, from: earlier, to: type)
            return conversions.isEmpty ? .field(fieldIndex) : .converted(fieldIndex, conversions)
        }
        names = type.fields.map(\.name)
        version = type.version
        let isSame =
            earlier.fields.count == sources.count
            && sources.enumerated().allSatisfy { if case .field($0.offset) = $0.element { true } else { false } }
        if isSame { return nil }
    }

    // The conversions go version by version, as if each version had written the record again. If one version dropped a field of
    // an embedded struct, a later field with the same name is a different field.
    private static func conversions(
        of field: StoredField, from earlier: EarlierVersion, to type: RecordType
    ) -> [FieldConversion] {
        let later = type.earlierVersions.filter { $0.version > earlier.version }.map(\.fields) + [type.fields]
        let types = ([earlier.fields] + later).compactMap { fields in fields.first { $0.id == field.id }?.type }
        return zip(types, types.dropFirst()).compactMap { old, new in
            // Every type change in the catalog has a conversion, because `SchemaEvolution` makes no other changes.
            FieldConversion.between(old, new).flatMap { $0 == .none ? nil : $0 }
        }
    }

    /// Returns the whole record in the newest form, with its own incarnation and a new checksum.
    ///
    /// - Throws: ``CodecError`` that names the field that cannot be read.
    func apply(to record: RecordBytes) throws(CodecError) -> [UInt8] {
        let table = try record.table
        var encoder = FieldEncoder.forRecords()
        encoder.begin(fieldCount: sources.count)
        for (fieldIndex, source) in sources.enumerated() {
            switch source {
            case .field(let earlier): encoder.append(encoded: try table.field(earlier))
            case .constant(let bytes): unsafe encoder.append(encoded: bytes.span.bytes)
            case .converted(let earlier, let conversions):
                do {
                    let converted = try RecordUpgrade.convert(table.field(earlier), by: conversions)
                    encoder.append(encoded: converted.bytes)
                } catch {
                    throw CodecError("\(names[fieldIndex]): \(error.reason)")
                }
            }
        }
        try encoder.finish()
        encoder.seal(schemaVersion: version, incarnation: record.incarnation)
        return encoder.bytes.array()
    }

    private static func convert(_ field: RawSpan, by conversions: [FieldConversion]) throws(CodecError) -> ByteWriter {
        var converted = ByteWriter(capacity: 64)
        try conversions[0].append(field, to: &converted)
        for conversion in conversions.dropFirst() {
            var next = ByteWriter(capacity: 64)
            try conversion.append(converted.bytes, to: &next)
            converted = next
        }
        return converted
    }

    /// Returns the reason why a record cannot be upgraded; nil if it can.
    func misfit(_ record: RecordBytes) -> String? {
        do {
            _ = try apply(to: record)
            return nil
        } catch {
            return error.reason
        }
    }
}
