/// A field of another record that a projection names.
@usableFromInline
struct FollowedField: Sendable {
    let name: FieldName
    /// Whether the projection accepts nil for the field.
    let mayBeNone: Bool
}

/// The paths to the fields of other records that a projection names.
@usableFromInline
struct FollowedPaths {
    private let paths: [(field: FollowedField, path: ReferencePath)]

    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where a path goes through too many references.
    init<R, Output>(
        _ projection: Projection<R, Output>, _ type: OpenType, in catalog: Catalog
    ) throws(StoreError) {
        try self.init(projection.followed, type, in: catalog)
    }

    /// - Throws: ``StoreError``: `unknownField`; `invalidValue` where a path goes through too many references.
    init(_ fields: [FollowedField], _ type: OpenType, in catalog: Catalog) throws(StoreError) {
        paths = try fields.map { field throws(StoreError) in
            guard let path = try ReferencePath(field.name, from: type, in: catalog) else {
                throw StoreError(.unknownField, "\(type.name).\(field.name) does not go through a reference")
            }
            return (field, path)
        }
    }

    /// Returns the fields at the ends of the paths. Each is encoded as an optional of the other record's own field, which is none
    /// where there is no record.
    ///
    /// - Throws: ``StoreError`` with the code `referenceBroken` where a field that may not be nil has no record; `CodecError`.
    func values(_ table: FieldTable, _ scope: ReadContext, of type: OpenType) throws -> [[UInt8]] {
        try paths.map { field, path in
            var writer = ByteWriter(capacity: 64)
            let isThere = try path.follow(table, scope) { end in
                writer.append(byte: 1)
                writer.append(try end.field(path.access.fieldIndex))
            }
            if !isThere, !field.mayBeNone { throw Self.broken(field, type) }
            return writer.array()
        }
    }

    private static func broken(_ field: FollowedField, _ type: OpenType) -> StoreError {
        StoreError(
            .referenceBroken,
            "\(type.name).\(field.name) is not optional, but a reference on its path leads to a missing record",
            remedy: "exclude such records by a condition on \(field.name), or make the reference optional")
    }
}

extension FetchCursor {
    /// Returns the fields that a projection reads from the records that the cursor's current record refers to.
    @usableFromInline
    func followed(_ paths: FollowedPaths) throws(StoreError) -> [[UInt8]] {
        do {
            return try paths.values(RecordBytes(unverified: record).table, scope, of: type)
        } catch {
            throw failed(error)
        }
    }
}
