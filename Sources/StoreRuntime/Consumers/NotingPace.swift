import StoreEngine

/// How far a consumer passes unwanted change sets before it notes its position. It notes often enough that they are not retained
/// until its lease is over, but without a commit for each.
struct NotingPace {
    /// The number of passed change sets at which it notes.
    let changeSets: UInt64
    /// The number of reads of the feed at which it notes. One read covers about a mebibyte.
    let reads: Int
    /// The time after which it notes.
    let delay: Duration

    private static let longest = (changeSets: 256, reads: 64, delay: Duration.seconds(60))

    /// - Parameters:
    ///   - lease: the limits of retention for the consumer.
    ///   - limits: the limits of retention for all readers.
    ///   - isReplica: whether programs on other machines may wait for the consumer, which cannot tell it so.
    init(_ lease: RetentionLease, _ limits: StoreLimits, isReplica: Bool = false) {
        var longest = NotingPace.longest
        if isReplica { longest.delay = .seconds(1) }
        guard lease.holds else {
            // The store retains nothing for this consumer.
            (changeSets, reads) = (1, 1)
            delay = min(longest.delay, limits.retainedAge.map { $0 / 8 } ?? longest.delay)
            return
        }
        changeSets = UInt64(max(1, min(longest.changeSets, lease.changeSets / 4)))
        reads = max(1, min(longest.reads, lease.byteCount / (8 << 20)))
        delay = min(longest.delay, lease.age / 8)
    }

    /// Returns whether to note the position after this many passed change sets and reads.
    func isDue(_ count: UInt64, reads: Int) -> Bool { count >= changeSets || count > 0 && reads >= self.reads }
}
