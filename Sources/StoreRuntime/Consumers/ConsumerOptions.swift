public import StoreEngine

/// How a consumer reads the feed, and what happens when it cannot go on.
public struct ConsumerOptions: Sendable {
    /// Where a consumer begins that the store does not know yet.
    public var start = FeedStart.oldest
    /// How far a new consumer may hold back retention.
    public var lease = RetentionLease()
    /// Which change sets it wants. ``FeedOptions/mergesPending`` and ``FeedOptions/reportsProgress`` have no effect here.
    public var feed = FeedOptions()
    /// The most change sets that are dealt with in one transaction, or of which effects elsewhere are noted in one, when they
    /// wait. At least 1.
    public var changeSetsPerCommit = 64
    /// How often and when a change set that failed is tried again.
    public var retry = RetryPolicy()
    /// What happens when it has failed every time.
    public var failurePolicy = FailurePolicy.stop
    /// How often one that waits for another to end looks whether it has. The kernel gives up the hold of a process that ends,
    /// however it ends.
    public var takeoverInterval = Duration.milliseconds(200)
    /// Told what happens to the consumer; on no particular thread, and not to be held up.
    public var onEvent: @Sendable (ConsumerEvent) -> Void = { _ in }
    /// Waits between tries, for others to let go, and before change sets that are not wanted are noted; for tests.
    public var sleep: @Sendable (_ delay: Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Every change set once, from the oldest retained one; five tries, then the end.
    public init() {}

    /// As the standard, with only what passes one of some filters.
    public init(only filters: FeedFilter...) { feed.filters = filters }
}

/// How often and when something that failed is tried again.
public struct RetryPolicy: Hashable, Sendable {
    /// How often it is tried at all. At least 1.
    public var attempts = 5
    /// The wait before the second try; each later one waits twice as long.
    public var firstDelay = Duration.milliseconds(100)
    /// The longest wait.
    public var longestDelay = Duration.seconds(30)

    /// Five tries, 0.1 seconds to 0.8 seconds apart.
    public init() {}

    /// The wait after a try that failed, from 1.
    func delay(after attempt: Int) -> Duration {
        var (delay, doublings) = (firstDelay, attempt - 1)
        // Not by one product, which might be too long for a duration.
        while doublings > 0, delay > .zero, delay < longestDelay {
            delay += delay
            doublings -= 1
        }
        return min(longestDelay, delay)
    }
}

/// What happens to a change set that has failed every time.
public enum FailurePolicy: Hashable, Sendable {
    /// Consuming ends with an error that has the closure's as its ``StoreError/cause``. The change set is the next one when the
    /// consumer begins again.
    case stop
    /// It is left out and counted, and an event tells so.
    case skip
}

/// What happens to a consumer.
public enum ConsumerEvent: Sendable {
    /// Another one holds it; this one waits for that to end.
    case waiting
    /// This one holds it now.
    case active(generation: UInt64, position: Position)
    /// A change set failed and is tried again.
    case failed(sequence: UInt64, attempt: Int, error: any Error)
    /// A change set failed every time and was left out.
    case skipped(sequence: UInt64, error: any Error)
    /// Change sets that it has not seen are not retained any longer; it cannot go on.
    case expired(position: Position)
    /// It has let go.
    case ended(position: Position)
}
