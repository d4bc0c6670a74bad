public import StoreEngine

/// What is recorded.
public struct RecordingOptions: Sendable {
    /// Where the trace begins.
    public enum Start: Sendable, Hashable {
        /// At the newest position, with all records that are there.
        case newest
        /// At the oldest position that the feed still tells of.
        case oldest
        /// After a change set that the feed still tells of. The greatest ids that were assigned are those of now: ids that a replay of
        /// actions has assigned anew are others then, as for ``oldest``.
        case after(Position)
    }

    /// Where the trace begins. It carries the records that are there.
    public var start = Start.newest
    /// Fields whose values the trace must not hold, as `Type.field`: others stand for them, equal ones for equal values. What a
    /// trace with redactions is replayed to is compared by its content and not by its hashes; the payloads and results of actions
    /// are left out, and so are deliveries of types with redacted fields, and of types that refer to such.
    public var redactedFields: [String] = []
    /// Whether subscriptions to live queries, counts and models, with what they are given, and scopes are recorded beside change sets, by
    /// a recorder that is attached to a running store.
    public var includesObservers = true

    /// The standard: from now on, all of it.
    public init() {}
}

/// What a trace came to hold.
public struct RecordingSummary: Sendable, Hashable {
    /// The lines of the trace between its header and its end, without checksums.
    public let frameCount: Int
    /// The change sets among them.
    public let changeSetCount: Int
    /// The records that it begins with.
    public let rowCount: Int
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The place in the feed where the trace ends.
    public let position: Position
}
