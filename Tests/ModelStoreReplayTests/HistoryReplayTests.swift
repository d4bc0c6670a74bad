import Foundation
import ModelStore
import ModelStoreReplay
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

@Suite("Replays of random histories") struct HistoryReplayTests {
    static let seeds = TestLength.seeds(6, long: 2_000)

    @Test(arguments: seeds)
    func `What was recorded is replayed in records, feed and deliveries`(seed: UInt64) async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Room.self, Sensor.self, Ticket.self)
        var history = RandomHistory(seed: seed, store)
        var random = TransactionRandom(seed: ~seed)
        for _ in 0..<Int.random(in: 0..<10, using: &random) { try await history.write() }
        let recorder = try await Recorder(store, to: folder.file("t"))
        var subscribers: [Task<Int, Never>] = []
        var gone: [Task<Int, Never>] = []
        var scopes: [Scope] = []
        for _ in 0..<40 {
            switch Int.random(in: 0..<9, using: &random) {
            case 8 where subscribers.count < 8:
                let id = "s\(Int.random(in: 0..<12, using: &random))"
                subscribers.append(Task { await Self.follow(store, id) })
            case 0 where subscribers.count < 8:
                let request = history.request()
                let isCount = Bool.random(using: &random)
                subscribers.append(Task { await Self.read(store, request, isCount) })
            case 1 where !subscribers.isEmpty:
                subscribers[0].cancel()
                gone.append(subscribers.removeFirst())
            case 2: scopes.append(try scopes.last?.child("part") ?? store.scope("app \(scopes.count)"))
            case 3 where !scopes.isEmpty: scopes.removeLast().close()
            default: try await history.write()
            }
        }
        for subscriber in subscribers { subscriber.cancel() }
        var takenCount = 0
        for subscriber in gone + subscribers { takenCount += await subscriber.value }
        let recorded = try await recorder.finish()
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(summary.hasEqualHashes && summary.position == recorded.position, "MODELSTORE_SEED=\(seed)")
        #expect(
            summary.deliveryCount == takenCount && summary.omittedSubscriptionCount == 0, "MODELSTORE_SEED=\(seed)")
        var semantic = ReplayOptions(
            actions: ActionCatalog(MoveSensor.self, AddTicket.self), records: Room.self, Sensor.self, Ticket.self)
        semantic.comparison = .semantic
        try await Replayer.replay(folder.file("t"), options: semantic)
        let again = try Store(at: folder.file("store"), records: Room.self, Sensor.self, Ticket.self)
        let findings = try again.findings()
        #expect(findings == [], "MODELSTORE_SEED=\(seed)")
        again.close()
    }

    /// Follows a request until the task is cancelled.
    ///
    /// - Returns: The number of received elements.
    private static func read(_ store: Store, _ request: FetchRequest<Sensor>, _ isCount: Bool) async -> Int {
        var count = 0
        do {
            if isCount {
                for try await _ in store.counts(of: request) { count += 1 }
            } else {
                for try await _ in store.updates(of: request) { count += 1 }
            }
        } catch {
            Issue.record("a live query ends with \(error)")
        }
        return count
    }

    /// Follows a model, if there is one, until it is deleted or the task is cancelled.
    ///
    /// - Returns: The number of received records.
    private static func follow(_ store: Store, _ id: String) async -> Int {
        var count = 0
        do {
            guard let model = try store.modelIfPresent(Sensor.self, id: id) else { return 0 }
            for await change in model.changes where change.new != nil { count += 1 }
        } catch {
            Issue.record("there is no model for \(error)")
        }
        return count
    }

    /// Records a trace with rows, change sets, subscriptions and deliveries.
    private static func record(seed: UInt64, to path: String) async throws {
        let store = try Store.temporary(records: Room.self, Sensor.self, Ticket.self)
        var history = RandomHistory(seed: seed, store)
        for _ in 0..<6 { try await history.write() }
        try await store.write { try $0.upsert(Room(name: "hall")) }
        let recorder = try await Recorder(store, to: path)
        let scope = try store.scope("app")
        var sensors = store.updates(of: history.request()).makeAsyncIterator()
        var count = store.counts(of: FetchRequest<Room>().limit(100)).makeAsyncIterator()
        var floors = try store.model(Room.self, id: "hall").values(of: \.floor).makeAsyncIterator()
        _ = try await (sensors.next(), count.next(), floors.next())
        for _ in 0..<8 {
            try await history.write()
            _ = try (sensors.poll(), count.poll())
        }
        scope.close()
        try await recorder.finish()
    }

    @Test(arguments: seeds.prefix(TestLength.runs(2, long: 50)))
    func `A trace that was cut off or changed anywhere is an error, and never a crash`(seed: UInt64) async throws {
        let folder = try Folder()
        try await Self.record(seed: seed, to: folder.file("t"))
        let trace = try folder.read("t")
        let text = String(decoding: trace, as: UTF8.self)
        for kind in ["row", "commit", "subscribe", "deliver", "shown", "open"] {
            #expect(text.contains("{\"\(kind)\":"), "MODELSTORE_SEED=\(seed)")
        }
        try await Replayer.replay(folder.file("t"))
        var random = TransactionRandom(seed: seed)
        for turn in 0..<TestLength.runs(40, long: 2_000) {
            var damaged = trace
            if turn.isMultiple(of: 2) {
                damaged.removeLast(Int.random(in: 1...trace.count, using: &random))
            } else {
                damaged[Int.random(in: 0..<trace.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            try folder.write(damaged, to: "damaged")
            let readError = #expect(throws: StoreError.self, "MODELSTORE_SEED=\(seed), turn \(turn)") {
                try TraceFrames.readAll(folder.file("damaged"))
            }
            var errors = [readError]
            // Replays some of the truncated traces and some of the changed ones.
            if turn % 8 < 2 {
                errors.append(
                    await #expect(throws: StoreError.self, "MODELSTORE_SEED=\(seed), turn \(turn)") {
                        try await Replayer.replay(folder.file("damaged"))
                    })
                await Self.replayUnfinished(folder.file("damaged"), "MODELSTORE_SEED=\(seed), turn \(turn)")
            }
            for case let error? in errors {
                #expect([.traceDamaged, .newerTrace].contains(error.code), "\(error)")
            }
        }
    }

    /// Replays a trace without its checksums. Any error must be reported as a divergence or a store error.
    private static func replayUnfinished(_ path: String, _ place: Comment) async {
        var options = ReplayOptions()
        options.acceptsUnfinished = true
        do {
            let summary = try await Replayer.replay(path, options: options)
            #expect(summary.isUnfinished, place)
        } catch is ReplayDivergence {
        } catch is StoreError {
        } catch {
            Issue.record("\(place): \(error)")
        }
    }

    @Test func `What stands behind the end of a trace is an error`() async throws {
        let folder = try Folder()
        try await Self.record(seed: 1, to: folder.file("t"))
        let trace = try folder.read("t")
        for tail in ["\n", " ", "x", "\0", "{}\n", String(decoding: trace, as: UTF8.self)] {
            try folder.write(trace + Array(tail.utf8), to: "longer")
            for accepts in [false, true] {
                var options = ReplayOptions()
                options.acceptsUnfinished = accepts
                let error = await #expect(throws: StoreError.self) {
                    try await Replayer.replay(folder.file("longer"), options: options)
                }
                #expect(error?.code == .traceDamaged && error?.message.contains("after its end") == true)
            }
        }
    }

    @Test func `A replay that stops early leaves the rest of a long trace unread`() async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Room.self, Sensor.self, Ticket.self)
        for number in 0..<6_000 { try await store.write { try $0.upsert(Room(name: "hall", floor: number)) } }
        var options = RecordingOptions()
        options.start = .oldest
        try store.record(to: folder.file("t"), options: options)
        var replay = ReplayOptions()
        replay.until = 10
        #expect(try await Replayer.replay(folder.file("t"), options: replay).changeSetCount == 10)
    }

    @Test func `What a recorder left that was killed is replayed up to its last whole line`() async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Room.self, Sensor.self, Ticket.self)
        var options = RecordingOptions()
        options.start = .oldest
        for number in 0..<700 { try await store.send(AddTicket(text: "\(number)")) }
        try store.record(to: folder.file("t"), options: options)
        let trace = try folder.read("t")
        try folder.write(trace.prefix(trace.count * 2 / 3), to: "cut")
        await #expect(throws: StoreError.self) { try await Replayer.replay(folder.file("cut")) }
        var replay = ReplayOptions()
        replay.acceptsUnfinished = true
        let summary = try await Replayer.replay(folder.file("cut"), options: replay)
        #expect(summary.isUnfinished && summary.hasEqualHashes)
        let whole = String(decoding: trace.prefix(trace.count * 2 / 3), as: UTF8.self).split(separator: "\n").dropLast()
        let commits = whole.count { $0.hasPrefix(#"{"commit""#) }
        #expect((256..<700).contains(commits) && summary.changeSetCount == commits)
    }
}

/// Reads a trace to its end, and throws its first error.
enum TraceFrames {
    @discardableResult
    static func readAll(_ path: String) throws -> Int {
        let reader = try TraceReader(path: path)
        var count = 0
        while try reader.next() != nil { count += 1 }
        return count
    }
}
