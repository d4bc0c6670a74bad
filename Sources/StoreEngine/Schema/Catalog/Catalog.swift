/// The record types of an open store, and the Swift types tied to them, at one version of the catalog.
///
/// Immutable: a change of the catalog makes a new one.
package final class Catalog: Sendable {
    /// The version: goes up with every change, so that a writer sees whether another process changed it.
    package let version: UInt64
    /// The types, by number.
    package let types: [OpenType]
    /// Which of them refer to which.
    let references: ReferenceGraph
    private let typeIndexesByName: [String: Int]
    private let bindings: [ObjectIdentifier: TypedBinding]
    private let typeIndexesByID: [UInt32: Int]

    /// - Parameters:
    ///   - replaced: Swift types whose records others take the place of, each with the number of its record type.
    ///   - retired: the record types that migrations replaced with others, for errors to say so.
    package init(
        version: UInt64, types: [OpenType], records: [any Record.Type],
        replaced: [(record: any Record.Type, type: UInt32)] = [], retired: [RecordType] = []
    ) throws(StoreError) {
        self.version = version
        self.types = types
        references = try ReferenceGraph(types)
        // Of two types with one name the newer is taking the place of the older.
        typeIndexesByName = Dictionary(types.enumerated().map { ($0.element.name, $0.offset) }) { _, last in last }
        typeIndexesByID = Dictionary(types.enumerated().map { ($0.element.type.id, $0.offset) }) { first, _ in first }
        var bindings: [ObjectIdentifier: TypedBinding] = [:]
        for record in records {
            let schema = record.recordSchema
            guard let typeIndex = typeIndexesByName[schema.name] else {
                throw SchemaMismatch.removed(schema, retired: retired)
                    ?? StoreError(
                        .unknownType, "the store has no record type \(schema.name)",
                        remedy: "open it for writing once, which adds the type")
            }
            bindings[ObjectIdentifier(record)] = try TypedBinding(
                schema, type: types[typeIndex], typeIndex: typeIndex, retired: retired)
        }
        for (record, id) in replaced {
            guard let typeIndex = typeIndexesByID[id] else { continue }
            bindings[ObjectIdentifier(record)] = try TypedBinding(
                record.recordSchema, type: types[typeIndex], typeIndex: typeIndex)
        }
        self.bindings = bindings
    }

    /// The place among ``types`` of the type with this name.
    package func typeIndex(named name: String) -> Int? { typeIndexesByName[name] }

    /// The place among ``types`` of the type with this number.
    package func typeIndex(ofID id: UInt32) -> Int? { typeIndexesByID[id] }

    /// The place among ``types`` of the type with this name.
    ///
    /// - Throws: ``StoreError`` with the code `unknownType`, naming the nearest one.
    package func requireTypeIndex(named name: String) throws(StoreError) -> Int {
        if let typeIndex = typeIndexesByName[name] { return typeIndex }
        let nearest = NearestName.find(name, among: types.map(\.name))
        throw StoreError(
            .unknownType, "the store has no record type \(name)",
            remedy: nearest.map { "did you mean \($0)?" }
                ?? (types.isEmpty ? "it has none yet" : "it has \(types.map(\.name).sorted().joined(separator: ", "))"))
    }

    /// The tie of a Swift type.
    ///
    /// - Throws: ``StoreError`` with the code `unknownType` when the store was not opened with it.
    package func binding<R: Record>(_ record: R.Type) throws(StoreError) -> TypedBinding {
        if let binding = bindings[ObjectIdentifier(record)] { return binding }
        throw Catalog.notOpened(R.recordSchema.name)
    }

    private static func notOpened(_ name: String) -> StoreError {
        StoreError(
            .unknownType, "the store was opened without the record type \(name)",
            remedy: "name it in Store(at:records:)")
    }
}
