import ModelStore
import ModelStoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("Seeded executor", .timeLimit(.minutes(TestLength.waitMinutes))) struct SeededExecutorTests {
    /// A log of events, in order.
    private final class Diary: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private actor Turnstile {
        private(set) var passed: [Int] = []
        func pass(_ number: Int) { passed.append(number) }
    }

    /// Runs some tasks that take turns and pass through an actor.
    private func turns(seed: UInt64) async throws -> [String] {
        let (diary, turnstile) = (Diary(), Turnstile())
        try await SeededExecutor(seed: seed).run {
            await withTaskGroup { group in
                for number in 0..<4 {
                    group.addTask {
                        for turn in 0..<5 {
                            diary.note("\(number).\(turn)")
                            await turnstile.pass(number)
                            await Task.yield()
                        }
                    }
                }
            }
        }
        return diary.all + (await turnstile.passed.map(String.init))
    }

    @Test(arguments: TestLength.seeds(20, long: 500)) func `The same seed gives the same schedule`(
        seed: UInt64
    ) async throws {
        let first = try await turns(seed: seed)
        for _ in 0..<5 { #expect(try await turns(seed: seed) == first) }
    }

    @Test func `Other seeds give other schedules, of the same work`() async throws {
        var schedules: Set<[String]> = []
        for seed in UInt64(1)...20 {
            let turns = try await turns(seed: seed)
            #expect(turns.sorted() == schedules.first?.sorted() ?? turns.sorted())
            schedules.insert(turns)
        }
        #expect(schedules.count > 10)
    }

    @Test func `What the body returns and throws comes out`() async throws {
        struct Wrong: Error {}
        let executor = SeededExecutor(seed: 1)
        #expect(try await executor.run { 7 } == 7)
        await #expect(throws: Wrong.self) { try await executor.run { throw Wrong() } }
    }

    @Test func `Cancelling the caller cancels the body`() async throws {
        let clock = TestClock()
        let task = Task {
            try await SeededExecutor(seed: 1).run { try await clock.sleep(for: .seconds(1)) }
        }
        try await clock.untilSleeping()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// Runs writers, and a subscriber to a live query that ends once it has seen all writes.
    private func program(seed: UInt64) async throws -> (diary: [String], position: Position) {
        let diary = Diary()
        let store = try Store.temporary(
            records: Lamp.self, options: .deterministic(seed: seed, worksOnCallers: true))
        defer { store.close() }
        try await SeededExecutor(seed: seed).run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await update in store.updates(of: FetchRequest<Lamp>()) {
                        diary.note("seen \(update.results.map(\.id)) at \(update.position.sequence)")
                        if update.results.count == 12 { return }
                    }
                }
                for number in 0..<4 {
                    group.addTask {
                        for turn in 0..<3 {
                            let committed = try await store.write(returning: .position) { tx in
                                try tx.insert(Lamp(id: "\(number).\(turn)"))
                            }
                            diary.note("wrote \(number).\(turn) at \(committed.position.sequence)")
                            await Task.yield()
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return (diary.all, try store.position)
    }

    @Test(arguments: TestLength.seeds(20, long: 500))
    func `Writers and followers of a store that works on their threads come in the seed's order`(
        seed: UInt64
    ) async throws {
        let first = try await program(seed: seed)
        #expect(first.diary.last?.hasPrefix("seen") == true || first.diary.count > 12)
        for _ in 0..<3 {
            let again = try await program(seed: seed)
            #expect(again.diary == first.diary)
            #expect(again.position == first.position)
        }
    }

    @Test func `Other seeds let writers and followers meet otherwise`() async throws {
        var diaries: Set<[String]> = []
        for seed in UInt64(1)...20 { diaries.insert(try await program(seed: seed).diary) }
        #expect(diaries.count > 10)
    }
}
