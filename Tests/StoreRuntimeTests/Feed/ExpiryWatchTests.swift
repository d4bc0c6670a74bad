import Foundation
import Synchronization
import TestSupport
import Testing

@testable import StoreEngine
@testable import StoreRuntime

/// Which expired consumers a process reports.
@Suite struct ExpiryWatchTests {
    private static func consumer(
        _ name: String, at sequence: UInt64, isExpired: Bool, number: UInt32 = 1
    ) -> NamedConsumer {
        let position = Position(store: UUID(high: 1, low: 2), epoch: 3, sequence: sequence, hash: 4)
        var state = ConsumerState(
            number: number, generation: 1, position: position, created: .distantPast, lease: .none)
        state.isExpired = isExpired
        return NamedConsumer(name: name, state: state)
    }

    @Test func `an expiry is told once, and again when the consumer was reset and expires anew`() {
        var watch = ExpiryWatch()
        func told(_ consumers: NamedConsumer...) -> [String] { watch.look(at: consumers).map(\.name) }
        #expect(told(Self.consumer("a", at: 5, isExpired: false)) == [])
        #expect(told(Self.consumer("a", at: 5, isExpired: true), Self.consumer("b", at: 5, isExpired: false)) == ["a"])
        var taken = Self.consumer("a", at: 5, isExpired: true)
        taken.state.generation += 1
        #expect(told(taken, Self.consumer("b", at: 6, isExpired: true)) == ["b"])
        // The consumer was reset and expired again between two checks.
        #expect(told(Self.consumer("a", at: 9, isExpired: true)) == ["a"])
        #expect(told(Self.consumer("a", at: 9, isExpired: false)) == [])
        #expect(told(Self.consumer("a", at: 9, isExpired: true)) == ["a"])
        // The consumer was deleted and created again at the same position.
        #expect(told(Self.consumer("a", at: 9, isExpired: true, number: 2)) == ["a"])
    }

    @Test(.timeLimit(.minutes(TestLength.waitMinutes)))
    func `a program is told of a consumer that another has had expire, once`()
        async throws
    {
        let folder = try StoreFolder()
        do {
            let store = try Store(at: folder.path, records: Sensor.self)
            var options = ConsumerOptions()
            options.lease = .none
            _ = try await store.holdConsumer("late", options)
            store.close()
        }
        let told = Mutex<[String]>([])
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        var options = StoreOptions()
        options.limits.retainedChangeSets = 1_000
        options.upkeepSeconds = 0.01
        options.onEvent = { event in
            guard case .consumerExpired(let name, _) = event else { return }
            told.withLock { $0.append(name) }
            report.yield()
        }
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        // The consumer expires as if another process had expired it, not by this process's retention.
        _ = try await store.write { tx in
            var late = try #require(try tx._reading.consumer(named: "late"))
            late.isExpired = true
            try tx.put(late, named: "late")
        }
        for await _ in reports { break }
        // This takes longer than several rounds of upkeep. None of them may report the consumer again.
        for _ in 0..<10 {
            try await Task.sleep(for: .milliseconds(10))
            try store.core.perform {}
        }
        #expect(told.withLock { $0 } == ["late"])
    }

    @Test(.timeLimit(.minutes(TestLength.waitMinutes)))
    func `a program is told of a consumer that expires by its own retention`()
        async throws
    {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = 32
        options.onEvent = { event in
            if case .consumerExpired(let name, let position) = event { report.yield("\(name) \(position.sequence)") }
        }
        let store = try Store.temporary(records: Sensor.self, options: options)
        var late = ConsumerOptions()
        late.lease = .none
        let start = try await store.holdConsumer("late", late).firstPosition
        for number in 0..<40 {
            try await store.write { tx in
                try tx.upsert(Sensor(id: "s", room: "r", serial: "A", celsius: Double(number)))
            }
        }
        for await told in reports {
            #expect(told == "late \(start.sequence)")
            break
        }
    }
}
