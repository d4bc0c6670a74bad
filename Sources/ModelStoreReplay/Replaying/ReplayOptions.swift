public import StoreEngine
public import StoreRuntime

/// How a trace is replayed.
public struct ReplayOptions: Sendable {
    /// What is done again.
    public enum Mode: Sendable {
        /// The recorded changes.
        case changes
        /// The recorded actions, by the code of this program; the changes of change sets that no action asked for.
        case actions(ActionCatalog)
    }

    /// What counts as the same.
    public enum Comparison: Sendable {
        /// The same change sets with the same changes in the same order, and the same updates of subscriptions.
        case exact
        /// The same records after each change set, and the same results in each subscription, whatever the order of the changes of a
        /// change set and the steps of an update; identifiers that are made anew may be others (those that the store assigns, those
        /// that are `.newID` by default, and those of ``ReplayOptions/newIDTypes``), and fields that are masked may hold anything.
        case semantic
    }

    /// What is done again.
    public var mode = Mode.changes
    /// What counts as the same.
    public var comparison = Comparison.exact
    /// Fields whose values are not compared, as `Type.field`: times, mostly. One that no record type of the trace or of the program has or
    /// had is an error, `unknownField`, at the end of the replay.
    public var maskedFields: [String] = []
    /// Record types whose ids the program makes by itself, of `newID()` or random numbers, so that in semantic comparisons they may be
    /// others. Other ids must be the recorded ones.
    public var newIDTypes: [String] = []
    /// The last change set, by its sequence number in the trace, that is replayed; all when nil. Where the trace ends before, or begins
    /// after it, ``ReplaySummary/position`` tells.
    public var until: UInt64?
    /// The record types of this program, which actions need.
    public var records: [any Record.Type] = []
    /// Whether a trace without its end, as a recorder leaves it that was killed, is replayed up to its last whole line. The last 255
    /// lines at most have no checksum then.
    public var acceptsUnfinished = false
    /// Told of the change sets that were replayed, now and then, on the thread that replays.
    public var onProgress: (@Sendable (_ changeSetCount: Int) -> Void)?

    /// The recorded changes, compared exactly.
    public init() {}

    /// The recorded actions, by the code of this program.
    ///
    /// - Parameters:
    ///   - actions: the actions that the program knows.
    ///   - records: its record types.
    public init<each R: Record>(actions: ActionCatalog, records: repeat (each R).Type) {
        mode = .actions(actions)
        repeat self.records.append((each records).self)
    }
}

/// What a replay came to.
public struct ReplaySummary: Sendable, Hashable {
    /// The change sets that were made again.
    public internal(set) var changeSetCount = 0
    /// Those of them for which an action was run.
    public internal(set) var actionCount = 0
    /// The actions that were skipped as the catalog of actions says: their recorded changes were taken.
    public internal(set) var skippedActionCount = 0
    /// The updates of subscriptions that were compared.
    public internal(set) var deliveryCount = 0
    /// The subscriptions whose updates the trace does not hold, or that ask for an id, which is another one in the replay, in a way that
    /// the other cannot be put in its place.
    public internal(set) var omittedSubscriptionCount = 0
    /// Whether each change set's hash was that of the recorded one, so that the feed is the same byte for byte.
    public internal(set) var hasEqualHashes = true
    /// Whether the trace ended without its end.
    public internal(set) var isUnfinished = false
    /// The place in the replayed store's feed.
    public internal(set) var position: Position?
}

/// Where a replay came to something else than what was recorded.
public struct ReplayDivergence: Error, Sendable, Hashable {
    /// The line of the trace that tells what was to come, from 1; 0 for what holds at its end.
    public let line: Int
    /// The sequence number of the change set that it is, or that comes before it.
    public let sequence: UInt64
    /// What differs, in a few words.
    public let reason: String
    /// What the trace has, as JSON.
    public let expected: String
    /// What came, as JSON, or the error that did.
    public let found: String
    /// The frame of the trace that caused it: the change set with its origin and action. For an update of a subscription it is the last
    /// one since the update before that changes records which the request may look at, with how many there are.
    public internal(set) var cause: String
}

extension ReplayDivergence: CustomStringConvertible {
    /// The divergence in lines for people.
    public var description: String {
        """
        the replay diverges at line \(line), change set \(sequence): \(reason)
          expected: \(expected)
          found:    \(found)
          cause:    \(cause)
        """
    }
}
