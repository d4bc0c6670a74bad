/// The tie between a Swift record type and the type in a store's catalog.
@usableFromInline
package final class TypedBinding: Sendable {
    /// The catalog's side.
    package let type: OpenType
    /// The place of `type` among the catalog's types.
    package let typeIndex: Int
    /// For each stored field the declared one, -1 where none is; nil when both are the same in the same order.
    package let declaredByPlace: [Int]?
    /// For each declared field the stored one; nil when both are the same in the same order.
    package let placesByDeclared: [Int32]?
    /// What is stored and not declared: an update keeps it.
    package let undeclared: UndeclaredParts
    /// What an insert puts in them, by place.
    package let insertedBytes: [[UInt8]]
    /// Whether an insert may change the record: by an assigned id or a filled-in default.
    package let hasGeneratedFields: Bool
    /// The unique index on each declared field alone, where it has one.
    private let uniqueIndexes: [OpenIndex?]

    /// Ties `declared` to the type of the same name.
    ///
    /// - Parameter retired: the record types that migrations replaced with others.
    /// - Throws: ``StoreError`` with the code `schemaMismatch`, listing the differences, when a program that declares this
    ///   cannot work with the type.
    package init(
        _ declared: RecordSchema, type: OpenType, typeIndex: Int, retired: [RecordType] = []
    ) throws(StoreError) {
        let fit = SchemaFit(declared, on: type.type)
        // Without an index that is not unique all is the same, only slower.
        guard fit.servesFields, !fit.missingIndexes.contains(where: \.isUnique) else {
            throw SchemaMismatch.error(declared, type.type, retired: retired)
        }
        self.type = type
        self.typeIndex = typeIndex
        hasGeneratedFields = type.assignedPlace != nil || !type.tokens.isEmpty
        let places = fit.places.compactMap { $0 }
        undeclared = UndeclaredParts(fit, of: type.type)
        if places == Array(type.type.fields.indices) {
            placesByDeclared = nil
            declaredByPlace = nil
            insertedBytes = []
        } else {
            placesByDeclared = places.map { Int32($0) }
            var inverse = Array(repeating: -1, count: type.type.fields.count)
            for (declaredIndex, place) in places.enumerated() { inverse[place] = declaredIndex }
            declaredByPlace = inverse
            insertedBytes = type.type.fields.map { $0.schema.insertedBytes ?? [] }
        }
        uniqueIndexes = places.map { place in
            type.indexes.first {
                $0.stored.isUnique && !$0.stored.isBuilding && $0.parts.count == 1 && $0.parts[0].place == place
            }
        }
    }

    /// The unique index on a declared field alone.
    func uniqueIndex(onDeclared index: Int) -> OpenIndex? {
        uniqueIndexes.indices.contains(index) ? uniqueIndexes[index] : nil
    }

    /// How many fields are declared.
    var declaredCount: Int { placesByDeclared?.count ?? type.type.fields.count }

    /// The declared fields whose stored ones are among some places.
    package func declaredPlaces(of stored: PlaceSet) -> PlaceSet {
        if placesByDeclared == nil, stored != .all { return stored }
        return declaredPlaces { stored.contains($0) }
    }

    /// The places among the declared fields of those whose stored places are wanted.
    func declaredPlaces(_ isWanted: (Int) -> Bool) -> PlaceSet {
        var places = PlaceSet()
        for declared in 0..<declaredCount {
            let place = placesByDeclared.map { Int($0[declared]) } ?? declared
            if type.type.fields.indices.contains(place), isWanted(place) { places.insert(declared) }
        }
        return places
    }
}
