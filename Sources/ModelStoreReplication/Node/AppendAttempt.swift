/// Finds the outcome of an append, over lost answers and retries: a state machine without a clock or a log.
///
/// After an answer was lost, the same entry is sent again. The log's compare lets at most one of them in, so a repetition does no
/// harm. A conflict then shows which entry has the index: this one or another. So the next append of any node decides an unknown
/// append.
package struct AppendAttempt: Sendable {
    /// The next thing to do.
    package enum Step: Sendable, Equatable {
        /// Send the entry, after a pause if it was sent before.
        case send(after: Duration)
        /// The entry is in the log.
        case appended
        /// The entry is not in the log and never will be. The log has these entries after its position.
        case behind(LogBatch)
        /// The entry is not in the log.
        case failed(SharedLogError)
        /// The entry may be in the log.
        case unknown
    }

    /// How long an unknown append is repeated.
    package static let patience = Duration.seconds(10)
    private static let longestPause = Duration.milliseconds(500)

    private let entry: LogEntry
    private let patience: Duration
    /// Whether an answer was lost.
    package private(set) var isInDoubt = false
    private var pause = Duration.milliseconds(10)

    package init(_ entry: LogEntry, patience: Duration = AppendAttempt.patience) {
        self.entry = entry
        self.patience = patience
    }

    /// Decides after an answer.
    ///
    /// - Parameter elapsed: the time since the first send.
    package mutating func received(
        _ answer: Result<AppendOutcome, SharedLogError>, elapsed: Duration
    ) -> Step {
        switch answer {
        case .success(.appended): return .appended
        case .success(.conflict(let batch)): return conflict(batch)
        case .failure(let error):
            if error.code == .unknown { isInDoubt = true }
            // An error other than unknown says only that this repetition is not in the log.
            guard isInDoubt else { return .failed(error) }
            guard elapsed < patience else { return .unknown }
            defer { pause = min(pause * 2, Self.longestPause) }
            return .send(after: pause)
        }
    }

    private func conflict(_ batch: LogBatch) -> Step {
        guard isInDoubt else { return .behind(batch) }
        if let found = batch.entries.first(where: { $0.position.index == entry.position.index }) {
            return found.writeID == entry.writeID ? .appended : .behind(batch)
        }
        // The log has trimmed the entry with this index.
        return batch.floor.index >= entry.position.index || batch.head.generation != entry.position.generation
            ? .unknown : .behind(batch)
    }
}

extension SharedLogError: Equatable {
    public static func == (left: SharedLogError, right: SharedLogError) -> Bool {
        left.code == right.code && left.message == right.message && left.floor == right.floor
    }
}
