#if ServiceLifecycle && Logging && Metrics
import Dispatch
import Foundation
import ModelStore
import Synchronization

/// Something to count.
@Record
struct Sale {
    @ID var id: Int
    var cents: Int = 100
}

/// What a consumer makes of sales.
@Record
struct Total {
    @ID var id: String
    var cents: Int = 0
}

/// Waits for the task to be cancelled, as an effect does that takes its time.
func cancellation() async throws {
    let (never, continuation) = AsyncStream<Never>.makeStream()
    for await _ in never {}
    withExtendedLifetime(continuation) {}
    try Task.checkCancellation()
}

/// A store that stays on disk until the test ends, so that it can be looked at after a service has closed it.
final class TestStore: Sendable {
    let path = NSTemporaryDirectory() + "modelstore-service-" + UUID().uuidString

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A store that need not outlive its closing.
    static func temporary(_ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.temporary(records: Sale.self, Total.self, options: options)
    }

    /// Opens it.
    func open(_ options: StoreOptions = StoreOptions()) throws -> Store {
        var own = options
        own.durability = .relaxed
        return try Store(at: path, records: Sale.self, Total.self, options: own)
    }
}

extension Store {
    /// Writes sales, each in a write of its own.
    func sell(_ ids: Range<Int>) async throws {
        for id in ids { try await write { try $0.insert(Sale(id: id)) } }
    }

    /// What the consumer `totals` has added up.
    func total() throws -> Int { try read { try $0.get(Total.self, id: "all")?.cents ?? 0 } }
}

/// Adds sales up in the store.
@Sendable func addUp(_ set: ChangeSet, _ tx: inout WriteTransaction) throws {
    for change in try set.changes(of: Sale.self) {
        var total = try tx.get(Total.self, id: "all") ?? Total(id: "all")
        total.cents += change.after?.cents ?? 0
        try tx.upsert(total)
    }
}

/// Tells one waiting task that something has happened.
struct Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// It has happened.
    func give() { continuation.yield() }

    /// Waits until it has.
    func wait() async {
        for await _ in stream { return }
    }
}

/// Tells one blocked thread that something has happened.
final class DispatchSignal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    /// It has happened.
    func give() { semaphore.signal() }

    /// Blocks until it has.
    func wait() { semaphore.wait() }
}

/// Values in the order in which they were noted.
final class Notes<Value: Sendable>: Sendable {
    private let noted = Mutex<[Value]>([])

    /// All of them.
    var values: [Value] { noted.withLock { $0 } }

    /// Adds one.
    func note(_ value: Value) { noted.withLock { $0.append(value) } }
}

/// A failure that a test wants.
struct Refusal: Error, CustomStringConvertible {
    let description = "refused"
}
#endif
