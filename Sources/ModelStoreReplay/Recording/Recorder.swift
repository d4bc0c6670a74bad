import StoreEngine
public import StoreRuntime
import Synchronization

/// Records a running store: its change sets, the subscriptions to live queries with their deliveries, the scopes, and the
/// advances of injected clocks.
///
/// ```swift
/// let recorder = try await Recorder(store, to: "/var/tmp/day.trace")
/// …
/// print(try await recorder.finish().changeSetCount)
/// ```
///
/// The recorder notes events when they happen. A task of the recorder writes them some tens of milliseconds later, and reads the
/// change sets back from the feed. Writers wait for neither. If a store has no observers, the recorder does not cause it to
/// follow its own writes. If the program is killed, the trace can be read up to its last complete line.
///
/// Only one recorder at a time can be attached to a store of a process. Without ``finish()``, it stops when its last reference
/// goes away, and leaves a trace without an end.
public final class Recorder: Sendable {
    private let store: Store
    private let log: RecorderLog
    private let writing: Task<RecordingSummary, any Error>
    /// Causes change sets to be written while the store makes no steps.
    private let following: Task<Void, any Error>

    /// Begins to record.
    ///
    /// - Parameters:
    ///   - store: the store to record.
    ///   - path: the file, which is created with the owner and the mode of the store's data file.
    ///   - options: the options of the recording.
    /// - Throws: ``/ModelStore/StoreError``: `inUse` if a recorder is already attached to the store; otherwise the errors of
    ///   ``ModelStore/Store/record(to:options:)``.
    public init(_ store: Store, to path: String, options: RecordingOptions = RecordingOptions()) async throws {
        self.store = store
        // Otherwise, if the other recorder writes to the same file, this one could replace it.
        try store.requireUnwitnessed()
        let recording = try FeedRecording(store, to: path, options)
        try recording.flush()
        let log = RecorderLog(includesObservers: options.includesObservers) { store.unobservedSequence }
        try await store.attach(log, after: recording.position.sequence)
        self.log = log
        let box = RecordingBox(recording)
        let pause = Self.pause(store.retainedChangeSets)
        following = Task { try await Self.follow(store, after: recording.position.sequence, log, pause) }
        writing = Task {
            do {
                return try await box.run(log, pause)
            } catch {
                // After an error, no task writes further events.
                if log.end() { store.detachWitness() }
                throw error
            }
        }
    }

    /// Returns how long events are collected before they are written. Each write costs the writers a little; a change set that
    /// leaves the feed during the pause can no longer be written.
    private static func pause(_ retained: Int) -> Duration {
        .milliseconds(20) * min(1, Double(retained) / 10_000)
    }

    /// Notes change sets while the store has no observers, and therefore makes no steps.
    private static func follow(_ store: Store, after start: UInt64, _ log: RecorderLog, _ pause: Duration) async throws
    {
        var last = start
        while try await store.untilFeedMoves(after: last), let newest = store.unobservedSequence {
            log.stepped(to: newest)
            last = newest
            try? await Task.sleep(for: pause)
        }
    }

    deinit {
        following.cancel()
        guard log.end() else { return }
        store.detachWitness()
        writing.cancel()
    }

    /// Records that the program advanced an injected clock, at the current point of the trace.
    public func clockAdvanced(by duration: Duration) { log.add(frame: .advanced(duration)) }

    /// Ends the recording: writes the commits up to now, and the end of the trace.
    ///
    /// - Returns: the summary of the recording. Later calls return the same summary.
    /// - Throws: ``/ModelStore/StoreError``: the error that prevented writing the trace, now or earlier.
    @discardableResult
    public func finish() async throws -> RecordingSummary {
        if log.end() { store.detachWitness() }
        following.cancel()
        let summary = try await writing.value
        // Without this task, the trace can lack commits.
        try await following.value
        return summary
    }
}

/// The recording, moved into the recorder's task.
///
/// Safe, because only the single run of the task uses the recording.
private final class RecordingBox: @unchecked Sendable {
    private let recording: FeedRecording

    init(_ recording: FeedRecording) { self.recording = recording }

    func run(_ log: RecorderLog, _ pause: Duration) async throws -> RecordingSummary {
        var subscriptions = ObservedSubscriptions()
        while true {
            let (events, isEnd) = await log.next()
            for event in events { try write(event, &subscriptions) }
            if Task.isCancelled { throw CancellationError() }
            if isEnd { break }
            try recording.flush()
            try await Task.sleep(for: pause)
        }
        if let failure = log.failure { throw failure }
        return try recording.finish()
    }

    private func write(_ event: RecorderLog.Event, _ subscriptions: inout ObservedSubscriptions) throws {
        switch event {
        case .stepped(let sequence):
            let schemaChangeCount = recording.schemaChangeCount
            try recording.advance(to: sequence)
            subscriptions.shown = sequence
            if schemaChangeCount < recording.schemaChangeCount {
                for number in subscriptions.hide(by: recording.schema, redacted: recording.redactedTypes) {
                    try recording.append(.unsubscribed(number))
                }
            }
            if !subscriptions.isEmpty { try recording.append(.shown(sequence)) }
        case .frame(let frame): try recording.append(frame)
        case .subscribed(let number, let interest):
            try recording.append(
                .subscribed(subscriptions.add(number, interest, recording.schema, redacted: recording.redactedTypes)))
        case .delivered(let number, let step):
            guard let delivery = try subscriptions.delivery(number, step) else { return }
            try recording.append(.delivered(delivery))
        case .unsubscribed(let number):
            guard subscriptions.remove(number) else { return }
            try recording.append(.unsubscribed(number))
        }
    }
}

/// The subscriptions that the recorder has received.
private struct ObservedSubscriptions {
    private struct Entry {
        /// The recorded query; nil if this subscription is not recorded.
        let key: LiveKey?
        var hasBegun = false
    }

    private var entries: [Int: Entry] = [:]
    /// The published position.
    var shown: UInt64 = 0

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(
        _ number: Int, _ interest: WitnessedInterest, _ schema: TraceSchema, redacted: Set<String>
    ) -> TraceSubscription {
        switch interest {
        case .query(let key): return add(number, key, schema, redacted)
        case .unrecorded(let typeName, let reason):
            entries[number] = Entry(key: nil)
            return TraceSubscription(
                number: number, typeName: typeName, request: nil, isCount: false, omission: reason)
        }
    }

    private mutating func add(
        _ number: Int, _ key: LiveKey, _ schema: TraceSchema, _ redacted: Set<String>
    ) -> TraceSubscription {
        let request = TraceRequest(key, among: schema.current)
        let isRedacted = !schema.reachable(from: key).isDisjoint(with: redacted)
        let omission: String? =
            isRedacted ? "fields are redacted" : request == nil ? "an expression cannot describe the request" : nil
        entries[number] = Entry(key: omission == nil ? key : nil)
        // A request may contain values of redacted fields.
        return TraceSubscription(
            number: number, typeName: key.typeName, request: isRedacted ? nil : request, isCount: key.isCount,
            omission: omission)
    }

    /// Ends the recording of subscriptions to types that now refer to redacted types.
    ///
    /// - Returns: the numbers of these subscriptions.
    mutating func hide(by schema: TraceSchema, redacted: Set<String>) -> [Int] {
        let hidden = entries.filter { _, entry in
            entry.key.map { !schema.reachable(from: $0).isDisjoint(with: redacted) } ?? false
        }
        for number in hidden.keys { entries[number] = nil }
        return hidden.keys.sorted()
    }

    mutating func delivery(_ number: Int, _ step: LiveStep) throws -> TraceDelivery? {
        guard let entry = entries[number], let key = entry.key else { return nil }
        entries[number]?.hasBegun = true
        return try TraceDelivery(number, step, of: key, shown: shown, isFirst: !entry.hasBegun, .exact)
    }

    mutating func remove(_ number: Int) -> Bool { entries.removeValue(forKey: number) != nil }
}
