import LMDB
import StoreEngine
import Testing
import TestSupport

@testable import StoreRuntime

/// The system cannot start one of the store's threads. The caller that needs it receives an error, and does not wait.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ThreadTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    /// Makes the start of a thread fail, after `count` that succeed, while `body` runs.
    private func failing<T>(after count: Int = 0, times: Int = .max, _ body: () async throws -> T) async rethrows -> T {
        // The code of a limit on threads.
        let eagain: Int32 = 11
        let number = CallFaults.withPlan(at: folder.path) {
            $0.add(.startThread, .fails(code: eagain), after: count, times: times)
        }
        defer { CallFaults.withPlan(at: folder.path) { _ = $0.remove(number) } }
        return try await body()
    }

    private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `a store without a writer's thread is not opened, and the next open succeeds`() async throws {
        let path = folder.path
        #expect(await failing { await code { _ = try Store(at: path, records: Sensor.self) } } == .threadUnavailable)
        #expect(
            await failing { await code { _ = try await Store.open(at: path, records: Sensor.self) } }
                == .threadUnavailable)
        let store = try Store(at: path, records: Sensor.self)
        defer { store.close() }
        try await store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
    }

    @Test(arguments: [0, 2]) func `a live query ends with the error, and the next one works`(count: Int) async throws {
        let store = try Store(at: folder.path, records: Sensor.self)
        defer { store.close() }
        let updates = store.updates(of: FetchRequest<Sensor>())
        #expect(await failing(after: count) { await code { for try await _ in updates {} } } == .threadUnavailable)
        var iterator = store.updates(of: FetchRequest<Sensor>()).makeAsyncIterator()
        #expect(try await iterator.next()?.results.isEmpty == true)
        try await store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
        #expect(try await iterator.next()?.results.count == 1)
    }

    @Test func `without the thread that watches the file, everything works`() async throws {
        let store = try Store(at: folder.path, records: Sensor.self)
        defer { store.close() }
        let updates = store.updates(of: FetchRequest<Sensor>())
        let count = try await failing(after: 1, times: 1) {
            for try await update in updates { return update.results.count }
            return -1
        }
        #expect(count == 0)
    }

    @Test func `the feed, consumers and waiting tasks end with the error, and work afterwards`() async throws {
        let store = try Store(at: folder.path, records: Sensor.self)
        defer { store.close() }
        let position = try store.position
        let ahead = Position(
            store: position.store, epoch: position.epoch, sequence: position.sequence + 1, hash: position.hash)
        let codes = await failing {
            let feed = await code { for try await _ in store.changes(from: .newest) {} }
            let consumer = await code { try await store.consume("totals") { _, _ in } }
            return [feed, consumer, await code { try await store.wait(for: ahead) }]
        }
        #expect(codes == Array(repeating: .threadUnavailable, count: 3))
        let reading = Task {
            var iterator = store.changes(from: .oldest).makeAsyncIterator()
            return try await iterator.next() != nil
        }
        try await store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
        #expect(try await reading.value)
    }
}
