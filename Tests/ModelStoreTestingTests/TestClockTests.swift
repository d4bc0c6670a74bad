import Foundation
@testable import ModelStoreTesting
import Synchronization
import TestSupport
import Testing

@Suite("Test clock", .timeLimit(.minutes(TestLength.waitMinutes))) struct TestClockTests {
    /// A log of events, in order.
    private final class Diary: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    @Test func `A clock stands until it is moved`() {
        let clock = TestClock()
        let start = clock.now
        #expect(clock.date() == Date(timeIntervalSinceReferenceDate: 0))
        #expect(clock.now == start)
        clock.advance(by: .seconds(90))
        #expect(start.duration(to: clock.now) == .seconds(90))
        #expect(clock.date() == Date(timeIntervalSinceReferenceDate: 90))
        clock.advance(to: start.advanced(by: .seconds(100)))
        #expect(clock.date() == Date(timeIntervalSinceReferenceDate: 100))
    }

    @Test func `Sleepers wake when their time has come, and not before`() async throws {
        let (clock, diary) = (TestClock(), Diary())
        var tasks: [Task<Void, any Error>] = []
        for seconds in [3, 1, 2] {
            tasks.append(
                Task {
                    try await clock.sleep(for: .seconds(seconds))
                    diary.note("\(seconds)")
                })
        }
        try await clock.untilSleeping(3)
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleeperCount == 3)
        clock.advance(by: .milliseconds(1))
        try await tasks[1].value
        #expect(diary.all == ["1"])
        #expect(clock.nextDeadline?.offset == .seconds(2))
        #expect(clock.advanceToNextDeadline())
        try await tasks[2].value
        #expect(diary.all == ["1", "2"])
        clock.advance(by: .seconds(10))
        try await tasks[0].value
        #expect(!clock.advanceToNextDeadline())
        #expect(clock.now.offset == .seconds(12))
    }

    @Test func `Who sleeps until a time that is past does not sleep`() async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: TestClock.Instant(offset: .seconds(5)))
        try await clock.sleep(for: .zero)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `A sleeper that is cancelled wakes at once, and is counted no more`() async throws {
        let clock = TestClock()
        let cancelled = Task { try await clock.sleep(for: .seconds(1)) }
        let kept = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.untilSleeping(2)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await kept.value
    }

    @Test func `A task that was cancelled before does not sleep`() async throws {
        let clock = TestClock()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `A wait for sleepers ends when they sleep, or when it is cancelled`() async throws {
        let clock = TestClock()
        let waiting = Task { try await clock.untilSleeping(3) }
        let sleepers = (0..<2).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
        try await clock.untilSleeping(2)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        clock.advance(by: .seconds(1))
        for sleeper in sleepers { try await sleeper.value }
    }

    /// Compares the queue with a list that is sorted on demand.
    @Test(arguments: TestLength.seeds(200, long: 2_000))
    func `Whoever sleeps is woken by deadline, and by arrival where that is the same`(seed: UInt64) {
        var random = TestRandom(seed: seed)
        var queue = SleepQueue<Int, Int>()
        var (sleeping, woken, expected): ([(deadline: Duration, number: Int)], [Int], [Int]) = ([], [], [])
        for _ in 0..<60 {
            switch random.below(4) {
            case 0, 1:
                let (number, deadline) = (queue.number(), queue.now + .seconds(random.below(6) + 1))
                #expect(queue.sleep(number, until: deadline, number).isEmpty)
                sleeping.append((deadline, number))
            case 2:
                guard let index = sleeping.indices.randomElement(using: &random) else { continue }
                let number = sleeping.remove(at: index).number
                #expect(queue.cancelSleep(number) == number)
                #expect(queue.cancelSleep(number) == nil)
            default:
                woken += queue.move(to: queue.now + .seconds(random.below(3)))
                let due = sleeping.filter { $0.deadline <= queue.now }
                sleeping.removeAll { $0.deadline <= queue.now }
                expected += due.sorted { ($0.deadline, $0.number) < ($1.deadline, $1.number) }.map(\.number)
            }
            #expect(woken == expected)
            #expect(queue.count == sleeping.count)
            #expect(queue.nextDeadline == sleeping.map(\.deadline).min())
        }
    }
}
