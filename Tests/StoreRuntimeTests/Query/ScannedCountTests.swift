import LMDB
import StoreEngine
import StoreRuntime
import Testing

/// How many entries a request looks at.
@Suite struct ScannedCountTests {
    private func scanned(_ request: FetchRequest<Sensor>) throws -> (looked: Int, found: Int) {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in
            for number in 0..<1_000 {
                try tx.insert(
                    Sensor(
                        id: "s\(number)", room: "room \(number % 50)", serial: "\(number)", celsius: Double(number % 7),
                        floor: Floor.allCases[number % 3]))
            }
        }
        let type = try store.typeIndex(named: "Sensor")
        return try store.read { tx in
            var found = 0
            let looked = try tx._reading.fetchDynamic(request.request, typeIndex: type) { _ in
                found += 1
                return true
            }
            return (looked, found)
        }
    }

    @Test func `an indexed condition looks at what it finds, and a limit ends the walk`() throws {
        #expect(try scanned(Sensor.where { $0.room == "room 7" }) == (20, 20))
        #expect(try scanned(Sensor.where { $0.room.in(["room 7", "room 9", "none"]) }) == (40, 40))
        #expect(try scanned(Sensor.where { $0.room.hasPrefix("room 41") }) == (20, 20))
        // Looking up every fifth record by an index takes longer than going over all.
        #expect(try scanned(Sensor.where { $0.room.hasPrefix("room 4") }).looked == 1_000)
        #expect(try scanned(Sensor.where { $0.serial == "77" }) == (1, 1))
        #expect(try scanned(Sensor.where { $0.id == "s3" }) == (1, 1))
        #expect(try scanned(Sensor.where { $0.floor == .attic && $0.celsius >= 5 }).looked < 100)
        #expect(try scanned(Sensor.order { $0.room.descending }.limit(7)) == (7, 7))
        #expect(try scanned(Sensor.where { $0.floor == .attic }.order { $0.celsius.descending }.limit(5)) == (5, 5))
        #expect(try scanned(Sensor.where { $0.celsius > 5 }).looked == 1_000)
        #expect(try scanned(Sensor.where { $0.room == "room 7" && $0.room == "room 8" }) == (0, 0))
    }

    @Test func `counting by ranges and reading covered fields reads no record`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in
            for number in 0..<1_000 {
                try tx.insert(
                    Sensor(
                        id: "s\(number)", room: "room \(number % 50)", serial: "\(number)", celsius: Double(number % 7),
                        note: number % 10 == 0 ? "note" : nil, floor: Floor.allCases[number % 3]))
            }
        }
        let type = try store.typeIndex(named: "Sensor")
        func counted(_ request: FetchRequest<Sensor>) throws -> FetchCounts {
            try store.read { tx in try tx._reading.counted(request.request, typeIndex: type) }
        }
        let inRooms = try counted(Sensor.where { $0.room >= "room 2" && $0.room < "room 4" })
        #expect(inRooms.returned == 440 && inRooms.fetched == 0 && inRooms.walked == [440])
        let byID = try counted(Sensor.where { $0.id.hasPrefix("s1") })
        #expect(byID.returned == 111 && byID.fetched == 0)
        let either = try counted(Sensor.where { $0.room == "room 2" || $0.serial == "7" || $0.id == "s2" })
        #expect(either.returned == 21 && either.fetched == 0)
        let both = try counted(Sensor.where { $0.room == "room 2" && $0.floor == .attic })
        #expect(both.returned == 7)
        #expect(try counted(Sensor.where { $0.room == "room 2" && $0.note == "note" }).fetched == 20)

        let fields = ["room", "id"].map { name in Sensor.recordSchema.fields.firstIndex { $0.name == name } ?? 0 }
        let covered = try store.read { tx in
            try tx._reading.fetchFields(
                Sensor.where { $0.room == "room 2" }.request, places: fields, typeIndex: type
            ) { values in
                #expect(values[0] == .string("room 2"))
                return true
            }
        }
        #expect(covered.fetched == 0 && covered.returned == 20)
    }
}
