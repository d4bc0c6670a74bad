#if ServerSentEvents
public import NIOCore

/// One event of a stream of the type `text/event-stream`, as the HTML standard defines it.
public struct ServerSentEvent: Hashable, Sendable {
    /// The event's type; browsers hand one without to the listeners of `message`.
    public var name: String?
    /// What the event says. Browsers do not dispatch an event without.
    public var data: String?
    /// What a browser sends as `Last-Event-ID` when it connects again; nil to leave that as it is.
    public var id: String?
    /// How long a browser waits before it connects again, in whole milliseconds.
    public var retryDelay: Duration?

    /// An event.
    public init(_ name: String? = nil, data: String? = nil, id: String? = nil, retryDelay: Duration? = nil) {
        self.name = name
        self.data = data
        self.id = id
        self.retryDelay = retryDelay
    }

    /// What keeps a connection alive and is no event.
    static let heartbeat = ":\n\n"

    /// Writes the event as the bytes of a stream: UTF-8, a line for each field, a `data` line for each line of the data, and an
    /// empty line.
    ///
    /// Line ends cannot be part of a name or an id, nor zero bytes of an id: they are left out.
    public func write(to buffer: inout ByteBuffer) {
        if let retryDelay { buffer.writeField("retry", ServerSentEvent.milliseconds(retryDelay)) }
        if let name { buffer.writeField("event", ServerSentEvent.oneLine(name)) }
        if let id { buffer.writeField("id", ServerSentEvent.oneLine(id).filter { $0 != "\0" }) }
        if let data {
            for line in ServerSentEvent.lines(data) { buffer.writeField("data", line) }
        }
        buffer.writeString("\n")
    }

    /// A number that a browser can read, whatever the duration.
    private static func milliseconds(_ duration: Duration) -> String {
        String(Int64(Swift.min(Swift.max(duration / .milliseconds(1), 0), 1e15)))
    }

    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" }))
    }

    /// The lines of a text: each ends with a line feed, a carriage return, or both, which Swift takes for one character.
    private static func lines(_ text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    }
}

extension ByteBuffer {
    fileprivate mutating func writeField(_ name: String, _ value: some StringProtocol) {
        writeString(name)
        writeString(": ")
        writeSubstring(Substring(value))
        writeString("\n")
    }
}
#endif
