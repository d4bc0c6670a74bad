#if ServerSentEvents
public import NIOCore

/// One event of a stream of the type `text/event-stream`, as the HTML standard defines it.
public struct ServerSentEvent: Hashable, Sendable {
    /// The event's type. Browsers dispatch an event without a type to the listeners of `message`.
    public var name: String?
    /// The event's data. Browsers do not dispatch an event without data.
    public var data: String?
    /// The id that a browser sends as `Last-Event-ID` when it reconnects; nil to keep the previous id.
    public var id: String?
    /// How long a browser waits before it reconnects, in whole milliseconds.
    public var retryDelay: Duration?

    /// An event.
    public init(_ name: String? = nil, data: String? = nil, id: String? = nil, retryDelay: Duration? = nil) {
        self.name = name
        self.data = data
        self.id = id
        self.retryDelay = retryDelay
    }

    /// A comment, which is not an event and keeps a connection alive.
    static let heartbeat = ":\n\n"

    /// Writes the event as the bytes of a stream: UTF-8, a line for each field, a `data` line for each line of the data, and an
    /// empty line.
    ///
    /// Names and ids cannot contain line ends, and ids cannot contain zero bytes: the method removes them.
    public func write(to buffer: inout ByteBuffer) {
        if let retryDelay { buffer.writeField("retry", ServerSentEvent.milliseconds(retryDelay)) }
        if let name { buffer.writeField("event", ServerSentEvent.oneLine(name)) }
        if let id { buffer.writeField("id", ServerSentEvent.oneLine(id).filter { $0 != "\0" }) }
        if let data {
            for line in ServerSentEvent.lines(data) { buffer.writeField("data", line) }
        }
        buffer.writeString("\n")
    }

    /// Returns a number that a browser can read, for any duration.
    private static func milliseconds(_ duration: Duration) -> String {
        String(Int64(Swift.min(Swift.max(duration / .milliseconds(1), 0), 1e15)))
    }

    private static func oneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" }))
    }

    /// Returns the lines of a text. Each ends with a line feed, a carriage return, or both, which Swift treats as one character.
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
