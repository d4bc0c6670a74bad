import LMDB
import StoreEngine
import Testing
import TestSupport

@testable import StoreRuntime

/// Readers that hold a snapshot while writers commit.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct HeldSnapshotTests {
    private static let page = 4_096

    private static func limits(
        age: Duration? = nil, commitCount: Int? = nil, byteCount: Int? = nil
    ) -> SnapshotLimits {
        var limits = SnapshotLimits()
        limits.age = age
        limits.commitCount = commitCount
        limits.byteCount = byteCount
        return limits
    }

    private static func reader(_ process: Int32, at transaction: Int?) -> LMDBReader {
        LMDBReader(processID: process, threadID: UInt(process), transactionID: transaction)
    }

    @Test func `a snapshot is reported beyond each limit, once`() {
        let start = ContinuousClock.now
        let cases: [(SnapshotLimits, newest: Int, seconds: Int, pages: Int)] = [
            (Self.limits(age: .seconds(60)), 11, 61, 0), (Self.limits(commitCount: 5), 16, 0, 0),
            (Self.limits(byteCount: 10 * Self.page), 11, 0, 11),
        ]
        for (limits, newest, seconds, pages) in cases {
            var watch = SnapshotWatch(limits)
            let readers = [Self.reader(7, at: 10), Self.reader(8, at: newest), Self.reader(9, at: nil)]
            // One below each limit.
            #expect(watch.look(readers, newest: 11, now: start) { _ in 10 * Self.page } == nil)
            let now = start + .seconds(seconds)
            let found = watch.look(readers, newest: newest, now: now) { _ in pages * Self.page }
            #expect(
                found
                    == HeldSnapshot(
                        processID: 7, commitCount: newest - 10, byteCount: pages * Self.page, age: .seconds(seconds)))
            #expect(
                watch.look([Self.reader(7, at: 10)], newest: newest + 1, now: now) { _ in pages * Self.page } == nil)
        }
    }

    @Test func `a snapshot is reported again when it keeps twice as much from reuse`() {
        var watch = SnapshotWatch(Self.limits(byteCount: 10 * Self.page))
        let reports = [9, 11, 12, 21, 22, 43, 44, 45].map { pages in
            watch.look([Self.reader(7, at: 10)], newest: 20, now: .now) { _ in pages * Self.page } != nil
        }
        #expect(reports == [false, true, false, false, true, false, true, false])
        // A reader that began again holds another snapshot.
        #expect(watch.look([Self.reader(7, at: 15)], newest: 20, now: .now) { _ in 11 * Self.page } != nil)
    }

    @Test func `of several readers, the one with the oldest snapshot is reported, with its own age`() {
        var watch = SnapshotWatch(Self.limits(commitCount: 1))
        let start = ContinuousClock.now
        let both = [Self.reader(7, at: 12), Self.reader(8, at: 10)]
        #expect(watch.look(both, newest: 20, now: start) { $0 }?.processID == 8)
        #expect(watch.look(both, newest: 21, now: start) { $0 } == nil)
        // The other one was seen at the beginning too.
        let held = watch.look([both[0]], newest: 21, now: start + .seconds(5)) { $0 }
        #expect(held == HeldSnapshot(processID: 7, commitCount: 9, byteCount: 12, age: .seconds(5)))
    }

    @Test func `a store that is open for writing reports a reader while it commits, and shows what it holds`()
        async throws
    {
        let folder = try StoreFolder()
        let (reports, continuation) = AsyncStream<HeldSnapshot>.makeStream()
        var options = StoreOptions()
        options.upkeepSeconds = 0.01
        options.snapshotLimits = Self.limits(byteCount: 100 * Self.page)
        options.onEvent = { if case .snapshotHeld(let held) = $0 { continuation.yield(held) } }
        let store = try Store(at: folder.path, records: Sensor.self, options: options)
        defer { store.close() }
        for number in 0..<500 {
            try await store.write(durability: .relaxed) { tx in
                _ = try tx.insert(Sensor(id: "s\(number)", room: "r", serial: "\(number)"))
            }
        }
        #expect(try store.usage().oldestReaderByteCount == 0)
        let transaction = try store.core.beginRead()
        for number in 0..<200 {
            try await store.write(durability: .relaxed) { tx in
                try tx.update(Sensor.self, id: "s\(number)") { $0.celsius += 1 }
            }
        }
        let usage = try store.usage()
        #expect(usage.oldestReaderAge == 200 && usage.oldestReaderByteCount > 400 * Self.page, "\(usage)")
        var iterator = reports.makeAsyncIterator()
        let held = try #require(await iterator.next())
        #expect(held.byteCount > 100 * Self.page && held.commitCount > 0 && held.commitCount <= 200, "\(held)")
        withExtendedLifetime(transaction) {}
    }
}
