import ArgumentParser
import ModelStoreReplay
import StoreEngine
import StoreRuntime

/// `record`: writes a trace of the changes.
struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Records change sets to a trace file. With --follow, continues with new commits until interrupted.",
        discussion: """
            A trace is a text file with one JSON value a line: the record types and records at its beginning, then the \
            change sets. `replay` creates a store from it. A trace does not contain the subscriptions and scopes of \
            other processes. A program records its own with ModelStoreReplay.

            With --follow, the first signal (SIGINT, SIGTERM) completes the trace, however long that takes. A second \
            signal leaves it unfinished, with status 1.

            --redact replaces the values of a field, equal values by equal ones. The trace then contains only the \
            names of actions.

            The file gets the owner and the mode of the store, and must be outside the directory of a store. An existing \
            file is an error. With --replace, an earlier trace is replaced when the new one is whole; with --follow, \
            when the new one has its first records. A file that is no trace is never replaced.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file()) var file: String
    @Flag(help: "Replace an earlier trace.") var replace = false
    @Option(
        help: ArgumentHelp("The position to begin after; oldest by default.", valueName: "position"))
    var since: PositionArgument?
    @Flag(help: "Continue with each change set that any process commits.") var follow = false
    @Option(
        help: ArgumentHelp("A field whose values are redacted, as Type.field; may be repeated.", valueName: "field"))
    var redact: [String] = []

    func run() throws {
        let interruption = Interruption()
        if follow {
            interruption.watchSignals(
                loss:
                    "the trace \(file) is unfinished, because it was interrupted; read its whole lines with `replay --unfinished`"
            )
        }
        try options.read { store in
            var recording = RecordingOptions()
            recording.redactedFields = redact
            recording.replacesFile = replace
            let since = since ?? .oldest
            recording.start = .after(try store.read { try since.position(in: $0._reading) })
            let trace = FollowedTrace(store: store, path: file, options: recording, follows: follow)
            let summary = try AsyncWork.run(endedBy: interruption) { try await trace.write() }
            interruption.haveNoLoss()
            StandardError.writeLine(
                "recorded \(Counted.text(summary.changeSetCount, "change set")) after "
                    + "\(Counted.text(summary.rowCount, "record")) to \(file)")
        }
    }
}

/// A trace that grows as change sets arrive.
private struct FollowedTrace: Sendable {
    let store: Store
    let path: String
    let options: RecordingOptions
    let follows: Bool

    func write() async throws -> RecordingSummary {
        let recording = try FeedRecording(store, to: path, options)
        // The beginning of a trace that follows the store is worth keeping, because it cannot be written again.
        if follows { try recording.flush() }
        let newest = try store.feedRange.upperBound
        let progress = ProgressBar(
            "recording", total: Int(newest - recording.position.sequence), unit: "change sets")
        defer { progress.finish() }
        try recording.advance(to: newest) { progress.update(to: $0) }
        progress.finish()
        if follows {
            try recording.flush()
            for try await set in store.changes(since: recording.position) where set.isLastPart {
                try recording.advance(to: set.sequence)
                try recording.flush()
            }
        }
        return try recording.finish()
    }
}
