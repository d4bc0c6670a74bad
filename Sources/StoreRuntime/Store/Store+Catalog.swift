package import StoreEngine

extension Store {
    /// The record types of the store, as this process last saw them.
    package var recordTypes: [RecordType] { core.state.catalog.types.map(\.type) }

    /// Returns the index in the catalog of the type with this name.
    ///
    /// - Throws: ``StoreError`` with the code `unknownType`, which names the most similar type.
    package func typeIndex(named name: String) throws(StoreError) -> Int {
        try core.state.catalog.requireTypeIndex(named: name)
    }

    /// Adds record types that no Swift type of this program declares. Adapts a type that the store already has, as opening the
    /// store does for Swift types. Blocks until the change is committed and the new indexes are built.
    ///
    /// - Throws: ``StoreError``: `schemaMismatch` when a difference needs a migration; otherwise as ``buildIndexes()``.
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
