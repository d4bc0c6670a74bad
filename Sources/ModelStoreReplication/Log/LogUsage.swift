/// The room that the engine of a log has in use, for the log and for everything else that it keeps.
public struct LogUsage: Sendable, Hashable {
    /// How much of an engine's room is in use. The upkeep of a log depends on it.
    enum Level: Comparable {
        case low
        /// Half of the room is in use.
        case half
        /// Nodes that are away hold no more entries.
        case high
    }

    private static let halfShare = 0.5
    private static let highShare = 0.8

    /// The number of bytes in use.
    public let byteCount: Int
    /// The number of bytes at which the engine refuses entries; nil if only its disk limits them.
    public let limit: Int?

    /// Creates a usage.
    public init(byteCount: Int, limit: Int? = nil) {
        self.byteCount = byteCount
        self.limit = limit
    }

    /// The share of the room that is in use, from 0; nil without a limit. An engine can exceed its limit.
    public var share: Double? { limit.map { Double(byteCount) / Double(max(1, $0)) } }

    var level: Level {
        guard let share, share >= Self.halfShare else { return .low }
        return share >= Self.highShare ? .high : .half
    }
}
