import ArgumentParser
import Glibc
import ModelStoreReplay
import StoreEngine
import StoreRuntime

/// `record`: writes a trace of the changes.
struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Writes what the feed tells into a trace, and with --follow what is committed, until it is interrupted.",
        discussion: """
            A trace is a text file of one JSON value a line: the record types and records where it begins, then the change \
            sets. `replay` makes a store of it again. Subscriptions and scopes are within other processes and not in it; a \
            program records its own with ModelStoreReplay.

            With --follow the first signal (SIGINT, SIGTERM) has the trace finished, however long that takes; a second one \
            leaves it unfinished, with status 1.

            --redact puts other values in the place of those of a field, equal ones for equal values. Of actions only the \
            names are left then.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file()) var file: String
    @Option(
        help: ArgumentHelp("The position to begin after; oldest when left out.", valueName: "position"))
    var since: PositionArgument?
    @Flag(help: "Go on with each change set as it is committed, by whatever process.") var follow = false
    @Option(
        help: ArgumentHelp("A field whose values are redacted, as Type.field; may be repeated.", valueName: "field"))
    var redact: [String] = []

    func run() throws {
        let interruption = Interruption()
        if follow {
            interruption.watchSignals(
                loss:
                    "the trace \(file) is unfinished, as it was cut short; `replay --unfinished` reads what there is of it"
            )
        }
        try options.read { store in
            var recording = RecordingOptions()
            recording.redactedFields = redact
            let since = since ?? .oldest
            recording.start = .after(try store.read { try since.position(in: $0._reading) })
            let owner = FileOwnership(of: try options.requireStore() + "/data.mdb")
            let trace = FollowedTrace(store: store, path: file, owner: owner, options: recording, follows: follow)
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
    /// The owner and the mode of the store's data file.
    let owner: FileOwnership?
    let options: RecordingOptions
    let follows: Bool

    func write() async throws -> RecordingSummary {
        let recording = try begin()
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

    private func begin() throws -> FeedRecording {
        let isNew = makeFile()
        do {
            return try FeedRecording(store, to: path, options)
        } catch {
            if isNew { _ = unsafe unlink(path) }
            throw error
        }
    }

    /// Creates the file if there is none. The file gets the owner and the mode of the store before it has any content.
    ///
    /// - Returns: whether it created the file.
    private func makeFile() -> Bool {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        owner?.apply(to: path)
        return true
    }
}
