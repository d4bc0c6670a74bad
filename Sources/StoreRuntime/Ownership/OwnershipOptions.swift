/// How an ownership registry keeps its objects.
public struct OwnershipOptions: Sendable {
    /// How long a record's model is kept after the last who pinned it has let it go, in case somebody asks for it again. The
    /// standard is not at all. More than centuries is for ever.
    public var gracePeriod = Duration.zero
    /// The most models that are kept so at once; with more, the one that waits longest goes.
    public var graceLimit = 10_000
    /// How long an object may live on after the end of the last scope that had it before that is told as a leak: others have it
    /// for a moment too, as who is about to borrow it. Zero to tell at once, more than centuries never to. Reports list what should be gone at any time.
    public var leakDelay = Duration.seconds(1)
    /// Receives each notice, once for its kind and line of source. The thread that finds something calls it, so it must be quick.
    ///
    /// While this is nil, the registry writes each notice as a line to standard error. Set `{ _ in }` to have none written.
    public var onNotice: (@Sendable (OwnershipNotice) -> Void)?
    /// Whether an owner evaluates the expression of a later value of its component, to see whether that hands in an object which
    /// the owner ignores. It does so once for each line of source. The standard is never: an expression that makes an object makes
    /// one more, which goes at once. Meant for tests and development, see <doc:Ownership#An-owner-that-is-handed-an-object>.
    public var checksIgnoredObjects = false

    let clock: OwnershipClock

    /// The standard options, with the system's clock.
    public init() { clock = OwnershipClock(ContinuousClock()) }

    /// The standard options, with a clock by which ages and the grace period are measured.
    public init(clock: some Clock<Duration>) { self.clock = OwnershipClock(clock) }
}

/// A clock that counts nanoseconds from when it was made, whatever its instants are.
struct OwnershipClock: Sendable {
    /// The nanoseconds.
    let now: @Sendable () -> Int64
    /// Waits until the clock shows a number of nanoseconds.
    let sleep: @Sendable (_ until: Int64) async throws -> Void

    init<C: Clock<Duration>>(_ clock: C) {
        let start = clock.now
        now = { start.duration(to: clock.now).nanoseconds }
        sleep = { until in try await clock.sleep(until: start.advanced(by: .nanoseconds(until)), tolerance: nil) }
    }
}

extension Duration {
    /// The nanoseconds, or as many as there can be.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isOver { return seconds < 0 ? .min : .max }
        return whole.addingSaturated(attoseconds / 1_000_000_000)
    }
}

extension Int64 {
    /// The sum, or as much as there can be.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        if isOver { return other < 0 ? .min : .max }
        return sum
    }
}
