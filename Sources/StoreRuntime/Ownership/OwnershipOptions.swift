/// The options of an ownership registry.
public struct OwnershipOptions: Sendable {
    /// How long a record's model is kept after its last pin was released, in case a caller asks for it again. The default is
    /// zero, and the least. A duration of several centuries means forever.
    public var gracePeriod = Duration.zero
    /// The most models that the grace period keeps at once, from 0 to 2^32. With more, the registry releases the model that has
    /// waited longest.
    public var graceLimit = 10_000
    /// How long an object may live after the last scope that had it ended, before a notice reports it as leaked. Other code may
    /// have the object for a moment, such as a task that is about to borrow it. With zero, the registry gives the notice at once.
    /// With a duration of several centuries, it never does. ``OwnershipRegistry/report()`` lists leaked objects at any time.
    public var leakDelay = Duration.seconds(1)
    /// Receives each notice, once for its kind and line of source. The thread that finds something calls it, so it must be quick.
    ///
    /// While this is nil, the registry writes each notice as a line to standard error. Set `{ _ in }` to have none written.
    public var onNotice: (@Sendable (OwnershipNotice) -> Void)?
    /// Whether an owner evaluates the expressions of later values of its component, to detect an object that the owner ignores.
    /// It does so once for each line of source.
    ///
    /// The default is false: an expression that creates an object would create an additional one, which is released at once. Use
    /// this option in tests and development, see <doc:Ownership#An-owner-that-is-handed-an-object>.
    public var checksIgnoredObjects = false

    let clock: OwnershipClock

    /// Creates the default options, with the system's clock.
    public init() { clock = OwnershipClock(ContinuousClock()) }

    /// Creates the default options with a clock that measures ages, the grace period and the leak delay.
    public init(clock: some Clock<Duration>) { self.clock = OwnershipClock(clock) }
}

/// A clock that counts nanoseconds since it was created, whatever its instants are.
struct OwnershipClock: Sendable {
    /// Returns the nanoseconds.
    let now: @Sendable () -> Int64
    /// Waits until the clock has reached a number of nanoseconds.
    let sleep: @Sendable (_ until: Int64) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        now = { start.duration(to: clock.now).nanoseconds }
        sleep = { until in try await clock.sleep(until: start.advanced(by: .nanoseconds(until)), tolerance: nil) }
    }
}

extension Duration {
    /// The nanoseconds, limited to the range of `Int64`.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isOver { return seconds < 0 ? .min : .max }
        return whole.addingSaturated(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    /// Returns the sum, limited to the range of `Int64`.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        if isOver { return other < 0 ? .min : .max }
        return sum
    }
}
