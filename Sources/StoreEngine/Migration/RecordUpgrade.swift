/// How records that follow an earlier version of their type's schema are read as records of the newest one.
///
/// A change of the schema edits only the catalog. A record keeps its bytes until it is written again; whoever reads it
/// until then gets it in the newest form.
package struct RecordUpgrade: Sendable {
    /// Where a field of the newest version comes from.
    private enum Source {
        /// A field of the earlier version, as it is.
        case field(Int)
        /// A field of the earlier version that had another type.
        case converted(Int, FieldConversion)
        /// A field that the earlier version did not have.
        case constant([UInt8])
    }

    private let sources: [Source]
    private let names: [String]
    private let version: UInt32

    /// The upgrade from an earlier version to the newest; nil where their records have one form.
    init?(from earlier: EarlierVersion, to type: RecordType) {
        sources = type.fields.map { field in
            guard let place = earlier.fields.firstIndex(where: { $0.id == field.id }) else {
                return .constant(field.missing ?? [])
            }
            let conversion = FieldConversion.between(earlier.fields[place].type, field.type)
            // One that the catalog has always has a conversion: `SchemaEvolution` makes no other.
            return conversion.map { $0 == .none ? .field(place) : .converted(place, $0) } ?? .field(place)
        }
        names = type.fields.map(\.name)
        version = type.version
        let isSame =
            earlier.fields.count == sources.count
            && sources.enumerated().allSatisfy { if case .field($0.offset) = $0.element { true } else { false } }
        if isSame { return nil }
    }

    /// The whole record in the newest form, with the incarnation that it has and a checksum of its own.
    ///
    /// - Throws: ``CodecError`` naming the field that cannot be read.
    func apply(to record: RecordBytes) throws(CodecError) -> [UInt8] {
        let table = try record.table
        var encoder = FieldEncoder.forRecords()
        encoder.begin(fieldCount: sources.count)
        var converted = ByteWriter(capacity: 64)
        for (place, source) in sources.enumerated() {
            switch source {
            case .field(let earlier): encoder.append(encoded: try table.field(earlier))
            case .constant(let bytes): unsafe encoder.append(encoded: bytes.span.bytes)
            case .converted(let earlier, let conversion):
                converted.removeAll()
                do {
                    try conversion.append(table.field(earlier), to: &converted)
                } catch {
                    throw CodecError("\(names[place]): \(error.reason)")
                }
                encoder.append(encoded: converted.bytes)
            }
        }
        try encoder.finish()
        encoder.seal(schemaVersion: version, incarnation: record.incarnation)
        return encoder.bytes.array()
    }

    /// Why a record cannot be upgraded; nil when it can.
    func misfit(_ record: RecordBytes) -> String? {
        do {
            _ = try apply(to: record)
            return nil
        } catch {
            return error.reason
        }
    }
}
