#if ServerSentEvents
import Foundation
import ModelStore
import ModelStoreEvents
import TestSupport
import Testing

/// Streams that resume where a client was disconnected.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ResumingTests {
    private static let hot = Sensor.where { $0.celsius > 30 }.order { $0.celsius.descending }

    /// Returns the event id of a new client's rows.
    private static func id(of request: FetchRequest<Sensor>, _ store: Store) async throws -> String {
        var client = Client(try store.serverSentEvents(of: request))
        _ = try await client.readStep()
        return client.lastEventID
    }

    @Test func `the rows of another request are taken back, whoever asks for something else`() async throws {
        let store = try await Store.ofSensors(2)
        try await store.heat("s1", to: 50)
        let query = try store.liveQuery(Self.hot)
        var client = Client(query.serverSentEvents())
        _ = try await client.readStep()
        let id = client.lastEventID
        let others: [FetchRequest<Sensor>] = [
            Self.hot.limit(0), Self.hot.limit(1), Self.hot.offset(1), Sensor.where { $0.celsius > 31 },
            Sensor.where { $0.celsius > 30 }.order { $0.celsius.ascending }, FetchRequest(),
        ]
        for request in others {
            try query.reconfigure(to: request)
            var again = Client(query.serverSentEvents(lastEventID: id))
            let step = try await again.readStep()
            #expect(step.first?.hasPrefix("reset") == true, "\(step)")
        }
        try query.reconfigure(to: Self.hot)
        var again = Client(query.serverSentEvents(lastEventID: id))
        #expect(try await again.readStep() == [#"ready {"count":1}"#])
    }

    @Test func `a client that is told of another request while it reads goes on with that`() async throws {
        let store = try await Store.ofSensors(2)
        try await store.heat("s1", to: 50)
        let query = try store.liveQuery(Self.hot)
        var client = Client(query.serverSentEvents())
        _ = try await client.readStep()
        try query.reconfigure(to: Sensor.where { $0.celsius < 30 })
        _ = try await client.readStep()
        var again = Client(query.serverSentEvents(lastEventID: client.lastEventID))
        #expect(try await again.readStep() == [#"ready {"count":1}"#])
    }

    @Test func `a stream goes on from where it was silent, not from its last change`() async throws {
        var options = StoreOptions()
        options.limits.retainedChangeSets = 3
        let store = try await Store.ofSensors(2, options)
        let clock = TestClock()
        var events = EventOptions()
        events.clock = clock
        events.heartbeat = .seconds(10)
        let request = Sensor.where { $0.id == "s1" }
        var client = Client(try store.serverSentEvents(of: request, events))
        _ = try await client.readStep()
        let first = client.lastEventID
        for celsius in 0..<10 { try await store.heat(to: Double(celsius)) }
        let now = try store.position
        let passing = Task {
            while !Task.isCancelled {
                clock.advance(by: .seconds(1))
                await until { clock.sleeperCount == 1 || Task.isCancelled }
            }
        }
        #expect(try await client.read() == [])
        passing.cancel()
        await passing.value
        #expect(client.position == now && client.lastEventID != first)
        var again = Client(try store.serverSentEvents(of: request, lastEventID: client.lastEventID))
        #expect(try await again.readStep() == [#"ready {"count":1}"#])
    }

    @Test func `a client that comes back gets what has changed, and nothing else`() async throws {
        let store = try await Store.ofSensors(5)
        for number in 0..<3 { try await store.heat("s\(number)", to: 40 + Double(number)) }
        var client = Client(try store.serverSentEvents(of: Self.hot))
        _ = try await client.readStep()
        let id = client.lastEventID
        try await store.heat("s0", to: 0)
        try await store.heat("s3", to: 35)
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.note = "x" } }
        try await store.heat("s4", to: 1)
        try await store.heat("s2", to: 100)
        try await store.heat("s2", to: 42)
        let last = try store.position
        var again = Client(try store.serverSentEvents(of: Self.hot, lastEventID: id))
        #expect(
            try await again.readStep() == [
                #"delete {"index":2,"id":"s0"}"#,
                #"insert {"index":2,"record":{"id":"s3","celsius":35.0,"note":null}}"#,
                #"update {"index":1,"changed":["note"],"record":{"id":"s1","celsius":41.0,"note":"x"}}"#,
                #"ready {"count":3}"#,
            ])
        #expect(again.position == last)
        try await store.heat("s4", to: 200)
        #expect(try await again.readStep().first?.hasPrefix(#"insert {"index":0"#) == true)
    }

    @Test func `a client that missed nothing is told so at once`() async throws {
        let store = try await Store.ofSensors(2)
        try await store.heat(to: 50)
        let id = try await Self.id(of: Self.hot, store)
        var again = Client(try store.serverSentEvents(of: Self.hot, lastEventID: id))
        #expect(try await again.readStep() == [#"ready {"count":1}"#])
    }

    @Test func `a client that is cut off within a step gets the whole step again`() async throws {
        let store = try await Store.ofSensors(10)
        var options = EventOptions()
        options.chunkByteCount = 1
        var client = Client(try store.serverSentEvents(of: Self.hot, options))
        _ = try await client.readStep()
        let id = client.lastEventID
        try await store.write { tx in
            for number in 0..<10 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = 40 } }
        }
        for _ in 0..<5 { _ = try await client.read() }
        #expect(client.lastEventID == id)
        var again = Client(try store.serverSentEvents(of: Self.hot, lastEventID: id))
        #expect(try await again.readStep().count == 11)
    }

    @Test(arguments: ["x", "1.2.3.4", "\u{0}", String(repeating: "9", count: 10_000), "é.ö.ü.ß"])
    func `an id that means nothing gives a reset and all rows`(_ id: String) async throws {
        let store = try await Store.ofSensors(1)
        var client = Client(try store.serverSentEvents(of: Sensor.order { $0.id.ascending }, lastEventID: id))
        #expect(
            try await client.readStep() == [
                #"reset {"count":1}"#, #"snapshot {"index":0,"record":{"id":"s0","celsius":20.0,"note":null}}"#,
                #"ready {"count":1}"#,
            ])
    }

    @Test func `an empty id is none`() async throws {
        let store = try await Store.ofSensors(0)
        var client = Client(try store.serverSentEvents(of: Self.hot, lastEventID: ""))
        #expect(try await client.readStep() == [#"ready {"count":0}"#])
    }

    @Test func `positions that are compacted, of another store, or in the future give a reset`() async throws {
        var options = StoreOptions()
        options.limits.retainedChangeSets = 3
        let store = try await Store.ofSensors(1, options)
        let all = Sensor.order { $0.id.ascending }
        let compacted = try await Self.id(of: all, store)
        for celsius in 0..<10 { try await store.heat(to: Double(celsius)) }
        let other = try await Store.ofSensors(1)
        let now = try store.position
        let ofRequest = compacted[(compacted.lastIndex(of: ".") ?? compacted.endIndex)...]
        let future = "\(now.store.uuidString).\(String(now.epoch, radix: 16)).\(now.sequence + 5).77\(ofRequest)"
        let diverged = "\(now.store.uuidString).\(String(now.epoch, radix: 16)).\(now.sequence).77\(ofRequest)"
        for id in [compacted, try await Self.id(of: all, other), future, diverged] {
            var client = Client(try store.serverSentEvents(of: all, lastEventID: id))
            #expect(
                try await client.readStep() == [
                    #"reset {"count":1}"#, #"snapshot {"index":0,"record":{"id":"s0","celsius":9.0,"note":null}}"#,
                    #"ready {"count":1}"#,
                ], "\(id)")
            #expect(client.position == now)
        }
    }
}
#endif
