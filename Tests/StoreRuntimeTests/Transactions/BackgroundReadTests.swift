import Dispatch
import Foundation
import Glibc
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Reads on threads outside of the cooperative pool.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct BackgroundReadTests {
    @TaskLocal static var mark = 0

    private static func store(_ count: Int = 3) async throws -> Store {
        let store = try Store.temporary(records: Sensor.self)
        try await store.write { tx in
            for number in 0..<count {
                try tx.insert(Sensor(id: "\(1_000 + number)", room: "r", serial: "\(number)"))
            }
        }
        return store
    }

    /// The name of the calling thread.
    private static var threadName: String {
        (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8).trimmingCharacters(in: .newlines)) ?? ""
    }

    @Test func `a background read runs on a thread of its own, in the task that asks, whatever actor that has`()
        async throws
    {
        let store = try await Self.store()
        let body: @Sendable (inout ReadTransaction) throws -> [String] = { tx in
            #expect(Self.mark == 7)
            return [Self.threadName, "\(try tx.count(Sensor.self))"]
        }
        try await Self.$mark.withValue(7) {
            let found = try await store.read(on: .background, body)
            #expect(found == ["store-read", "3"])
            let onMain = Task { @MainActor in
                let found = try await store.read(on: .background, body)
                MainActor.assertIsolated()
                return found
            }
            let foundOnMain = try await onMain.value
            #expect(foundOnMain == ["store-read", "3"])
        }
        #expect(Self.threadName != "store-read")
    }

    @Test func `a background fetch gives what a fetch gives, and its errors`() async throws {
        let store = try await Self.store(700)
        let request = Sensor.where { $0.room == "r" }.order { $0.id.descending }.limit(600)
        #expect(try await store.fetch(request, on: .background) == store.fetch(request))
        struct Refusal: Error {}
        await #expect(throws: Refusal.self) { try await store.read(on: .background) { _ in throw Refusal() } }
        let invalid = await storeError { _ = try await store.fetch(Sensor.all.limit(-1), on: .background) }
        #expect(invalid?.code == .invalidValue)
        store.close()
        #expect(await storeError { _ = try await store.fetch(request, on: .background) }?.code == .closed)
    }

    private final class Running: Sendable {
        let count = Atomic(0)
    }

    @Test func `a thousand tasks read while the pool stays free, and all of them end`() async throws {
        let store = try await Self.store()
        let free = DispatchSemaphore(value: 0)
        let running = Running()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    try await store.read(on: .background) { tx in
                        running.count.wrappingAdd(1, ordering: .relaxed)
                        free.wait()
                        return try tx.count(Sensor.self)
                    }
                }
            }
            // The reads hold their threads. Other tasks run all the same, and no more reads begin than have a place.
            while running.count.load(ordering: .relaxed) < 4 { try await nextTurn() }
            let other = Task { try store.count(Sensor.self) }
            #expect(try await other.value == 3)
            #expect(running.count.load(ordering: .relaxed) < 1_000)
            for _ in 0..<1_000 { free.signal() }
            var count = 0
            for try await found in group { count += found == 3 ? 1 : 0 }
            #expect(count == 1_000)
        }
    }

    @Test func `a read that waits ends at once when it is cancelled, and the others have its place`() async throws {
        let gate = ReadGate(limit: 1)
        try await gate.enter()
        let waiting = (0..<3).map { _ in Task.immediate { try await gate.enter() } }
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        gate.leave()
        try await waiting[1].value
        gate.leave()
        try await waiting[2].value
        gate.leave()
        try await gate.enter()
        let late = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await gate.enter()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test func `a running read sees that its task is cancelled, and a fetch ends with that`() async throws {
        let store = try await Self.store()
        let began = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            try await store.read(on: .background) { _ in
                began.continuation.yield()
                while !Task.isCancelled { sched_yield() }
                return true
            }
        }
        _ = await began.stream.first { true }
        reading.cancel()
        #expect(try await reading.value)
        let cancelled = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await store.fetch(Sensor.all, on: .background)
        }
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
    }
}
