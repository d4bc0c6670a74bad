import Foundation
import ModelStore
import StoreEngine
import TestSupport
import Testing

/// The feed as lines of JSON for other programs.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct FeedEventTests {
    private static func events(
        _ store: Store, from start: FeedStart, _ options: FeedOptions = FeedOptions()
    ) async throws -> [FeedEvent] {
        let newest = try store.feedRange.upperBound
        var feed = store.changes(from: start, options).makeAsyncIterator()
        var events: [FeedEvent] = []
        while let set = try await feed.next() {
            events += try set.events(named: "test", at: Date(timeIntervalSince1970: 1.5))
            if set.sequence == newest, set.isLastPart { break }
        }
        return events
    }

    private static func json(_ event: FeedEvent) throws -> JSONValue { try JSONReader.read(event.json) }

    /// Returns a store with an insert of three records, an update and a delete, and the position before them.
    private static func store() async throws -> (Store, Position) {
        let store = try ChangeFeedTests.store()
        let start = try store.position
        try await store.write { tx in for number in 1...3 { try tx.insert(ChangeFeedTests.sensor(number)) } }
        try await store.write { tx in try tx.update(Sensor.self, id: "s2") { $0.celsius = 25 } }
        try await store.write { try $0.delete(Sensor.self, id: "s1") }
        return (store, start)
    }

    @Test func `an event says what changed, where, when, and under which name`() async throws {
        let (store, start) = try await Self.store()
        let events = try await Self.events(store, from: .after(start))
        #expect(events.map(\.operation) == [.create, .create, .create, .update, .delete])
        #expect(events.map(\.typeName) == Array(repeating: "Sensor", count: 5))
        #expect(events.map(\.key) == ["s1", "s2", "s3", "s2", "s1"].map { #"{"id":"\#($0)"}"# })
        #expect(events.allSatisfy { !$0.json.contains("\n") })

        let (insert, update, delete) = try (Self.json(events[1]), Self.json(events[3]), Self.json(events[4]))
        #expect(insert["op"] == .string("c") && insert["before"] == .null)
        #expect(insert["after"]?["serial"] == .string("A-2"))
        #expect(insert["changed"] == nil)
        #expect(update["op"] == .string("u") && update["changed"] == .array([.string("celsius")]))
        #expect(update["before"]?["celsius"]?.double == 20 && update["after"]?["celsius"]?.double == 25)
        #expect(delete["op"] == .string("d") && delete["after"] == .null)
        #expect(delete["before"]?["id"] == .string("s1"))
        #expect(delete["ts_ms"]?.number?.int64 == 1_500)
        #expect(delete["id"] == .string(events[4].id) && delete["key"]?["id"] == .string("s1"))

        let source = try #require(update["source"])
        #expect(source["connector"] == .string("modelstore") && source["name"] == .string("test"))
        #expect(source["table"] == .string("Sensor") && source["snapshot"] == .bool(false))
        #expect(source["sequence"]?.number?.int64 == Int64(start.sequence) + 2)
        #expect(source["store"] == .string(start.store.uuidString))
        #expect(source["process"]?.number?.int64 == Int64(ProcessInfo.processInfo.processIdentifier))
        let written = try #require(source["ts_ms"]?.number?.int64)
        let age = Date().timeIntervalSince1970 - Double(written) / 1_000
        #expect(abs(age) < 600)
        #expect(insert["transaction"]?["total_order"]?.number?.int64 == 2)
        #expect(try Self.json(events[0])["transaction"]?["id"] == insert["transaction"]?["id"])
        #expect(update["transaction"]?["id"] != insert["transaction"]?["id"])
    }

    @Test func `resuming at the position of any event repeats its change set or nothing, with the same ids`()
        async throws
    {
        let (store, start) = try await Self.store()
        let events = try await Self.events(store, from: .after(start))
        for (place, event) in events.enumerated().dropLast() {
            let text = try #require(try Self.json(event)["source"]?["position"]?.string)
            let position = try #require(Position(text))
            #expect(position == event.position)
            let again = try await Self.events(store, from: .after(position))
            // The first three events belong to one change set.
            let expected = Array(events[(place < 2 ? 0 : place + 1)...])
            #expect(again.map(\.id) == expected.map(\.id))
            #expect(again.map(\.json) == expected.map(\.json))
        }
        #expect(events.last?.position == (try store.position))
    }

    @Test func `a large change set has the same events in parts`() async throws {
        let (store, start) = try await Self.store()
        var options = FeedOptions()
        options.changesPerPart = 2
        let (whole, parts) = try await (
            Self.events(store, from: .after(start)), Self.events(store, from: .after(start), options)
        )
        #expect(whole == parts)
        #expect(Set(whole.map(\.id)).count == whole.count)
    }

    @Test func `changes of the schema are events of their own`() async throws {
        let store = try ChangeFeedTests.store()
        let events = try await Self.events(store, from: .oldest)
        #expect(events.map(\.operation) == [.schema, .schema])
        let event = try #require(events.first { $0.typeName == "Sensor" })
        #expect(event.key == nil)
        let schema = try #require(try Self.json(event)["schema"])
        #expect(schema["name"] == .string("Sensor") && schema["version"]?.number?.int64 == 1)
        #expect(schema["primaryKeyColumnNames"] == .array([.string("id")]))
        let columns = try #require(schema["columns"]?.array)
        #expect(columns.map { $0["position"]?.number?.int64 } == (1...columns.count).map { Int64($0) })
        let note = try #require(columns.first { $0["name"] == .string("note") })
        #expect(note["typeName"] == .string("string") && note["optional"] == .bool(true))
    }

    @Test func `a filter leaves events out, and the last that is left has the position after the change set`()
        async throws
    {
        let (store, start) = try await Self.store()
        var options = FeedOptions(only: FeedFilter(Sensor.self, where: { $0.id == "s2" }))
        options.reportsProgress = true
        let events = try await Self.events(store, from: .after(start), options)
        #expect(events.map(\.key) == [#"{"id":"s2"}"#, #"{"id":"s2"}"#])
        #expect(events.map { $0.position?.sequence } == [start.sequence + 1, start.sequence + 2])
        #expect(try Self.json(events[0])["transaction"]?["total_order"]?.number?.int64 == 2)
    }

    @Test func `change sets that were put together give net events`() async throws {
        let (store, start) = try await Self.store()
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1, celsius: 30)) }
        try await store.write { try $0.delete(Sensor.self, id: "s3") }
        try await store.write { try $0.insert(ChangeFeedTests.sensor(3, celsius: 40)) }
        var options = FeedOptions()
        options.mergesPending = true
        let inserted = Position(start.description).map { FeedStart.after(sequence: $0.sequence + 1) }
        let events = try await Self.events(store, from: try #require(inserted), options)
        #expect(events.map(\.operation) == [.update, .update, .update])
        #expect(events.map(\.key) == ["s2", "s1", "s3"].map { #"{"id":"\#($0)"}"# })
        #expect(events.last?.position == (try store.position))
    }

    @Test func `records that are there are events too, and with the changes after them give what the store has`()
        async throws
    {
        let store = try ChangeFeedTests.store()
        try await store.write { tx in for number in 0..<25 { try tx.insert(ChangeFeedTests.sensor(number)) } }
        try await store.write { try $0.insert(Account(email: "a", balance: 1)) }
        var records = try store.recordEvents(named: "test", chunk: 10)
        var copy: [String: JSONValue] = [:]
        var operations: Set<FeedEvent.Operation> = []
        func apply(_ event: FeedEvent) throws {
            operations.insert(event.operation)
            let name = event.typeName + (event.key ?? "")
            let after = try #require(try Self.json(event)["after"])
            if after.isNull { copy.removeValue(forKey: name) } else { copy[name] = after }
        }
        var positions: [Position?] = []
        while let events = try records.next() {
            for event in events {
                #expect(try Self.json(event)["source"]?["snapshot"] == .bool(true))
                positions.append(event.position)
                try apply(event)
            }
            // These writes change records before and after the reader's current record.
            let round = positions.count
            try await store.write { tx in
                try tx.update(Sensor.self, id: "s1") { $0.celsius += 1 }
                try tx.delete(Sensor.self, id: "s\(round / 10 + 5)")
                try tx.upsert(ChangeFeedTests.sensor(100 + round))
            }
        }
        #expect(positions.last == records.position)
        #expect(positions.dropLast().allSatisfy { $0 == nil })
        for event in try await Self.events(store, from: .after(records.position)) { try apply(event) }
        #expect(operations == [.read, .create, .update, .delete])
        var now: [String: JSONValue] = [:]
        var again = try store.recordEvents(named: "test")
        while let events = try again.next() {
            for event in events { now[event.typeName + (event.key ?? "")] = try Self.json(event)["after"] }
        }
        let different = Set(copy.keys).union(now.keys).filter { copy[$0] != now[$0] }
        #expect(different.isEmpty, "\(different.map { (copy[$0], now[$0]) })")
        #expect(now.count == (try store.read { try $0.count(Sensor.self) }) + 1)
        // A filter applies to records in the same way as to changes.
        var hot = try store.recordEvents(named: "test", only: [FeedFilter(Sensor.self, where: { $0.celsius > 20 })])
        #expect(try hot.next()?.map(\.key) == [#"{"id":"s1"}"#])
        #expect(try hot.next() == nil)
    }
}
