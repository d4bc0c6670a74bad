/// Decides how long a node holds back after other nodes have written first several times in a row.
///
/// A lost append costs the engine as much as one that succeeds. So nodes that retry at once take most of its work from each
/// other. With a random pause, one node at a time writes many entries without a conflict, until the pause of another node ends.
/// This is the medium access of Ethernet with its exponential backoff (IEEE 802.3, CSMA/CD), for which no node needs to know of
/// the others.
struct ConflictPause {
    /// Nodes that write now and then meet once, and retry at once.
    private static let freeConflictCount = 1
    private static let firstWindow = Duration.milliseconds(50)
    private static let maximumDoublingCount = 3

    /// The lost appends since the last one that succeeded.
    private var lostCount = 0

    mutating func appended() { lostCount = 0 }

    mutating func lost() { lostCount += 1 }

    /// The next pause is at most this long; zero for none.
    var window: Duration {
        guard lostCount > Self.freeConflictCount else { return .zero }
        return Self.firstWindow * (1 << min(lostCount - Self.freeConflictCount - 1, Self.maximumDoublingCount))
    }
}
