import Foundation
import ModelStore
import Testing

@Record private struct Inspection: Equatable {
    @ID(.assigned) var id: Int = 0
    @Indexed var sensor: String
    var note: String?
}

/// The examples of the articles, as programs write them.
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

    @Test func `a consumer tries again as often as its options say`() {
        var options = ConsumerOptions()
        #expect(options.retry.attempts == RetryPolicy().attempts && RetryPolicy().attempts == 5)
        options.retry.attempts = 3
        #expect(options.failureRule == .stop)
    }
}
