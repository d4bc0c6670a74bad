package import StoreEngine

extension Store {
    /// Makes record types just what `schemas` declare, in one transaction; types that it does not name stay. Blocks until it
    /// is committed. Other writes wait meanwhile, also for a trial.
    ///
    /// - Parameter isTrial: whether to do everything and undo it.
    /// - Returns: what is done to each type. Where records do not fit, nothing was done.
    /// - Throws: ``StoreError``: `schemaMismatch` when a declaration cannot be reached by any step, with the reasons.
    package func migrate(to schemas: [RecordSchema], isTrial: Bool) throws -> [TypeMigration] {
        try requireWritable()
        let core = core
        return try core.perform {
            var migrations: [TypeMigration] = []
            do {
                try core.catalog.edit { editor in
                    for schema in schemas { migrations.append(try editor.migrate(to: schema)) }
                    if migrations.contains(where: { $0.misfitCount > 0 }) { throw Undo() }
                    guard isTrial else { return }
                    // Of an edit that is not undone the catalog that comes of it is checked.
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
