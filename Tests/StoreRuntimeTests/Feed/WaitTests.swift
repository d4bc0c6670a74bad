import Foundation
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Waits for positions that this process has not reached.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct WaitTests {
    /// Creates a store with fixed time, random seed and process id. Twins that receive the same writes have the same positions,
    /// so one twin predicts the positions of another.
    private static func twin(retained: Int = 10_000) throws -> Store {
        var options = StoreOptions()
        options.clock = { Date(timeIntervalSinceReferenceDate: 0) }
        options.randomSeed = { 7 }
        options.originProcessID = 1
        options.limits.retainedChangeSets = retained
        return try Store.temporary(records: Sensor.self, options: options)
    }

    private static func write(_ number: Int, to store: Store) async throws -> Position {
        try await store.write(returning: .position) { tx in
            try tx.upsert(Sensor(id: "s", room: "r", serial: "A", celsius: Double(number)))
        }.position
    }

    /// Returns the position of a twin after each of `count` writes, numbered from 1.
    private static func positions(_ count: Int) async throws -> [Position] {
        let ahead = try twin()
        defer { ahead.close() }
        var positions: [Position] = []
        for number in 1...count { positions.append(try await write(number, to: ahead)) }
        return positions
    }

    /// Returns once a task waits for the feed to advance, or is about to.
    private static func isAwaited(_ store: Store) async {
        while !store.core.notifier.wantsEntries, !Task.isCancelled { await Task.yield() }
    }

    /// The waits that have ended.
    private final class Reached: Sendable {
        private let noted = Mutex<Set<Int>>([])

        var places: Set<Int> { noted.withLock { $0 } }

        func add(_ place: Int) { noted.withLock { _ = $0.insert(place) } }
    }

    @Test func `a wait lasts until what it waits for can be read, whatever is written before`() async throws {
        let positions = try await Self.positions(9)
        let store = try Self.twin()
        let reached = Reached()
        let waits = positions.indices.map { place in
            Task {
                try await store.wait(for: positions[place])
                reached.add(place)
                return try store.get(Sensor.self, id: "s")?.celsius ?? 0
            }
        }
        await Self.isAwaited(store)
        for place in positions.indices {
            #expect(reached.places.allSatisfy { $0 < place }, "before write \(place)")
            #expect(try await Self.write(place + 1, to: store) == positions[place])
        }
        for (place, wait) in waits.enumerated() { #expect(try await wait.value >= Double(place + 1)) }
    }

    @Test func `a wait ends with its task, and no other does`() async throws {
        let positions = try await Self.positions(1)
        let store = try Self.twin()
        let waits = (0..<20).map { _ in Task { try await store.wait(for: positions[0]) } }
        // The first five tasks are cancelled before their waits begin, the next five while they wait.
        for wait in waits[..<5] { wait.cancel() }
        await Self.isAwaited(store)
        for wait in waits[5..<10] { wait.cancel() }
        for wait in waits[..<10] { await #expect(throws: CancellationError.self) { try await wait.value } }
        _ = try await Self.write(1, to: store)
        for wait in waits[10...] { try await wait.value }
    }

    @Test func `closing a store ends its waits with that error`() async throws {
        let positions = try await Self.positions(1)
        let store = try Self.twin()
        let waits = (0..<5).map { _ in Task { try await store.wait(for: positions[0]) } }
        await Self.isAwaited(store)
        await store.shutdown()
        for wait in waits + [Task { try await store.wait(for: positions[0]) }] {
            let error = await #expect(throws: StoreError.self) { try await wait.value }
            #expect(error?.code == .closed)
        }
    }

    @Test func `a wait tells when the store comes to another history, and ends when what it waits for is gone again`()
        async throws
    {
        let positions = try await Self.positions(40)
        let other = try Self.twin()
        let diverging = Task { try await other.wait(for: positions[1]) }
        await Self.isAwaited(other)
        for number in [1, 1_000] { _ = try await Self.write(number, to: other) }
        let error = await #expect(throws: StoreError.self) { try await diverging.value }
        #expect(error?.code == .positionDiverged)

        let store = try Self.twin(retained: 1)
        let early = Task { try await store.wait(for: positions[0]) }
        for number in 1...40 { _ = try await Self.write(number, to: store) }
        try await early.value
        #expect(try store.feedRange.lowerBound > positions[0].sequence)
        try await store.wait(for: positions[0])
    }

    @Test func `closing one of two stores of a directory ends its own waits, and leaves the other's`() async throws {
        let ahead = try await Self.positions(1)
        let folder = try StoreFolder()
        let (first, second) = (
            try Store(at: folder.path, records: Sensor.self), try Store(at: folder.path, records: Sensor.self)
        )
        let start = try first.position
        let later = Position(
            store: start.store, epoch: start.epoch, sequence: start.sequence + 1, hash: ahead[0].hash)
        let closed = [
            Task { try await first.wait(for: later) },
            Task { for try await _ in first.changes(since: start) {} },
        ]
        let read = Task {
            for try await set in second.changes(since: start) { return set.sequence }
            return 0
        }
        await Self.isAwaited(first)
        first.close()
        for task in closed {
            let error = await #expect(throws: StoreError.self) { try await task.value }
            #expect(error?.code == .closed)
        }
        let written = try await Self.write(1, to: second)
        #expect(try await read.value == written.sequence)
        second.close()
    }
}
