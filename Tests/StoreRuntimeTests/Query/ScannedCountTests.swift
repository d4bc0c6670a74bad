import LMDB
import StoreEngine
import StoreRuntime
import Testing

/// The number of entries that a request visits.
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
        // Looking up every fifth record by an index takes longer than walking all records.
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
                Sensor.where { $0.room == "room 2" }.request, fieldIndexes: fields, typeIndex: type
            ) { values in
                #expect(values[0] == .string("room 2"))
                return true
            }
        }
        #expect(covered.fetched == 0 && covered.returned == 20)
    }

    /// Creates a store with a thousand sensors, ten of them in the attic.
    private func sensors() throws -> Store {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in
            for number in 0..<1_000 {
                try tx.insert(
                    Sensor(
                        id: "s\(number)", room: "room \(number % 50)", serial: "\(number)", celsius: Double(number % 7),
                        floor: number % 100 == 0 ? .attic : number % 2 == 0 ? .first : .ground))
            }
        }
        return store
    }

    private func run(_ condition: ConditionNode, _ store: Store) throws -> (looked: Int, found: Int) {
        var request = Request()
        request.condition = condition
        let type = try store.typeIndex(named: "Sensor")
        return try store.read { tx in
            var found = 0
            let looked = try tx._reading.fetchDynamic(request, typeIndex: type) { _ in
                found += 1
                return true
            }
            #expect(try tx._reading.count(request, typeIndex: type) == found)
            return (looked, found)
        }
    }

    @Test func `a test of an enum's text holds beside others of the field, and uses its index`() throws {
        let store = try sensors()
        let floor = FieldName("floor")
        let upper = ConditionNode.membership(floor, [.string("attic"), .string("first")])
        #expect(try run(.and([upper, .text(floor, .startsWith, "a", [])]), store) == (10, 10))
        #expect(try run(.and([upper, .text(floor, .equals, "att", [])]), store) == (0, 0))
        #expect(try run(.text(floor, .startsWith, "at", []), store) == (10, 10))
        #expect(try run(.text(floor, .equals, "attic", []), store) == (10, 10))
        #expect(try run(.text(floor, .startsWith, "attica", []), store) == (0, 0))
    }

    @Test func `none is no value of a field that is not optional, whatever else is said of it`() throws {
        let store = try sensors()
        let room = FieldName("room")
        let some = ConditionNode.comparison(room, .greaterOrEqual, .string("room 4"))
        #expect(try run(.and([some, .comparison(room, .equal, .none)]), store).found == 0)
        #expect(try run(.and([some, .comparison(room, .notEqual, .none)]), store).found == 320)
        #expect(try run(.and([some, .membership(room, [.none, .string("room 49")])]), store) == (20, 20))
        #expect(try run(.membership(room, [.none]), store).found == 0)
    }

    @Test func `a page behind a token looks at its own rows and one more`() throws {
        let store = try sensors()
        let type = try store.typeIndex(named: "Sensor")
        try store.read { tx in
            let first = Sensor.order { $0.room.ascending }.limit(7)
            let token = try #require(try tx.page(first).next)
            let second = first.after(token)
            let looked = try tx._reading.fetchDynamic(second.request, typeIndex: type) { _ in true }
            #expect(looked == 7)
        }
    }
}
