import ModelStore
import Testing

/// Projections whose fields an index holds.
@Suite struct CoveredProjectionTests {
    /// Rooms short and too long for an index, in a hundred of which each has ten sensors.
    private static func room(_ number: Int) -> String {
        let name = "room \(number % 100)"
        return number % 100 < 3 ? name + String(repeating: "x", count: 300) : name
    }

    private static func filled() throws -> Store {
        let store = try Store.temporary(records: Sensor.self)
        _ = try store.write { tx in
            for number in 0..<1_000 {
                try tx.insert(
                    Sensor(id: "s\(number)", room: room(number), serial: "\(number)", celsius: Double(number)))
            }
        }
        return store
    }

    @Test func `rows come from the index without a look at the records`() throws {
        let store = try Self.filled()
        let request = Sensor.where { $0.room >= "room 5" && $0.room < "room 6" }.order { $0.room.descending }
        let projection = request.fields { ($0.id, $0.room) }
        try store.read { tx in
            let rows = try tx.fetch(projection)
            let whole = try tx.fetch(request)
            #expect(rows.map(\.0) == whole.map(\.id) && rows.map(\.1) == whole.map(\.room))
            #expect(rows.count == 110)
            let plan = try tx.explain(projection, analyzed: true)
            #expect(plan.contains("take the fields from the index, without the records"), "\(plan)")
            #expect(plan.contains("records read: 0, returned: 110"), "\(plan)")
            let single = try tx.fetch(Sensor.where { $0.serial == "77" }.fields { $0.serial })
            #expect(single == ["77"])
        }
    }

    @Test func `long values, and fields that the index lacks, come from the records`() throws {
        let store = try Self.filled()
        for number in 0..<6 {
            let room = Self.room(number)
            let request = Sensor.where { $0.room == room }.order { $0.id.ascending }
            try store.read { tx in
                let whole = try tx.fetch(request)
                let covered = try tx.fetch(request.fields { ($0.room, $0.id) })
                #expect(covered.map(\.0) == whole.map(\.room) && covered.map(\.1) == whole.map(\.id))
                let more = try tx.fetch(request.fields { ($0.celsius, $0.id) })
                #expect(more.map(\.0) == whole.map(\.celsius) && more.map(\.1) == whole.map(\.id))
                #expect(whole.count == 10)
            }
        }
    }

    @Test func `what a write closure has changed is seen`() throws {
        let store = try Self.filled()
        let rows = try store.write { tx in
            try tx.update(Sensor.self, id: "s50") { $0.room = "room 50b" }
            try tx.delete(Sensor.self, id: "s150")
            return try tx.fetch(
                Sensor.where { $0.room.hasPrefix("room 50") }.order { $0.room.ascending }.fields { $0.room })
        }.result
        #expect(rows == Array(repeating: "room 50", count: 8) + ["room 50b"])
    }
}
