package import StoreEngine

extension Store {
    /// Changes record types to match `schemas` exactly, in one transaction. Types that `schemas` does not name stay. Blocks until
    /// the transaction is committed. Other writes wait meanwhile, also for a trial.
    ///
    /// - Parameter isTrial: whether to do everything and then undo it.
    /// - Returns: the changes to each type. If some records do not fit the new schema, nothing was changed.
    /// - Throws: ``StoreError``: `schemaMismatch`, with the reasons, when no step can reach a declaration.
    package func migrate(to schemas: [RecordSchema], isTrial: Bool) throws -> [TypeMigration] {
        try requireWritable()
        let core = core
        return try core.perform {
            var migrations: [TypeMigration] = []
            do {
                try core.catalog.edit { editor in
                    for schema in schemas { migrations.append(try editor.migrate(to: schema, readsFeed: isTrial)) }
                    if migrations.contains(where: { $0.misfitCount > 0 }) { throw Undo() }
                    guard isTrial else { return }
                    // The catalog of a committed edit is checked later. This edit is undone, so its references are checked here.
                    try editor.requireReferences()
                    throw Undo()
                }
            } catch is Undo {}
            return migrations
        }
    }
}

/// Ends an edit of the catalog without its commit.
private struct Undo: Error {}
