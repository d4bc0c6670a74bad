import ArgumentParser
import StoreEngine
import StoreExpressions
import StoreRuntime

/// `migrate`: changes record types to match a schema document.
struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes record types to match a schema document, if all records fit.",
        discussion: """
            The document has the form of `schema --output json`. Types that it does not name stay as they are. A field \
            that it omits is deleted with its values, unless another field names it in renamedFrom. Everything happens \
            in one transaction, for which other writers wait. If records do not fit, nothing changes: the command \
            lists them (up to \(TypeMigration.misfitLimit) of each type), and the exit status is 1. --dry-run does \
            everything and then undoes it.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        help: ArgumentHelp("The schema document, or - for standard input.", valueName: "file"), completion: .file())
    var schema: String
    @Flag(help: "Only print the changes, and the records that do not fit.") var dryRun = false

    func run() throws {
        let document = try InputSource(schema).readAll()
        let types = try SchemaDocument.entries(document, of: schema == "-" ? "standard input" : schema)
        let migrations = try options.write(printsResult: true) {
            try $0.migrate(to: types.map(\.schema), isTrial: dryRun)
        }
        try options.printing { output in
            var printer = try RowPrinter(
                options.format, columns: ["type", "step"].map { OutputColumn($0) }, to: output)
            for migration in migrations {
                for step in migration.steps { try printer.append([OutputCell(migration.name), OutputCell(step)]) }
            }
            try printer.finish()
        }
        for migration in migrations { tellUnfitHistory(of: migration) }
        let misfitCount = migrations.reduce(0) { $0 + $1.misfitCount }
        guard misfitCount == 0 else {
            for migration in migrations { tellMisfits(of: migration) }
            throw CommandFailure(
                .failed, "nothing was migrated: \(Counted.text(misfitCount, "misfit")) in the records")
        }
        let changeCount = migrations.reduce(0) { $0 + $1.steps.count }
        let steps = Counted.text(changeCount, "step")
        StandardError.writeLine(dryRun ? "all records fit: \(steps) to take, none taken" : "migrated: \(steps)")
    }

    private func tellUnfitHistory(of migration: TypeMigration) {
        guard let unfit = migration.unfitHistory else { return }
        let sets = Counted.text(unfit.count, "change set")
        StandardError.writeLine(
            "\(DisplayText.escaped(migration.name)): \(sets) of the feed, \(unfit.first) to \(unfit.last), will hold records that do not "
                + "fit the new form; they stay readable in their old form")
    }

    private func tellMisfits(of migration: TypeMigration) {
        for misfit in migration.misfits {
            let record = misfit.id.map { "\(migration.name) \($0)" } ?? migration.name
            StandardError.writeLine(DisplayText.escaped("\(record): \(misfit.reason)"))
        }
        let rest = migration.misfitCount - migration.misfits.count
        if rest > 0 { StandardError.writeLine("and \(rest) more of \(migration.name)") }
    }
}

extension TypeMigration {
    /// The changes to the type, as text for the user.
    fileprivate var steps: [String] { isNew ? ["add the record type"] : changes.map(\.description) }
}
