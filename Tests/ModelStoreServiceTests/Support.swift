#if ServiceLifecycle && Logging && Metrics
import Dispatch
import Foundation
import ModelStore
import Synchronization

/// A record to count.
@Record
struct Sale {
    @ID var id: Int
    var cents: Int = 100
}

/// A consumer's total of the sales.
@Record
struct Total {
    @ID var id: String
    var cents: Int = 0
}

/// Waits for the task to be cancelled, like a slow effect.
func cancellation() async throws {
    let (never, continuation) = AsyncStream<Never>.makeStream()
    for await _ in never {}
    withExtendedLifetime(continuation) {}
    try Task.checkCancellation()
}

/// A store that stays on disk until the test ends, so that the test can read it after a service has closed it.
final class TestStore: Sendable {
    let path = NSTemporaryDirectory() + "modelstore-service-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Creates a store that is not needed after it is closed.
    static func temporary(_ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.temporary(records: Sale.self, Total.self, options: options)
    }

    /// Opens the store.
    func open(_ options: StoreOptions = StoreOptions()) throws -> Store {
        var own = options
        own.durability = .relaxed
        return try Store(at: path, records: Sale.self, Total.self, options: own)
    }
}

extension Store {
    /// Writes sales, each in its own write.
    func sell(_ ids: Range<Int>) async throws {
        for id in ids { try await write { try $0.insert(Sale(id: id)) } }
    }

    /// Returns the total of the consumer `totals`.
    func total() throws -> Int { try read { try $0.get(Total.self, id: "all")?.cents ?? 0 } }
}

/// Adds up sales in the store.
@Sendable func addUp(_ set: ChangeSet, _ tx: inout WriteTransaction) throws {
    for change in try set.changes(of: Sale.self) {
        var total = try tx.get(Total.self, id: "all") ?? Total(id: "all")
        total.cents += change.after?.cents ?? 0
        try tx.upsert(total)
    }
}

/// Signals one event to one waiting task.
struct Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Signals the event.
    func give() { continuation.yield() }

    /// Waits for the event.
    func wait() async {
        for await _ in stream { return }
    }
}

/// Signals one event to one blocked thread.
final class DispatchSignal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// Signals the event.
    func give() { semaphore.signal() }

    /// Blocks until the event.
    func wait() { semaphore.wait() }
}

/// Values in the order in which they were added.
final class Notes<Value: Sendable>: Sendable {
    private let noted = Mutex<[Value]>([])

    /// All values.
    var values: [Value] { noted.withLock { $0 } }

    /// Adds a value.
    func note(_ value: Value) { noted.withLock { $0.append(value) } }
}

/// An intended failure of a test.
struct Refusal: Error, CustomStringConvertible {
    let description = "refused"
}
#endif
