public import StoreEngine
public import StoreRuntime

/// How a trace is replayed.
public struct ReplayOptions: Sendable {
    /// The source of the replayed change sets.
    public enum Mode: Sendable {
        /// The recorded changes.
        case changes
        /// The recorded actions, with the code of this program. Change sets without an action are replayed from their recorded
        /// changes.
        case actions(ActionCatalog)
    }

    /// How strictly a replay is compared with the recording.
    public enum Comparison: Sendable {
        /// The same change sets with the same changes in the same order, and the same updates of subscriptions.
        case exact
        /// The same records after each change set, and the same results in each subscription.
        ///
        /// The order of changes in a change set and the steps of an update may differ. Generated ids may differ: ids that the
        /// store assigns, ids that are `.newID` by default, and those of ``ReplayOptions/newIDTypes``. Masked fields may have any
        /// value.
        case semantic
    }

    /// Whether the replay applies the recorded changes or reruns the recorded actions.
    public var mode = Mode.changes
    /// How strictly the replay is compared with the recording.
    public var comparison = Comparison.exact
    /// Fields whose values are not compared, as `Type.field`, usually times. If no record type of the trace or of the program has
    /// or had such a field, the replay ends with the error `unknownField`.
    public var maskedFields: [String] = []
    /// Record types whose ids the program generates itself, with `newID()` or random numbers. Semantic comparisons allow other
    /// ids for them. All other ids must equal the recorded ones.
    public var newIDTypes: [String] = []
    /// The last change set to replay, by its sequence number in the trace; nil for all. If the trace ends before it, or begins
    /// after it, ``ReplaySummary/position`` shows where the replay ended.
    public var until: UInt64?
    /// The record types of this program. Actions need them.
    public var records: [any Record.Type] = []
    /// Whether a trace without its end, which a killed recorder leaves, is replayed up to its last complete line. At most the
    /// last 255 lines then have no checksum.
    public var acceptsUnfinished = false
    /// Receives the number of replayed change sets from time to time, on the replaying thread.
    public var onProgress: (@Sendable (_ changeSetCount: Int) -> Void)?

    /// Options that replay the recorded changes and compare them exactly.
    public init() {}

    /// Options that rerun the recorded actions with the code of this program.
    ///
    /// - Parameters:
    ///   - actions: the actions that the program knows.
    ///   - records: its record types.
    public init<each R: Record>(actions: ActionCatalog, records: repeat (each R).Type) {
        mode = .actions(actions)
        repeat self.records.append((each records).self)
    }
}

/// The summary of a replay.
public struct ReplaySummary: Sendable, Hashable {
    /// The number of replayed change sets.
    public internal(set) var changeSetCount = 0
    /// The number of replayed change sets for which an action ran.
    public internal(set) var actionCount = 0
    /// The number of actions that the action catalog skipped. The replay applied their recorded changes.
    public internal(set) var skippedActionCount = 0
    /// The number of compared subscription updates.
    public internal(set) var deliveryCount = 0
    /// The number of subscriptions that were not compared. The trace does not contain their updates, or their request uses an id
    /// that differs in the replay and cannot be replaced.
    public internal(set) var omittedSubscriptionCount = 0
    /// Whether each change set had the recorded hash. The feed is then the same byte for byte.
    public internal(set) var hasEqualHashes = true
    /// Whether the trace was cut off before its end.
    public internal(set) var isUnfinished = false
    /// The last position in the feed of the replayed store.
    public internal(set) var position: Position?
}

/// The point where a replay differs from the recording.
public struct ReplayDivergence: Error, Sendable, Hashable {
    /// The line of the trace with the expected frame, from 1; 0 for a difference at the end of the trace.
    public let line: Int
    /// The sequence number of the change set that differs, or of the last one before the difference.
    public let sequence: UInt64
    /// A short description of the difference.
    public let reason: String
    /// The recorded value, as JSON.
    public let expected: String
    /// The value of the replay, as JSON, or its error.
    public let found: String
    /// The frame of the trace that caused the difference: the change set with its origin and action.
    ///
    /// For a subscription update, it is the last change set since the previous update that changes records which the request may
    /// read. The text also states how many such change sets there are.
    public internal(set) var cause: String
}

extension ReplayDivergence: CustomStringConvertible {
    /// A description in several lines, for people. Control and format characters appear as escapes.
    public var description: String {
        """
        the replay diverges at line \(line), change set \(sequence): \(DisplayText.escaped(reason))
          expected: \(DisplayText.escaped(expected))
          found:    \(DisplayText.escaped(found))
          cause:    \(DisplayText.escaped(cause))
        """
    }
}
