#if ServerSentEvents
/// How a stream of server-sent events is written.
public struct EventOptions: Sendable {
    /// After how long a silence a comment or the newest id is sent, so that nobody in between takes the connection for dead, and a
    /// client that comes back after a long silence is told what has changed; nil for never.
    ///
    /// Positive; proxies commonly close after 30 to 60 seconds.
    public var heartbeat: Duration? = .seconds(15)
    /// How long a client waits before it connects again. 0 or more, in whole milliseconds.
    public var retryDelay = Duration.seconds(3)
    /// About how many bytes are handed on at a time. At least 1; one event is never divided.
    public var chunkByteCount = 16 << 10
    /// What silence is measured with.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// A heartbeat every 15 seconds, and clients that connect again after 3.
    public init() {}
}
#endif
