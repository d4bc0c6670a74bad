public import StoreEngine

/// One step to a version of a ``MigrationPlan``.
public struct MigrationStep: Sendable {
    /// The Swift type whose records others take the place of, and theirs; nil for a step that replaces none.
    let replacement: (old: any Record.Type, new: any Record.Type)?
    let run: @Sendable (inout WriteTransaction) throws -> Void

    /// Makes a new record of each old one, and drops the old ones.
    ///
    /// The two types may have one name in the store, and different ids. Of a type that the store never had, as one from
    /// before the type came up, there is nothing to make. Steps that follow can read the old records, but not write any:
    /// those would be lost. In the feed the old type ends and the new records
    /// are inserted, one change set for the version: it must fit the limit for the change set of one write.
    ///
    /// - Parameters:
    ///   - old: the Swift type as the program declared it before, with its name in the store: `@Record("Person")`.
    ///   - new: the Swift type that takes its place.
    ///   - body: makes the new record, in the order of the old ids; nil leaves it out. What it throws ends the migration,
    ///     and the store stays as it was.
    public static func transform<Old: Record, New: Record>(
        _ old: Old.Type, to new: New.Type, _ body: @escaping @Sendable (Old) throws -> New?
    ) -> MigrationStep {
        MigrationStep(replacement: (old, new)) { transaction in
            try transaction.transform(old, to: new, body)
        }
    }

    /// Changes records of the new version in any way, after the transforming steps before it.
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
