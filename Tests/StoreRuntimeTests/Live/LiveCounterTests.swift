import StoreEngine
import StoreRuntime
import Testing

/// A step visits only the requests that a change concerns. The tests count visits, so that a silent scan of all requests or
/// records fails.
@Suite struct LiveCounterTests {
    private let store: Store

    init() throws {
        store = try Store.temporary(records: Sensor.self)
        _ = try store.write { tx in
            for number in 0..<1_000 {
                try tx.insert(
                    Sensor(
                        id: "s\(number)", room: "room \(number % 50)", serial: "\(number)", celsius: Double(number)))
            }
        }
    }

    private func change(_ number: Int, _ body: @escaping @Sendable (inout Sensor) -> Void) throws {
        _ = try store.write { tx in _ = try tx.update(Sensor.self, id: "s\(number)", body) }
    }

    private func routing(_ harness: LiveHarness, _ number: Int) throws -> LiveRouting {
        try store.read { tx in harness.matcher.routing(harness.subjects[number].id, in: tx._reading.catalog) }
    }

    @Test func `a change visits the requests that it concerns, of each shape`() throws {
        var harness = try LiveHarness(store)
        for number in 0..<100 {
            try harness.add(Sensor.where { $0.id == "s\(number)" }.request)
            try harness.add(Sensor.where { $0.serial.in(["\(number)", "\(number + 1_000)"]) }.request)
            try harness.add(Sensor.where { $0.room == "room \(number)" && $0.note == nil }.request)
            try harness.add(
                Sensor.where { $0.celsius >= Double(number * 20) && $0.celsius < Double(number * 20 + 20) }.request)
            try harness.add(
                Sensor.where { $0.room == "room \(number)" }.order { $0.celsius.descending }.limit(2).request)
            try harness.addCount(Sensor.where { $0.room == "room \(number)" }.request)
        }
        #expect(try routing(harness, 0) == .points(fields: ["id"]))
        #expect(try routing(harness, 1) == .points(fields: ["serial"]))
        #expect(try routing(harness, 2) == .points(fields: ["room", "note"]))
        #expect(try routing(harness, 3) == .ranges(fields: ["celsius"]))
        #expect(try routing(harness, 4) == .ranges(fields: ["room", "celsius"]))
        #expect(try routing(harness, 5) == .points(fields: ["room"]))
        var visited = harness.matcher.counters.visited
        // The change visits the requests by id and by serial, the rows and the count of the room, and the range. The room's
        // window ends above this record.
        try change(7) { $0.note = "one" }
        try harness.step()
        #expect(harness.matcher.counters.visited - visited == 5)
        visited = harness.matcher.counters.visited
        // The change of room and range visits the requests of the old and the new values.
        try change(7) { ($0.room, $0.celsius) = ("room 9", 5_000) }
        try harness.step()
        #expect(harness.matcher.counters.visited - visited == 6)
        visited = harness.matcher.counters.visited
        try change(550) { $0.note = "nobody's but the room's" }
        try harness.step()
        #expect(harness.matcher.counters.visited - visited <= 4)
    }

    @Test func `a request that fixes one field and bounds another is found by both`() throws {
        var harness = try LiveHarness(store)
        for number in 0..<50 {
            let lower = Double(number * 20)
            try harness.add(
                Sensor.where { $0.floor == .ground && $0.celsius >= lower && $0.celsius < lower + 20 }.limit(3).request)
        }
        #expect(try routing(harness, 0) == .ranges(fields: ["floor", "celsius"]))
        try change(405) { $0.note = "one" }
        _ = try harness.step()
        #expect(harness.matcher.counters.visited == 1)
    }

    @Test func `a window is refilled about once for as many removals as it looks ahead`() throws {
        var harness = try LiveHarness(store, lookahead: 10)
        try harness.add(Sensor.order { $0.celsius.ascending }.limit(20).request)
        let scanned = harness.matcher.counters.scanned
        for number in 0..<60 {
            _ = try store.write { tx in _ = try tx.delete(Sensor.self, id: "s\(number)") }
            try harness.step()
        }
        #expect((5...8).contains(harness.matcher.counters.refills))
        // No index has this order, so a refill sorts all records.
        #expect(harness.matcher.counters.scanned - scanned <= 8 * 1_000)
        var byID = try LiveHarness(store, lookahead: 10)
        try byID.add(Sensor.order { $0.id.ascending }.limit(20).request)
        let before = byID.matcher.counters.scanned
        for number in 100..<140 {
            _ = try store.write { tx in _ = try tx.delete(Sensor.self, id: "s\(number)") }
            try byID.step()
        }
        #expect(byID.matcher.counters.refills <= 5 && byID.matcher.counters.scanned - before <= 5 * 32)
    }

    @Test func `a bulk of changes under many requests visits each for its own records`() throws {
        var harness = try LiveHarness(store)
        for number in 0..<50 {
            for limit in 1...5 {
                try harness.add(
                    Sensor.where { $0.room == "room \(number)" }.order { $0.celsius.descending }.limit(limit).request)
            }
        }
        _ = try store.write { tx in
            for number in 1_000..<2_000 {
                try tx.insert(
                    Sensor(
                        id: "s\(number)", room: "room \(number % 50)", serial: "\(number)", celsius: Double(number)))
            }
        }
        #expect(try harness.step().count == 250)
        // Each record belongs to one room, and each room has five requests.
        #expect(harness.matcher.counters.visited == 1_000 * 5)
        #expect(harness.matcher.counters.refills == 0)
    }

    @Test func `a condition that no record can meet, and a limit of nothing, are never visited`() throws {
        var harness = try LiveHarness(store)
        let never = try harness.add(Sensor.where { $0.room == "a" && $0.room == "b" }.request)
        let nothing = try harness.add(Sensor.order { $0.celsius.ascending }.limit(0).request)
        #expect(try routing(harness, never) == .nothing && routing(harness, nothing) == .nothing)
        let other = try harness.add(Sensor.where { $0.celsius != 4 }.request)
        #expect(try routing(harness, other) == .wholeType)
        try change(3) { $0.room = "a" }
        #expect(try harness.step() == [other] && harness.matcher.counters.visited == 1)
    }
}
