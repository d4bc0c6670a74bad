package import StoreEngine

extension Store {
    /// The record types that the store has, as this process last saw them.
    package var recordTypes: [RecordType] { core.state.catalog.types.map(\.type) }

    /// The place in the catalog of the type with this name.
    ///
    /// - Throws: ``StoreError`` with the code `unknownType`, naming the nearest one.
    package func typeIndex(named name: String) throws(StoreError) -> Int {
        try core.state.catalog.requireTypeIndex(named: name)
    }

    /// Adds record types that no Swift type of this program declares; one that the store has is made to fit, as opening the
    /// store does for Swift types. Blocks until it is committed and the new indexes are built.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when what differs takes a migration; as ``buildIndexes()``.
    package func addTypes(_ schemas: [RecordSchema]) throws {
        try requireWritable()
        let core = core
        try core.perform {
            try core.catalog.edit { editor in
                for schema in schemas { try editor.adapt(to: schema) }
            }
        }
        try core.buildIndexes(dropsUnbuildable: true)
    }
}
