package import StoreEngine
public import StoreRuntime

/// Writes the change sets of a store's feed to a trace. One task at a time can use it.
package final class FeedRecording {
    private let store: Store
    private var writer: TraceWriter
    private var encoding: FeedEncoding
    private var walk: FeedWalk
    private var changeSetCount = 0
    private let rowCount: Int
    /// The redacted types, for frames other than change sets.
    let redactedTypes: Set<String>

    /// The position up to which change sets are written.
    package var position: Position { walk.position }

    /// The types at that position.
    var schema: TraceSchema { encoding.schema }

    /// How many schema changes there were up to that position.
    var schemaChangeCount: Int { encoding.schemaChangeCount }

    /// Begins a trace: writes its header and rows.
    ///
    /// - Throws: `StoreError`: the errors of ``ModelStore/Store/record(to:options:)``.
    package init(_ store: Store, to path: String, _ options: RecordingOptions) throws {
        self.store = store
        let target = Target(
            path: path, replacesFile: options.replacesFile, model: store.environmentPath + "/data.mdb")
        let begun = try Self.begin(store, to: target, options)
        (writer, rowCount, encoding, walk) = (begun.writer, begun.rowCount, begun.encoding, begun.walk)
        redactedTypes = Set(options.redactedFields.compactMap { $0.split(separator: ".").first.map(String.init) })
    }

    /// The file that a recording writes.
    struct Target {
        let path: String
        /// Whether it may replace a file at the path.
        let replacesFile: Bool
        /// The file whose owner and mode it gets.
        let model: String
    }

    private typealias Begun = (writer: TraceWriter, rowCount: Int, encoding: FeedEncoding, walk: FeedWalk)

    private static func begin(_ store: Store, to target: Target, _ options: RecordingOptions) throws -> Begun {
        let here: Begun? = try store.read { tx in
            let start = try Self.start(tx._reading, options)
            // The state at any other position is reconstructed from later change sets.
            let isKnown = try start.sequence == 0 || start == tx._reading.feedPosition()
            return isKnown ? try begin(tx._reading, at: start, to: target, options) : nil
        }
        if let here { return here }
        let start = try store.read { try Self.start($0._reading, options) }
        let past = try store.snapshot(at: start)
        return try past.read { tx in
            guard past.changedTypes.isEmpty else {
                throw StoreError(
                    .notRecordable,
                    "the schema changed after change set \(start.sequence): \(past.changedTypes.joined(separator: ", "))",
                    remedy:
                        "begin after that change, or at the oldest position if the feed still has the first change set")
            }
            return try begin(tx._reading, at: start, to: target, options)
        }
    }

    private static func start(_ scope: ReadContext, _ options: RecordingOptions) throws -> Position {
        let start: Position =
            switch options.start {
            case .newest: try scope.feedPosition()
            case .oldest: try scope.oldestPosition()
            case .after(let position): position
            }
        try scope.requireResumable(start)
        return start
    }

    private static func begin(
        _ scope: ReadContext, at start: Position, to target: Target, _ options: RecordingOptions
    ) throws -> Begun {
        let types = start.sequence == 0 ? [] : try scope.storedTypes()
        var redactor: Redactor?
        if !options.redactedFields.isEmpty { redactor = try Redactor(options.redactedFields, try scope.storedTypes()) }
        let (writer, rowCount) = try TraceBase.begin(
            scope, at: start, to: target, &redactor, redacted: options.redactedFields)
        return (writer, rowCount, FeedEncoding(TraceSchema(types, .exact), redactor), FeedWalk(after: start))
    }

    /// Writes the change sets up to a sequence number.
    ///
    /// - Parameter progress: receives, from time to time, the total number of written change sets.
    package func advance(to sequence: UInt64, progress: (_ changeSetCount: Int) -> Void = { _ in }) throws {
        while walk.position.sequence < sequence {
            var left = Int(sequence - walk.position.sequence)
            var parts: [FeedPart] = []
            repeat {
                var walk = walk
                let more = try store.read { tx in
                    try walk.read(tx._reading, FeedWalk.Limits(changes: 10_000, changeSets: left))
                }
                self.walk = walk
                guard !more.isEmpty else {
                    throw StoreError(
                        .damaged, "change set \(sequence) is not in the feed", remedy: "run `store-cli verify`")
                }
                for part in more {
                    parts.append(part)
                    guard part.isLast else { continue }
                    try writer.append(.commit(try encoding.commit(parts)))
                    changeSetCount += 1
                    left -= 1
                    parts = []
                }
            } while !parts.isEmpty
            progress(changeSetCount)
        }
    }

    func append(_ frame: TraceFrame) throws { try writer.append(frame) }

    /// Writes buffered frames, so that they survive a crash of this program.
    package func flush() throws { try writer.flush() }

    /// Writes the rest of the feed, and the end of the trace.
    package func finish() throws -> RecordingSummary {
        let (position, content) = try store.read { tx in
            (try tx._reading.feedPosition(), redactedTypes.isEmpty ? try tx._reading.contentHash() : nil)
        }
        try advance(to: position.sequence)
        try writer.finish(at: position, content: content)
        return RecordingSummary(
            frameCount: writer.frameCount, changeSetCount: changeSetCount, rowCount: rowCount,
            byteCount: writer.byteCount,
            position: position)
    }
}

extension Store {
    /// Writes the change sets of the feed, up to the newest position, to a trace that can be replayed. A trace is a text file
    /// with one JSON value per line. The article *Record and replay* describes the format.
    ///
    /// Blocks the calling thread. It uses its own read transactions, so it does not delay writers. One transaction reads the
    /// records at the start position.
    ///
    /// - Parameters:
    ///   - path: the file, which is created with the owner and the mode of the store's data file. It appears at the end, whole.
    ///   - options: the options of the recording. Observers are not recorded, because only a ``Recorder`` sees them.
    /// - Throws: ``/ModelStore/StoreError``: `positionCompacted` and other errors of ``/ModelStore/Store/changes(since:_:)``;
    ///   `damaged`. For a redaction that is not possible: `unknownType`, `unknownField`, `notRecordable`. For the path:
    ///   `traceExists` if there is a file, unless it is a trace and ``RecordingOptions/replacesFile`` is set; `invalidValue` if
    ///   it is blank or in the directory of a store; `ioError`.
    /// - Complexity: linear in the size of the records and of the change sets.
    @discardableResult
    public func record(to path: String, options: RecordingOptions = RecordingOptions()) throws -> RecordingSummary {
        let recording = try FeedRecording(self, to: path, options)
        return try recording.finish()
    }
}
