public import StoreEngine

/// The options of a recording.
public struct RecordingOptions: Sendable {
    /// Where the trace begins.
    public enum Start: Sendable, Hashable {
        /// At the newest position, with all its records.
        case newest
        /// At the oldest position that the feed retains.
        case oldest
        /// After a change set that the feed retains. The trace contains the greatest assigned ids of the present, not of this
        /// position. A replay of actions therefore assigns ids that differ from the recorded ones, as for ``oldest``.
        case after(Position)
    }

    /// Where the trace begins. The trace contains all records at this position.
    public var start = Start.newest
    /// Fields whose values the trace must not contain, as `Type.field`. Pseudonyms replace the values, and equal values get equal
    /// pseudonyms.
    ///
    /// A replay of a trace with redactions is compared by content, not by hashes. The trace omits the payloads and results of
    /// actions. It also omits deliveries of types with redacted fields, and of types that refer to them.
    public var redactedFields: [String] = []
    /// Whether the trace replaces an earlier trace at its path. Otherwise, an existing file is an error. A file with content that
    /// is no trace is always an error.
    public var replacesFile = false
    /// Whether the trace contains subscriptions to live queries, counts and models with their deliveries, and scopes. Only a
    /// recorder that is attached to a running store records them.
    public var includesObservers = true

    /// The default options: from now on, with observers and without redactions.
    public init() {}
}

/// The summary of a recording.
public struct RecordingSummary: Sendable, Hashable {
    /// The number of lines between the header and the end of the trace, without checksums.
    public let frameCount: Int
    /// The number of change sets.
    public let changeSetCount: Int
    /// The number of records at the beginning of the trace.
    public let rowCount: Int
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The position at which the trace ends.
    public let position: Position
}
