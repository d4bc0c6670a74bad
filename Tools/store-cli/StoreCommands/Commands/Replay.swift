import ArgumentParser
import ModelStoreReplay
import StoreEngine

/// `replay`: does again what a trace tells.
struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes the change sets of a trace again in a new store, and compares what comes of them.",
        discussion: """
            Each change set must have the hash of the recorded one, and each recorded subscription be given what it was given. \
            The first thing that differs is shown, with the change set that caused it, and the exit status is 1.

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
        var replay = ReplayOptions()
        replay.comparison = semantic || !mask.isEmpty ? .semantic : .exact
        replay.maskedFields = mask
        replay.until = until
        replay.acceptsUnfinished = unfinished
        let progress = ProgressBar("replaying", total: nil, unit: "change sets")
        defer { progress.finish() }
        replay.onProgress = { progress.update(to: $0) }
        let place = into.map { NewStorePlace($0) }
        defer { place?.giveAway() }
        let (trace, into) = (trace, into)
        let chosen = replay
        let summary: ReplaySummary
        do {
            summary = try AsyncWork.run { try await Replayer.replay(trace, into: into, options: chosen) }
        } catch let divergence as ReplayDivergence {
            throw CommandFailure(
                .failed,
                "the replay diverges at line \(divergence.line), change set \(divergence.sequence): \(divergence.reason)",
                details: [
                    "  expected: \(divergence.expected)", "  found:    \(divergence.found)",
                    "  cause:    \(divergence.cause)",
                ])
        }
        progress.finish()
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
}
