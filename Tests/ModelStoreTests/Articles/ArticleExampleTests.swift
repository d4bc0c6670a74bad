import Foundation
import ModelStore
import Synchronization
import Testing

@Record private struct Inspection: Equatable {
    @ID(.assigned) var id: Int = 0
    @Indexed var sensor: String
    var note: String?
}

/// Runs examples of the articles, and checks their effects. ``ArticleCodeTests`` compiles all code of the articles.
@Suite(.timeLimit(.minutes(5))) struct ArticleExampleTests {
    private static func store() throws -> Store {
        let store = try Store.temporary(records: Sensor.self, Inspection.self)
        try store.write { tx in
            for number in 1...4 { try tx.insert(ChangeFeedTests.sensor(number, celsius: Double(number * 10))) }
        }
        return store
    }

    @Test func `a loop in one write inserts many records, with ids that the store assigns, in one change set`()
        async throws
    {
        let store = try Self.store()
        let before = try store.position
        let inspection = try await store.write { tx in try tx.insert(Inspection(sensor: "s1")) }
        #expect(inspection.id == 1)
        let inspections = (0..<50).map { Inspection(sensor: "s\($0)") }
        try await store.write { tx in
            for inspection in inspections { try tx.insert(inspection) }
        }
        #expect(try store.count(Inspection.self) == 51)
        #expect(try store.position.sequence == before.sequence + 2)
    }

    @Test func `conditional writes change a record that is as it was read, and no other`() async throws {
        let store = try Self.store()
        let old = try #require(try store.get(Sensor.self, id: "s1"))
        let broken = try #require(try store.get(Sensor.self, id: "s4"))
        var new = old
        new.celsius += 1
        try await store.write { [new] tx in
            try tx.update(new, ifUnchanged: old)
            try tx.update(Sensor.self, id: "s2", where: { $0.celsius < 30 }) { $0.celsius += 1 }
            try tx.delete(Sensor.self, id: "s3", where: { $0.note == nil })
            try tx.delete(ifUnchanged: broken)
        }
        #expect(try store.fetch(FetchRequest(Sensor.self)).map(\.celsius) == [11, 21])
        let error = await #expect(throws: StoreError.self) {
            try await store.write { [new] tx in try tx.update(new, ifUnchanged: old) }
        }
        #expect(error?.code == .conditionNotMet)
    }

    @Test func `forEach goes on while its closure returns true`() throws {
        let store = try Self.store()
        let all = Sensor.where { $0.celsius > 0 }.order { $0.celsius.ascending }
        var visited: [String] = []
        try store.read { tx in
            try tx.forEach(all) { sensor in
                visited.append(sensor.id)
                return sensor.celsius < 20
            }
        }
        #expect(visited == ["s1", "s2"])
    }

    @Test func `a predicate need not name its record type where that is known`() throws {
        let store = try Self.store()
        let warm = try FetchRequest<Sensor>(#Predicate { $0.celsius > 20 })
        let hot = try Sensor.where { $0.celsius > 20 }.where(#Predicate { $0.celsius > 30 })
        #expect(try store.count(warm) == 2)
        #expect(try store.count(hot) == 1)
    }

    @Test func `values of a request follow what their closure computes`() async throws {
        let store = try Self.store()
        let hot = Sensor.where { $0.celsius > 20 }
        let means = store.values(of: hot) { view, request in
            try view.average(request, \.celsius)
        }
        var iterator = means.makeAsyncIterator()
        #expect(try await iterator.next()?.value == 35)
        try await store.write { try $0.update(Sensor.self, id: "s4") { $0.celsius = 50 } }
        #expect(try await iterator.next()?.value == 40)
    }

    @Test func `filters select changes of fields, and of records that meet a condition before or after`() async throws {
        let store = try Self.store()
        let start = try store.position
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.room = "attic" } }
        try await store.write { try $0.update(Sensor.self, id: "s2") { $0.celsius = 21 } }
        try await store.write { try $0.insert(Inspection(sensor: "s1", note: "far")) }
        let made = try await store.write(returning: .position) { try $0.insert(Inspection(sensor: "s1", note: "near")) }
        var options = FeedOptions(
            only: FeedFilter(Sensor.self, touching: \.celsius, \.note),
            FeedFilter(Inspection.self, where: { $0.note == "near" }))
        options.reportsProgress = true
        var received: [String] = []
        for try await set in store.changes(since: start, options) {
            received += try set.changes(of: Sensor.self).map(\.id)
            received += try set.changes(of: Inspection.self).map { "\($0.id)" }
            if set.position == made.position { break }
        }
        #expect(received == ["s2", "\(made.result.id)"])
    }

    @Test func `rows and then changes fill a copy`() async throws {
        let store = try Self.store()
        var copy: [String: Sensor] = [:]
        reading: for try await element in store.recordsAndChanges(of: Sensor.self) {
            switch element {
            case .rows(let rows, _): for row in rows { copy[row.id] = row }
            case .ready:
                #expect(copy.count == 4)
                try await store.write { tx in _ = try tx.delete(Sensor.self, id: "s1") }
            case .commit(let changes, _):
                for change in changes { copy[change.id] = change.after }
                break reading
            case .restart: copy = [:]
            }
        }
        #expect(copy.keys.sorted() == ["s2", "s3", "s4"])
    }

    @Test func `a consumer by hand acknowledges in the write of its effects`() async throws {
        let store = try Self.store()
        let consumer = try await store.holdConsumer("inspections", ConsumerOptions(only: FeedFilter(Sensor.self)))
        for try await set in consumer.changes {
            let sensors = try set.changes(of: Sensor.self).map(\.id)
            try await store.write { tx in
                for sensor in sensors { try tx.insert(Inspection(sensor: sensor)) }
                try consumer.acknowledge(set, in: &tx)
            }
            // The first change sets add the record types, and contain no sensors.
            if !sensors.isEmpty { break }
        }
        #expect(try store.count(Inspection.self) == 4)
        #expect(try store.consumers().map(\.lag) == [0])
    }

    @Test func `a write is the only expression of a closure that returns nothing`() async throws {
        let store = try Self.store()
        try await store.withScope("worker") { scope in
            let task = try scope.task {
                _ = try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.celsius += 1 } }
            }
            await task.value
        }
        #expect(try store.get(Sensor.self, id: "s1")?.celsius == 11)
    }

    private struct Refusal: Error {}

    @Test func `a consumer tries a change set as often as its options say, and then leaves it out`() async throws {
        let store = try Self.store()
        let attempts = Mutex<[UInt64: Int]>([:])
        let (skipped, report) = AsyncStream.makeStream(of: UInt64.self)
        var options = ConsumerOptions()
        options.retry.attempts = 3
        options.failurePolicy = .skip
        options.sleep = { _ in }
        options.onEvent = { if case .skipped(let sequence, _) = $0 { report.yield(sequence) } }
        let consuming = Task { [options] in
            try await store.consume("mail", options) { (set: ChangeSet) in
                attempts.withLock { $0[set.sequence, default: 0] += 1 }
                throw Refusal()
            }
        }
        let first = try #require(await skipped.first { _ in true })
        consuming.cancel()
        try await consuming.value
        #expect(attempts.withLock { $0[first] } == 3)
    }

    @Test func `a consumer stops after five attempts by default, with the error of the closure as the cause`()
        async throws
    {
        let store = try Self.store()
        let attempts = Mutex(0)
        var options = ConsumerOptions()
        options.sleep = { _ in }
        let consuming = Task { [options] in
            try await store.consume("mail", options) { (_: ChangeSet) in
                attempts.withLock { $0 += 1 }
                throw Refusal()
            }
        }
        let error = await #expect(throws: StoreError.self) { try await consuming.value }
        #expect(error?.code == .consumerFailed && error?.cause is Refusal)
        #expect(attempts.withLock { $0 } == 5)
    }
}
