import Dispatch
import Foundation
import LMDB
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// How the notifier resumes tasks that wait for the feed, and when its threads rest.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct FeedNotifierTests {
    @Test func `a thread rests only while nobody waits and nobody has waited`() {
        var state = FeedNotifierState()
        let unparked = Mutex(0)
        func park(_ waitCount: UInt64) -> Bool {
            state.park(ifNoneWaitedSince: waitCount) { unparked.withLock { $0 += 1 } }
        }
        #expect(park(0))
        let id = state.makeID()
        #expect(!park(0), "somebody is about to wait")
        #expect(state.wait(id, after: 0) { _ in } == nil)
        for unpark in state.takeParked() { unpark() }
        #expect(unparked.withLock { $0 } == 1)
        #expect(!park(id), "somebody waits")
        for resume in state.advance(to: 1) { resume(.moved) }
        #expect(park(id))
        state.listen()
        #expect(state.takeParked().count == 1)
        #expect(!park(id), "somebody listens")
        state = FeedNotifierState()
        _ = state.stop()
        #expect(!park(0), "it is to end")
    }

    @Test func `a wait for any commit ends with one since the wakes were counted, and with no other`() {
        var state = FeedNotifierState()
        let count = state.wakeCount
        #expect(state.wake().isEmpty)
        var id = state.makeID()
        #expect(state.wait(id, afterWake: count) { _ in } == .moved, "it came before the wait")
        id = state.makeID()
        #expect(state.wait(id, afterWake: state.wakeCount) { _ in } == nil)
        #expect(state.isAwaited)
        #expect(state.advance(to: 3).isEmpty, "that is for waits for change sets")
        #expect(state.wake().count == 1)
        #expect(!state.isAwaited && state.wake().isEmpty)
        id = state.makeID()
        #expect(state.wait(id, afterWake: state.wakeCount) { _ in } == nil)
        #expect(state.cancel(id) != nil && !state.isAwaited)
        id = state.makeID()
        #expect(state.wait(id, afterWake: state.wakeCount) { _ in } == nil)
        #expect(state.stop().count == 1)
        id = state.makeID()
        #expect(state.wait(id, afterWake: state.wakeCount) { _ in } == .closed)
    }

    @Test func `after some commits for nobody the writer hands nothing over, until somebody waits again`() async throws
    {
        let store = try Store.temporary(records: Sensor.self)
        let core = store.core
        let position = try store.position
        try await Self.write(1, to: store)
        var tail = FeedTail(store, after: position, FeedOptions())
        #expect(try tail.next() != nil)
        let first = try store.position.sequence
        async let wake = core.notifier.wait(after: first, core.access)
        while !core.notifier.wantsEntries { try await nextTurn() }
        try await Self.write(2, to: store)
        #expect(try await wake == .moved)
        var number = 2
        while core.notifier.wantsEntries {
            number += 1
            try await Self.write(number, to: store)
        }
        try #require(number > 20, "it does not rest at once")
        var count = 0
        while try tail.next() != nil { count += 1 }
        #expect(count == number - 1, "the store has the change sets that were not handed over")
        let last = try store.position.sequence
        async let wakeAgain = core.notifier.wait(after: last, core.access)
        while !core.notifier.wantsEntries { try await nextTurn() }
        try await Self.write(number + 1, to: store)
        #expect(try await wakeAgain == .moved)
        #expect(try tail.next() != nil)
    }

    private static func write(_ number: Int, to store: Store) async throws {
        try await store.write { tx in
            try tx.upsert(Sensor(id: "s", room: "r", serial: "A", celsius: Double(number)))
        }
    }

    /// The thread parks at every opportunity, so that waits and rests cross all the time. A lost wake shows as a wait that never
    /// ends.
    @Test(.serialized, arguments: 0..<(TestLength.isLong ? 20 : 5))
    func `no wake is lost when waits and rests cross`(part: Int) async throws {
        let seed = UInt64.random(in: 0...(.max))
        // On a busy machine, a thousand rounds take up to a minute. The time limit applies to each part.
        let rounds: UInt64 = 1_000
        let folder = try StoreFolder()
        let dataPath = folder.path + "/data.mdb"
        #expect(FileManager.default.createFile(atPath: dataPath, contents: nil))
        let newest = Box(Atomic<UInt64>(0))
        let wanted = Box(Atomic<UInt64>(0))
        let notifier = FeedNotifier(
            path: folder.path, wakeFile: try WakeFile(in: folder.path, fileMode: 0o600, isReadOnly: false),
            vainLookLimit: 1)
        let access = FeedNotifier.Access {
            (newest.value.load(ordering: .sequentiallyConsistent), nil)
        } noteForeignWrite: {
        }
        let other = try WakeFile(in: folder.path, fileMode: 0o600, isReadOnly: false)
        let isWanted = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var random = TestRandom(seed: seed)
            let file = FileHandle(forWritingAtPath: dataPath)
            for round in 1...rounds {
                // A thread that rests begins after the wait. While the machine is busy, one that does not takes a core from the
                // other tests.
                var looks = 0
                while wanted.value.load(ordering: .acquiring) < round {
                    looks += 1
                    if looks < 1_000 { sched_yield() } else { isWanted.wait() }
                }
                for _ in 0..<Int.random(in: 0...200, using: &random) { _ = wanted.value.load(ordering: .acquiring) }
                newest.value.store(round, ordering: .sequentiallyConsistent)
                switch Int.random(in: 0..<100, using: &random) {
                case 0: file?.write(Data([1]))
                case 1..<30: notifier.committed(round, [])
                default: other.wakeAll()
                }
                // These wakes reach no waiting task, which gives the thread a reason to rest.
                for _ in 0..<Int.random(in: 0...2, using: &random) { other.wakeAll() }
            }
        }
        var random = TestRandom(seed: seed &+ 1)
        for round in 0..<rounds {
            wanted.value.store(round + 1, ordering: .releasing)
            isWanted.signal()
            for _ in 0..<Int.random(in: 0...200, using: &random) { _ = newest.value.load(ordering: .acquiring) }
            let wake = try await notifier.wait(after: round, access)
            try #require(wake == .moved, "part \(part), seed \(seed), round \(round)")
        }
        notifier.stop()
        #expect(try await notifier.wait(after: rounds, access) == .closed)
    }

    private final class Box<Value: ~Copyable & Sendable>: Sendable {
        let value: Value

        init(_ value: consuming Value) { self.value = value }
    }

    @Test func `who hears of every move is called alike after any number of them`() throws {
        let store = try Store.temporary(records: Sensor.self)
        let core = store.core
        let depths = Mutex<[Int]>([])
        // The store's own threads call this closure, too.
        let own = pthread_self()
        try core.notifier.listen(core.access) {
            guard pthread_self() == own else { return }
            depths.withLock { $0.append(Thread.callStackReturnAddresses.count) }
        }
        let start = try store.position.sequence
        for number in 1...100 as ClosedRange<UInt64> { core.notifier.committed(start + number, []) }
        let noted = depths.withLock { $0 }
        #expect(noted.count == 100 && Set(noted).count == 1, "calls as deep as \(noted)")
    }
}
