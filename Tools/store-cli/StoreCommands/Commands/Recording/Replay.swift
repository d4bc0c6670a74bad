import ArgumentParser
import ModelStoreReplay
import StoreEngine

/// `replay`: repeats the change sets of a trace.
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Applies the change sets of a trace to a new store, and compares the results.",
        discussion: """
            Each change set must have the hash of the recorded one, and each recorded subscription must receive the \
            recorded updates. At the first difference, the command prints the difference and the change set that \
            caused it, and exits with status 1.

            A failed replay leaves no store. With --until, the store has the state before or after a change set.

            To run recorded actions again, use ModelStoreReplay in the program that declares them.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: ArgumentHelp("The trace.", valueName: "trace"), completion: .file()) var trace: String
    @Option(
        help: ArgumentHelp(
            "The directory of the new store, which remains after the replay; by default, no store remains.",
            valueName: "dir"))
    var into: String?
    @Option(help: ArgumentHelp("The number of the last change set to apply.", valueName: "n")) var until: UInt64?
    @Flag(help: "Compare only records and results, not hashes and single updates.") var semantic = false
    @Option(
        help: ArgumentHelp("A field whose values are not compared, as Type.field; may be repeated.", valueName: "field")
    )
    var mask: [String] = []
    @Flag(help: "Accept an unfinished trace, up to its last whole line.") var unfinished = false

    func run() throws {
        guard options.store == nil else {
            throw CommandFailure(
                .usage,
                "replay reads a trace and not a store; name the directory of the new store with --into, not with --store"
            )
        }
        var replay = ReplayOptions()
        replay.comparison = semantic || !mask.isEmpty ? .semantic : .exact
        replay.maskedFields = mask
        replay.until = until
        replay.acceptsUnfinished = unfinished
        let progress = ProgressBar("replaying", total: nil, unit: "change sets")
        defer { progress.finish() }
        replay.onProgress = { progress.update(to: $0) }
        let location = try into.map { try NewStoreLocation($0) }
        let (trace, into) = (trace, into)
        let chosen = replay
        let summary: ReplaySummary
        do {
            summary = try AsyncWork.run { try await Replayer.replay(trace, into: into, options: chosen) }
        } catch let divergence as ReplayDivergence {
            location?.remove()
            throw CommandFailure(
                .failed,
                "the replay diverges at line \(divergence.line), change set \(divergence.sequence): \(divergence.reason)",
                details: [
                    "  expected: \(divergence.expected)", "  found:    \(divergence.found)",
                    "  cause:    \(divergence.cause)",
                ])
        } catch {
            location?.remove()
            throw error
        }
        location?.giveAway()
        progress.finish()
        noteEnd(summary)
        try options.printing { output in
            let members: [(String, JSONValue)] = [
                ("changeSets", .number(JSONNumber(summary.changeSetCount))),
                ("deliveries", .number(JSONNumber(summary.deliveryCount))),
                ("omittedSubscriptions", .number(JSONNumber(summary.omittedSubscriptionCount))),
                ("equalHashes", .bool(summary.hasEqualHashes)), ("unfinished", .bool(summary.isUnfinished)),
                ("position", summary.position.map { .number(JSONNumber($0.sequence)) } ?? .null),
                ("token", summary.position.map { .string($0.description) } ?? .null),
            ]
            var printer = try RowPrinter(
                options.format, columns: members.map { OutputColumn($0.0) }, to: output)
            try printer.append(members.map { OutputCell($0.1) })
            try printer.finish()
        }
    }

    /// Writes a note if the replay did not end at the requested change set.
    private func noteEnd(_ summary: ReplaySummary) {
        guard let until, let reached = summary.position?.sequence, reached != until else { return }
        StandardError.writeLine(
            reached < until
                ? "note: the trace ends with change set \(reached), before \(until)"
                : "note: the trace begins after change set \(reached), so it has no change set up to \(until)")
    }
}
