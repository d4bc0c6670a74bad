#if ServerSentEvents
/// How the server sends a stream of server-sent events.
public struct EventOptions: Sendable {
    /// How long a stream may be silent before it sends a comment or the newest id; nil for no limit.
    ///
    /// This keeps proxies from closing the connection as idle. A client that reconnects after a long silence then resumes from a
    /// recent position. Positive; proxies commonly close a connection after 30 to 60 seconds.
    public var heartbeat: Duration? = .seconds(15)
    /// How long a client waits before it reconnects. 0 or more, in whole milliseconds.
    public var retryDelay = Duration.seconds(3)
    /// The approximate size of the chunks that the sequence returns, in bytes. At least 1; the stream never divides an event.
    public var chunkByteCount = 16 << 10
    /// The clock that measures silence.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Options with a heartbeat every 15 seconds, and clients that reconnect after 3 seconds.
    public init() {}
}
#endif
