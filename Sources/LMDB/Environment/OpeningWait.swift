/// The wait of an opening for another process that is opening or recovering the store.
struct OpeningWait {
    /// How long it waits before it looks again.
    private static let millisecondsBetweenLooks: UInt32 = 10

    private let path: String
    private let options: LMDBEnvironment.Options
    private let start = ContinuousClock.now
    private var isReported = false

    init(_ path: String, _ options: LMDBEnvironment.Options) {
        self.path = path
        self.options = options
    }

    /// How long it has waited.
    var duration: Duration { start.duration(to: .now) }

    /// Waits a little.
    ///
    /// - Parameter waiting: called once, after a second.
    /// - Throws: ``LMDBError`` with the code `writerHeld` after `recoveryPatience`.
    mutating func pause(_ waiting: (Duration) -> Void) throws(LMDBError) {
        let waited = duration
        if !isReported, waited > .seconds(1) {
            isReported = true
            waiting(waited)
        }
        if let limit = options.recoveryPatience, waited >= limit {
            throw LMDBError(
                .writerHeld, operation: "open", path: path,
                detail: "another process has been opening or recovering the store for \(limit)",
                remedy: "wait until it has finished, then retry, or allow a longer timeout")
        }
        SystemCalls.pause(milliseconds: Self.millisecondsBetweenLooks)
    }
}
