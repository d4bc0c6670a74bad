public import StoreEngine

/// How a consumer reads the feed, and how it handles failures.
///
/// Taking a consumer with an option outside its range fails with ``StoreError/Code/invalidValue``.
public struct ConsumerOptions: Sendable {
    /// Where a consumer begins that the store does not know yet.
    public var start = FeedStart.oldest
    /// How far a new consumer may hold back retention.
    public var lease = RetentionLease()
    /// Which change sets the consumer wants. ``FeedOptions/mergesPending`` and ``FeedOptions/reportsProgress`` have no effect
    /// here.
    public var feed = FeedOptions()
    /// Whether the consumer receives the change sets that a migration made. With a transform step, these contain an insert for
    /// each record that the migration replaced: a consumer that acts on inserts would do all of its work again.
    public var includesMigrations = false
    /// The most change sets that one transaction handles when several wait. For effects outside the store, the most that one
    /// transaction notes. From 1 to 1,048,576.
    public var changeSetsPerCommit = 64
    /// How often and when a failed change set is retried.
    public var retry = RetryPolicy()
    /// What happens to a change set that has failed in every attempt.
    public var failurePolicy = FailurePolicy.stop
    /// How often a consumer that waits for another holder checks whether that holder has ended. The kernel releases the hold of a
    /// process that ends, however it ends. From a millisecond to a century.
    public var takeoverInterval = Duration.milliseconds(200)
    /// Receives the events of the consumer, on no particular thread. It must return quickly.
    public var onEvent: @Sendable (ConsumerEvent) -> Void = { _ in }
    /// Waits between attempts, for another holder to release the consumer, and before unwanted change sets are noted. Tests
    /// replace it.
    public var sleep: @Sendable (_ delay: Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// Creates the default options: every change set once, from the oldest retained one, with five attempts before the consumer
    /// stops.
    public init() {}

    /// Creates the default options, limited to changes that pass at least one filter.
    public init(only filters: FeedFilter...) { feed.filters = filters }
}

/// How often and when a failure is retried.
public struct RetryPolicy: Hashable, Sendable {
    /// The number of attempts, including the first. From 1 to 1,000,000,000.
    public var attempts = 5
    /// The wait before the second attempt. Each later wait is twice as long. From zero to ``longestDelay``.
    public var firstDelay = Duration.milliseconds(100)
    /// The longest wait. From zero to a century.
    public var longestDelay = Duration.seconds(30)

    /// Creates a policy of five attempts, 0.1 seconds to 0.8 seconds apart.
    public init() {}

    /// Returns the wait after a failed attempt, counted from 1.
    func delay(after attempt: Int) -> Duration {
        var (delay, doublings) = (firstDelay, attempt - 1)
        // Doubles step by step: a single product might exceed the range of a duration.
        while doublings > 0, delay > .zero, delay < longestDelay {
            delay += delay
            doublings -= 1
        }
        return min(longestDelay, delay)
    }
}

/// What happens to a change set that has failed in every attempt.
public enum FailurePolicy: Hashable, Sendable {
    /// The consumer ends with an error whose ``StoreError/cause`` is the closure's error. When the consumer begins again, this
    /// change set is the next one.
    case stop
    /// The consumer skips and counts the change set, and reports an event.
    case skip
}

/// An event of a consumer.
public enum ConsumerEvent: Sendable {
    /// Another holder has the consumer. This one waits until that holder ends.
    case waiting
    /// This holder has the consumer now.
    case active(generation: UInt64, position: Position)
    /// This holder, a node of a replicated store, has lost the consumer for the moment: the log cannot be reached, or another
    /// node has taken the consumer over. It waits to take it again.
    case interrupted(StoreError)
    /// A change set failed and will be retried.
    case failed(sequence: UInt64, attempt: Int, error: any Error)
    /// A change set failed in every attempt and was skipped.
    case skipped(sequence: UInt64, error: any Error)
    /// A change set failed in every attempt, and the consumer stops: `consume` throws the error.
    case gaveUp(sequence: UInt64, error: any Error)
    /// The store no longer retains change sets that the consumer has not seen. The consumer cannot continue.
    case expired(position: Position)
    /// The consumer has stopped, and is about to be released.
    case ended(position: Position)
}
