#if ServerSentEvents
import ModelStore
import NIOCore
import StoreEngine
import StoreRuntime

/// The stream of one client: the id of the rows that it has received, and the rest of the current step.
///
/// One task at a time uses it.
final class EventStream<R: Record> {
    private let query: LiveQuery<R>
    private let start: EventStart
    private let options: EventOptions
    private let signal = Signal()
    private let heartbeat: Heartbeat?
    private var steps: LiveSteps?
    private var batch: EventBatch?
    private var end = CancelledEnd()
    /// Whether the client has results that it has to discard.
    private var wasLost = false
    /// The id of the client's results.
    private var id: EventID?

    init(_ query: LiveQuery<R>, from start: EventStart, _ options: EventOptions) {
        self.query = query
        self.start = start
        self.options = options
        // The stream fails at its beginning if an option is outside its range.
        let interval = (try? options.check()) == nil ? nil : options.heartbeat
        heartbeat = interval.map { [signal] in Heartbeat.make(after: $0, by: options.clock, signal) }
    }

    /// Returns the next bytes; nil when the task is cancelled.
    func next() async throws -> ByteBuffer? {
        if end.hasCome { return nil }
        if steps == nil { try options.check() }
        var buffer = ByteBuffer()
        if batch == nil {
            let isFirst = steps == nil
            guard let (step, id) = try await nextStep() else { return Task.isCancelled ? nil : silence() }
            if isFirst { ServerSentEvent(retryDelay: options.retryDelay).write(to: &buffer) }
            batch = EventBatch(step, id: id, wasLost: isFirst && wasLost)
            self.id = id
        }
        while buffer.readableBytes < options.chunkByteCount {
            guard let event = try batch?.next() else {
                batch = nil
                break
            }
            event.write(to: &buffer)
        }
        return buffer.readableBytes > 0 ? buffer : try await next()
    }

    /// Returns the next step and the id of the client's results after it; nil when the task is cancelled or a heartbeat is due.
    private func nextStep() async throws -> (LiveStep, EventID)? {
        var heartbeat = heartbeat
        if let heartbeat, steps != nil { heartbeat.begin() } else { heartbeat = nil }
        let steps = try steps ?? begin()
        guard let step = try await steps.next(isInterrupted: { heartbeat?.isDue ?? false }) else { return nil }
        return (step, EventID(step.new.position, steps.fingerprint(step)))
    }

    private func begin() throws -> LiveSteps {
        let new = try query.steps(signal, since: start.id?.position, of: start.id?.fingerprint)
        wasLost = start.hadResults && !new.isResumed
        steps = new
        return new
    }

    /// Returns the bytes to send after a silence. They contain the position if it has changed, so that a client that reconnects
    /// does not ask for change sets that it received long ago. Otherwise they are a comment.
    private func silence() -> ByteBuffer {
        guard let id, let position = steps?.quietPosition(), position != id.position else {
            return ByteBuffer(string: ServerSentEvent.heartbeat)
        }
        let newer = EventID(position, id.fingerprint)
        self.id = newer
        var buffer = ByteBuffer()
        ServerSentEvent(id: newer.description).write(to: &buffer)
        return buffer
    }
}

/// The state that a client reports.
struct EventStart: Sendable {
    /// The id of its results, if it can be parsed.
    let id: EventID?
    /// Whether it has results.
    let hadResults: Bool

    /// - Parameter lastEventID: the header of the same name.
    init(lastEventID: String?) {
        let token = lastEventID ?? ""
        hadResults = !token.isEmpty
        id = EventID(token)
    }
}
#endif
