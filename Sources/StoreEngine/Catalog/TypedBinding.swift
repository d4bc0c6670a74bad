/// The tie between a Swift record type and the type in a store's catalog.
@usableFromInline
package final class TypedBinding: Sendable {
    /// The catalog's side.
    package let type: OpenType
    /// The place of `type` among the catalog's types.
    package let typeIndex: Int
    /// For each stored field the declared one, nil when both have the same order.
    package let declaredByPlace: [Int]?
    /// Whether an insert may change the record: by an assigned id or a filled-in default.
    package let hasGeneratedFields: Bool
    /// The unique index on each declared field alone, where it has one.
    private let uniqueIndexes: [OpenIndex?]
    private let placesByDeclared: [Int32]?
    private let placesByVersion: [UInt32: [Int32]]

    /// Ties `declared` to the type of the same name.
    ///
    /// - Throws: ``StoreError`` with the code `schemaMismatch`, listing the differences, when they do not agree.
    package init(_ declared: RecordSchema, type: OpenType, typeIndex: Int) throws(StoreError) {
        let stored = type.type.schema
        let differences = declared.differences(from: stored)
        guard differences.isEmpty else {
            throw StoreError(
                .schemaMismatch,
                "the store's schema of \(declared.name) differs: \(differences.joined(separator: "; "))",
                remedy: "open the store with the schema that it was made with")
        }
        self.type = type
        self.typeIndex = typeIndex
        hasGeneratedFields = type.assignedPlace != nil || !type.tokens.isEmpty
        let places = declared.fields.map { field in type.type.place(ofFieldNamed: field.name) ?? 0 }
        if places == Array(places.indices) {
            placesByDeclared = nil
            declaredByPlace = nil
        } else {
            placesByDeclared = places.map { Int32($0) }
            var inverse = Array(repeating: 0, count: places.count)
            for (declaredIndex, place) in places.enumerated() { inverse[place] = declaredIndex }
            declaredByPlace = inverse
        }
        uniqueIndexes = places.map { place in
            type.indexes.first { $0.stored.isUnique && $0.parts.count == 1 && $0.parts[0].place == place }
        }
        var byVersion: [UInt32: [Int32]] = [:]
        for earlier in type.type.earlierVersions {
            guard let earlierPlaces = try? type.places(inVersion: earlier.version) else { continue }
            byVersion[earlier.version] = places.map { earlierPlaces[$0] }
        }
        placesByVersion = byVersion
    }

    /// For each declared field its place in records of `version`; nil when they agree.
    package func places(inVersion version: UInt32) throws(CodecError) -> [Int32]? {
        if version == type.type.version { return placesByDeclared }
        guard let places = placesByVersion[version] else {
            throw CodecError("the record follows version \(version) of \(type.name), which the catalog does not know")
        }
        return places
    }

    /// The unique index on a declared field alone.
    func uniqueIndex(onDeclared index: Int) -> OpenIndex? {
        uniqueIndexes.indices.contains(index) ? uniqueIndexes[index] : nil
    }
}
