#if ServerSentEvents
import StoreEngine

/// How the server sends a stream of server-sent events.
///
/// A stream with an option outside its range fails with `invalidValue`.
public struct EventOptions: Sendable {
    /// How long a stream may be silent before it sends a comment or the newest id; nil for no limit.
    ///
    /// This keeps proxies from closing the connection as idle. A client that reconnects after a long silence then resumes from a
    /// recent position. From a millisecond to a century; proxies commonly close a connection after 30 to 60 seconds.
    public var heartbeat: Duration? = .seconds(15)
    /// How long a client waits before it reconnects, in whole milliseconds. From zero to a century.
    public var retryDelay = Duration.seconds(3)
    /// The approximate size of the chunks that the sequence returns, in bytes. From 1 to 1 GiB; the stream never divides an
    /// event.
    public var chunkByteCount = 16 << 10
    /// The clock that measures silence.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Options with a heartbeat every 15 seconds, and clients that reconnect after 3 seconds.
    public init() {}

    /// The range of every option that is a number or a duration.
    static let ranges: [OptionRange<EventOptions>] = [
        OptionRange(optional: "heartbeat", .milliseconds(1) ... .longestOption) { $0.heartbeat },
        OptionRange("retryDelay", .zero ... .longestOption) { $0.retryDelay },
        OptionRange("chunkByteCount", 1...1 << 30) { $0.chunkByteCount },
    ]

    /// Throws unless every option is in its range.
    ///
    /// - Throws: `StoreError` with the code `invalidValue`.
    func check() throws(StoreError) {
        for range in Self.ranges { try range.check(self, of: "EventOptions") }
    }
}
#endif
