public import StoreEngine

/// One step to a version of a ``MigrationPlan``.
public struct MigrationStep: Sendable {
    /// The Swift type whose records the step replaces, and the type of the new records; nil for a step that replaces none.
    let replacement: (old: any Record.Type, new: any Record.Type)?
    let run: @Sendable (inout WriteTransaction) throws -> Void

    /// Makes a new record from each old one, and removes the old records.
    ///
    /// The two types may have the same name in the store, and different ids. If the store never had the old type, for example
    /// because the store is older than the type, there are no records to transform. Later steps can read the old records but must
    /// not write any: such writes would be lost.
    ///
    /// In the feed, the old type ends and the new records are inserted, in one change set for the version. That change set must
    /// fit the limit for the change set of one write.
    ///
    /// - Parameters:
    ///   - old: the Swift type as the program declared it before, with its name in the store: `@Record("Person")`.
    ///   - new: the Swift type that replaces it.
    ///   - body: makes a new record from an old one, in the order of the old ids. It returns nil to leave the record out. If it
    ///     throws, the migration ends and the store stays as it was.
    public static func transform<Old: Record, New: Record>(
        _ old: Old.Type, to new: New.Type, _ body: @escaping @Sendable (Old) throws -> New?
    ) -> MigrationStep {
        MigrationStep(replacement: (old, new)) { transaction in
            try transaction.transform(old, to: new, body)
        }
    }

    /// Changes any records of the new version, after the transform steps before it.
    public static func change(_ body: @escaping @Sendable (inout WriteTransaction) throws -> Void) -> MigrationStep {
        MigrationStep(replacement: nil, run: body)
    }

    private init(
        replacement: (old: any Record.Type, new: any Record.Type)?,
        run: @escaping @Sendable (inout WriteTransaction) throws -> Void
    ) {
        self.replacement = replacement
        self.run = run
    }
}
