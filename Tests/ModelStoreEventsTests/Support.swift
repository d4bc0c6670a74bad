#if ServerSentEvents
import ModelStore
import ModelStoreEvents
import NIOCore
import Synchronization

@Record
struct Sensor {
    @ID var id: String
    var celsius: Double = 20
    var note: String?
}

@Record
struct Reading {
    @ID var sensor: String
    @ID var number: Int
    var text: String = ""
}

extension Store {
    static func ofSensors(_ count: Int = 1, _ options: StoreOptions = StoreOptions()) async throws -> Store {
        var options = options
        options.durability = .relaxed
        let store = try Store.temporary(records: Sensor.self, Reading.self, options: options)
        try await store.write { tx in
            for number in 0..<count { try tx.insert(Sensor(id: "s\(number)")) }
        }
        return store
    }

    /// Sets a sensor's temperature.
    @discardableResult
    func heat(_ id: String = "s0", to celsius: Double) async throws -> Position {
        try await write(returning: .position) { try $0.update(Sensor.self, id: id) { $0.celsius = celsius } }.position
    }
}

/// A client of a stream that reads as the HTML standard specifies.
struct Client<R: Record> {
    struct Event: Equatable, CustomStringConvertible {
        var name = "message"
        var data: [String] = []

        var description: String { "\(name) \(data.joined(separator: "\n"))" }
    }

    private var iterator: ServerSentEvents<R>.Iterator
    private(set) var lastEventID: String
    /// The content of each buffer.
    private(set) var buffers: [String] = []

    init(_ events: ServerSentEvents<R>, lastEventID: String? = nil) {
        iterator = events.makeAsyncIterator()
        self.lastEventID = lastEventID ?? ""
    }

    /// The position of its rows.
    var position: Position? { lastEventID.lastIndex(of: ".").flatMap { Position(String(lastEventID[..<$0])) } }

    /// Returns the events of the next buffer; none for a comment.
    mutating func read() async throws -> [Event]? {
        guard let buffer = try await iterator.next() else { return nil }
        let text = String(buffer: buffer)
        buffers.append(text)
        var events: [Event] = []
        var event = Event()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.isEmpty {
                if !event.data.isEmpty { events.append(event) }
                event = Event()
                continue
            }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let value = parts.count > 1 && parts[1].hasPrefix(" ") ? String(parts[1].dropFirst()) : parts.last ?? ""
            switch parts[0] {
            case "event": event.name = value
            case "data": event.data.append(value)
            case "id": lastEventID = value
            default: break
            }
        }
        return events
    }

    /// Returns the events up to the next `ready`.
    mutating func readStep() async throws -> [String] {
        var events: [Event] = []
        while events.last?.name != "ready", let more = try await read() { events += more }
        return events.map(\.description)
    }
}

/// A clock that stands still until a test advances it.
final class TestClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var sleepers: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var cancelled: Set<Int> = []
        var last = 0
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }
    /// The number of sleeping tasks.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = (deadline, continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                if state.sleepers[number] == nil { state.cancelled.insert(number) }
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances the time.
    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}

/// Waits until a condition holds; the tests' time limit ends the wait otherwise.
func until(_ holds: () -> Bool) async {
    while !holds(), !Task.isCancelled { await Task.yield() }
}
#endif
