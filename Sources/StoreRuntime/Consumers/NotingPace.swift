import StoreEngine

/// How far a consumer goes past change sets that it does not want before it notes where it is: often enough that they are not kept
/// for it until its lease is over, and not with a commit for each.
struct NotingPace {
    /// So many change sets.
    let changeSets: UInt64
    /// So many reads of the feed, of which one covers about a mebibyte.
    let reads: Int
    /// So long.
    let delay: Duration

    private static let longest = (changeSets: 256, reads: 64, delay: Duration.seconds(60))

    /// - Parameters:
    ///   - lease: what is kept for the consumer.
    ///   - limits: what is kept for everybody.
    init(_ lease: RetentionLease, _ limits: StoreLimits) {
        let longest = NotingPace.longest
        guard lease.holds else {
            // Nothing is kept for it.
            (changeSets, reads) = (1, 1)
            delay = min(longest.delay, limits.retainedAge.map { $0 / 8 } ?? longest.delay)
            return
        }
        changeSets = UInt64(max(1, min(longest.changeSets, lease.changeSets / 4)))
        reads = max(1, min(longest.reads, lease.byteCount / (8 << 20)))
        delay = min(longest.delay, lease.age / 8)
    }

    /// Whether to note that so many change sets were passed, in so many reads.
    func isDue(_ count: UInt64, reads: Int) -> Bool { count >= changeSets || count > 0 && reads >= self.reads }
}
