import LMDB

/// Verifies that the records to which other records refer exist.
struct ReferenceVerifier {
    private let types: [String: OpenType]

    init(_ types: [OpenType]) {
        self.types = Dictionary(types.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Reports the references of a type that lead to an unknown record type, or to a type with another id.
    func checkTargets(of type: OpenType, _ report: VerifyReport) {
        for field in type.type.fields {
            guard let reference = field.type.reference else { continue }
            do {
                try ReferenceGraph.requireFit(field, of: type.name, reference, types[reference.target]?.type)
            } catch {
                report.add(.contradiction, at: .catalog(type: type.type.id), error.message)
            }
        }
    }

    /// Calls `body` for each reference of a record to a record that does not exist, with the name of the field and a description.
    func check(
        _ record: RecordBytes, of type: OpenType, _ snapshot: LMDBSnapshot,
        _ body: (_ field: String, _ problem: String) -> Void
    ) throws {
        for (fieldIndex, field) in type.type.fields.enumerated() {
            guard field.schema.deleteRule != .none, let reference = field.type.reference,
                let target = types[reference.target],
                let ids = try ReferencedIDs(record, of: type, fieldIndex)
            else { continue }
            for id in ids.all {
                let key = try ids.recordKey(of: id, target.keyHash)
                // A damaged target exists all the same. The walk over its type reports the damage.
                if unsafe try snapshot.get(target.database, key: key.span.bytes) != nil { continue }
                body(field.name, "it refers to the \(target.name) \(ids.text(of: id)), which does not exist")
            }
        }
    }
}

/// The ids that one field of a record refers to.
private struct ReferencedIDs {
    let all: [[UInt8]]
    private let type: FieldType
    private let component: KeyComponent

    init?(_ record: RecordBytes, of type: OpenType, _ fieldIndex: Int) throws(CodecError) {
        let field = type.type.fields[fieldIndex].type
        guard let component = KeyComponent(field.indexedType) else { return nil }
        self.component = component
        self.type = field.indexedType
        all = try type.withNewest(record) { (newest) throws(CodecError) in
            var bytes = try newest.table.field(fieldIndex)
            if field.isOptional {
                guard bytes.byteCount > 0 else { return [] }
                bytes = bytes.extracting(1..<bytes.byteCount)
            }
            guard field.elements != nil else { return [bytes.array()] }
            var ids: [[UInt8]] = []
            try FieldElements.forEach(in: bytes, of: field.indexedType) { id throws(CodecError) in
                ids.append(id.array())
                return true
            }
            return ids
        }
    }

    func recordKey(of id: [UInt8], _ hash: KeyHash) throws(CodecError) -> [UInt8] {
        var key = ByteWriter(capacity: 64)
        unsafe try component.append(id.span.bytes, to: &key)
        KeyLimit.truncateRecordKey(&key, hash)
        return key.array()
    }

    func text(of id: [UInt8]) -> String { (unsafe try? DynamicValue(from: id.span.bytes, as: type).text) ?? "?" }
}
