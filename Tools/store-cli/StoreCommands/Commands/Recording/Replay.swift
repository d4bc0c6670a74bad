import ArgumentParser
import ModelStoreReplay
import StoreEngine

/// `replay`: repeats the change sets of a trace.
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes the change sets of a trace again in a new store, and compares what comes of them.",
        discussion: """
            Each change set must have the hash of the recorded one, and each recorded subscription be given what it was given. \
            The first thing that differs is shown, with the change set that caused it, and the exit status is 1.

            What a replay that fails has made is removed; --until makes the store as it was before or after a change set.

            Actions are run again by the program that knows them, with ModelStoreReplay.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: ArgumentHelp("The trace.", valueName: "trace"), completion: .file()) var trace: String
    @Option(
        help: ArgumentHelp(
            "The directory of the new store, which is left there; none is when left out.", valueName: "dir"))
    var into: String?
    @Option(help: ArgumentHelp("The last change set to make, by its number.", valueName: "n")) var until: UInt64?
    @Flag(help: "Compare records and results only, not hashes and single updates.") var semantic = false
    @Option(
        help: ArgumentHelp("A field whose values are not compared, as Type.field; may be repeated.", valueName: "field")
    )
    var mask: [String] = []
    @Flag(help: "Take a trace without its end up to its last whole line.") var unfinished = false

    func run() throws {
        guard options.store == nil else {
            throw CommandFailure(
                .usage,
                "replay reads no store but the trace: name the directory of the new one by --into, not by --store")
        }
        var replay = ReplayOptions()
        replay.comparison = semantic || !mask.isEmpty ? .semantic : .exact
        replay.maskedFields = mask
        replay.until = until
        replay.acceptsUnfinished = unfinished
        let progress = ProgressBar("replaying", total: nil, unit: "change sets")
        defer { progress.finish() }
        replay.onProgress = { progress.update(to: $0) }
        let location = into.map { NewStoreLocation($0) }
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
                : "note: the trace begins after change set \(reached), so that none up to \(until) is in it")
    }
}
