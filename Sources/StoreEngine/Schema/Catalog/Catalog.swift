/// The record types of an open store and the Swift types bound to them, at one version of the catalog.
///
/// A catalog is immutable. A change creates a new catalog.
package final class Catalog: Sendable {
    /// The version of the catalog. It increases with every change, so that a writer detects a change by another process.
    package let version: UInt64
    /// The record types, in the order of their numbers.
    package let types: [OpenType]
    /// The references between the record types.
    let references: ReferenceGraph
    private let typeIndexesByName: [String: Int]
    private let bindings: [ObjectIdentifier: TypedBinding]
    private let typeIndexesByID: [UInt32: Int]
    /// The record types that migrations replaced, by number. The feed may hold change sets with their records.
    private let retired: [UInt32: RecordType]

    /// - Parameters:
    ///   - replaced: Swift types whose records other types replace, each with the number of its record type.
    ///   - retired: the record types that migrations replaced, so that errors can say so, and old change sets stay readable.
    package init(
        version: UInt64, types: [OpenType], records: [any Record.Type],
        replaced: [(record: any Record.Type, type: UInt32)] = [], retired: [RecordType] = []
    ) throws(StoreError) {
        self.version = version
        self.types = types
        references = try ReferenceGraph(types)
        // Two types share a name only while the newer one replaces the older one. The newer one is last.
        typeIndexesByName = Dictionary(types.enumerated().map { ($0.element.name, $0.offset) }) { _, last in last }
        typeIndexesByID = Dictionary(types.enumerated().map { ($0.element.type.id, $0.offset) }) { first, _ in first }
        self.retired = Dictionary(retired.map { ($0.id, $0) }) { first, _ in first }
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

    /// Returns the index in ``types`` of the type with this name; nil if there is none.
    package func typeIndex(named name: String) -> Int? { typeIndexesByName[name] }

    /// Returns the index in ``types`` of the type with this number; nil if there is none.
    package func typeIndex(ofID id: UInt32) -> Int? { typeIndexesByID[id] }

    /// The record types that migrations replaced.
    var retiredTypes: some Collection<RecordType> { retired.values }

    /// Returns the description of the type with this number, also of one that a migration replaced; nil if there is none.
    package func description(ofID id: UInt32) -> RecordType? {
        typeIndexesByID[id].map { types[$0].type } ?? retired[id]
    }

    /// Returns the index in ``types`` of the type with this name.
    ///
    /// - Throws: ``StoreError`` with the code `unknownType`, which names the nearest type.
    package func requireTypeIndex(named name: String) throws(StoreError) -> Int {
        if let typeIndex = typeIndexesByName[name] { return typeIndex }
        let nearest = NearestName.find(name, among: types.map(\.name))
        throw StoreError(
            .unknownType, "the store has no record type \(RecordText.name(name))",
            remedy: nearest.map { "did you mean \($0)?" }
                ?? (types.isEmpty ? "it has none yet" : "it has \(types.map(\.name).sorted().joined(separator: ", "))"))
    }

    /// Returns the binding of a Swift type.
    ///
    /// - Throws: ``StoreError`` with the code `unknownType` if the store was not opened with the type.
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
