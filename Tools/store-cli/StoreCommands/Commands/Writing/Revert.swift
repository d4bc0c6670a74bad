import ArgumentParser
import StoreEngine
import StoreRuntime

/// `revert`: returns all records to their state at a position.
struct Revert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Restores all records to their state at a position, in a new write.",
        discussion: """
            A position is the sequence number of a change set, its token from `stat` or `feed`, oldest or newest. The \
            command undoes all later change sets, whichever program wrote them. It prints each record that changes, as \
            `diff` does. The schema does not change.

            --dry-run prints the same and changes nothing.
            """)

    @OptionGroup var options: GlobalOptions
    @Option(help: ArgumentHelp("The position to restore.", valueName: "position")) var to: PositionArgument
    @Flag(help: "Only print what would change.") var dryRun = false

    func run() throws {
        let trial = UndoTrial(order: .revert(to), format: options.format, isDry: dryRun)
        let (outcome, position) = try options.write(printsResult: true) { try trial.run(in: $0) }
        try outcome.print(committedAt: position)
        let sets = Counted.text(outcome.undoneCount, "change set")
        let verb = position == nil ? "would be undone" : "undone"
        StandardError.writeLine(
            "back to position \(outcome.sequence): \(sets) \(verb), \(outcome.changesText(position))")
    }
}
