import ArgumentParser
import StoreEngine
import StoreRuntime

/// `undo`: reverses a change set.
struct Undo: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Undoes a change set of the feed, whole or not at all, in a new write.",
        discussion: """
            The position is the sequence number of the change set, its token from `stat` or `feed`, or newest. The \
            command deletes inserted records, inserts deleted records again, and gives updated fields their earlier \
            values. Other fields stay as they are. It prints each record that changes, as `diff` does.

            If the same fields of a record changed since, the record is a conflict. Then nothing is undone: the \
            command prints the conflicts, with a kind that begins with conflict, and the exit status is 1. With \
            --skip-conflicts, these records stay as they are, all others are undone, and the exit status is 0.

            --dry-run prints the same and changes nothing.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The position after the change set.") var position: PositionArgument
    @Flag(help: "Only print what would change, and the conflicts.") var dryRun = false
    @Flag(help: "Leave records with conflicts as they are, and undo the others.") var skipConflicts = false

    func run() throws {
        let trial = UndoTrial(
            order: .undo(position, skipsConflicts: skipConflicts), format: options.format, isDry: dryRun)
        let (outcome, position) = try options.write(printsResult: true) { try trial.run(in: $0) }
        try outcome.print(committedAt: position)
        let (name, conflicts) = ("change set \(outcome.sequence)", Counted.text(outcome.conflictCount, "conflict"))
        guard outcome.conflictCount == 0 || skipConflicts else {
            let verb = dryRun ? "cannot be" : "was not"
            throw CommandFailure(
                .failed, "\(name) \(verb) undone: \(conflicts); --skip-conflicts undoes all other records")
        }
        let skipped = outcome.conflictCount == 0 ? "" : "; \(conflicts) skipped"
        let verb = position == nil ? "can be undone" : "was undone"
        StandardError.writeLine("\(name) \(verb): \(outcome.changesText(position))\(skipped)")
    }
}
