import Foundation
import ModelStore
import Testing

/// A summary of a heater.
@Embedded struct HeaterSummary: Equatable {
    var celsius: Double
    var id: Int
    var mode: HeaterMode?
    var spot: HeaterSpot
}

/// A struct with a field that heaters lack.
@Embedded struct HeaterMistake: Equatable {
    var celsus: Double
}

/// A struct with a field that has another type in heaters.
@Embedded struct HeaterMisfit: Equatable {
    var celsius: Float
}

/// Fetching some fields of each record.
@Suite struct ProjectionTests {
    struct Pair: Equatable {
        var id: Int
        var note: String?
    }

    private func heaters() throws -> Store {
        let store = try Store.temporary(records: Heater.self)
        try store.write { tx in
            for id in 1...6 {
                try tx.insert(
                    Heater(
                        id: id, room: "room \(id % 3)", serial: "\(id)", celsius: Double(id) / 2,
                        note: id % 2 == 0 ? nil : "n\(id)", mode: id == 3 ? .boost : nil, tags: ["t\(id % 2)"],
                        spot: HeaterSpot(city: "c\(id)", floor: id == 4 ? nil : id),
                        spare: id == 5 ? HeaterSpot(city: "spare", floor: nil) : nil))
            }
        }
        return store
    }

    @Test func `rows are single fields, tuples, or what is made of them`() throws {
        let all = FetchRequest(Heater.self).order { $0.id.ascending }
        try heaters().read { tx in
            let celsius = try tx.fetch(all.fields { $0.celsius })
            #expect(celsius == [0.5, 1, 1.5, 2, 2.5, 3])
            let pairs = try tx.fetch(all.limit(2).fields { ($0.id, $0.note) })
            #expect(pairs.map(\.0) == [1, 2] && pairs.map(\.1) == ["n1", nil])
            #expect(try tx.fetch(all.limit(1).fields(Pair.init) { ($0.id, $0.note) }) == [Pair(id: 1, note: "n1")])
            let kinds = try tx.fetch(all.offset(2).limit(1).fields { ($0.mode, $0.tags, $0.spot, $0.seen) })
            #expect(kinds[0].0 == .boost && kinds[0].1 == ["t1"] && kinds[0].2 == HeaterSpot(city: "c3", floor: 3))
            #expect(kinds[0].3 == Date(timeIntervalSince1970: 0))
        }
    }

    @Test func `fields of embedded structs are decoded alone, nil where there is no struct`() throws {
        let all = FetchRequest(Heater.self).order { $0.id.ascending }
        try heaters().read { tx in
            let rows = try tx.fetch(all.offset(3).limit(2).fields { ($0.spot.city, $0.spot.floor, $0.spare.city) })
            #expect(rows[0] == ("c4", nil, nil))
            #expect(rows[1] == ("c5", 5, "spare"))
        }
    }

    @Test func `a smaller struct takes its properties by name`() throws {
        let summaries = Heater.where { $0.id == 3 }.fields(as: HeaterSummary.self)
        try heaters().read { tx in
            let expected = HeaterSummary(celsius: 1.5, id: 3, mode: .boost, spot: HeaterSpot(city: "c3", floor: 3))
            let found = try tx.fetch(summaries)
            #expect(found == [expected])
            let mistake = #expect(throws: StoreError.self) {
                try tx.fetch(FetchRequest(Heater.self).fields(as: HeaterMistake.self))
            }
            #expect(mistake?.code == .unknownField && mistake?.remedy == "did you mean celsius?")
            let misfit = #expect(throws: StoreError.self) {
                try tx.first(FetchRequest(Heater.self).fields(as: HeaterMisfit.self))
            }
            #expect(misfit?.code == .invalidValue)
        }
    }

    @Test func `a closure that gives no fields, or no aggregates, is told so`() throws {
        // Swift infers this type for a closure that returns something other than fields.
        let nothing: (Heater.Fields) -> Void = { _ in }
        let all = FetchRequest(Heater.self)
        try heaters().read { tx in
            let failures = [
                #expect(throws: StoreError.self) { _ = try tx.fetch(all.fields(nothing)) },
                #expect(throws: StoreError.self) { _ = try tx.fetch(all.grouped(by: nothing)) },
                #expect(throws: StoreError.self) { _ = try tx.fetch(all.grouped(by: { $0.room }, nothing)) },
            ]
            #expect(failures.map { $0?.code } == [.invalidValue, .invalidValue, .invalidValue])
            #expect(failures.map { $0?.remedy?.prefix(9) } == ["return on", "return on", "return on"])
        }
    }

    @Test func `each distinct row comes once, and limit and offset count these`() throws {
        let rooms = FetchRequest(Heater.self).order { $0.id.descending }.fields { $0.room }.distinct()
        try heaters().read { tx in
            #expect(try tx.fetch(rooms) == ["room 0", "room 2", "room 1"])
            #expect(try tx.count(rooms) == 3)
            #expect(try tx.fetch(rooms.offset(1).limit(1)) == ["room 2"])
            #expect(try tx.first(rooms) == "room 0")
            #expect(try tx.count(rooms.limit(2)) == 2)
            let tags = try tx.fetch(FetchRequest(Heater.self).fields { ($0.tags, $0.mode) }.distinct())
            #expect(tags.count == 3)
            let ordered = FetchRequest(Heater.self).order { $0.room.ascending }.fields { $0.room }.distinct()
            #expect(try tx.fetch(ordered) == ["room 0", "room 1", "room 2"])
            #expect(try tx.explain(ordered).hasSuffix("each room once, equal rows are adjacent"))
        }
    }

    @Test func `a walk over rows ends where the closure says so`() throws {
        try heaters().read { tx in
            var seen: [Int] = []
            try tx.forEach(FetchRequest(Heater.self).order { $0.id.ascending }.fields { $0.id }) {
                seen.append($0)
                return seen.count < 2
            }
            #expect(seen == [1, 2])
        }
    }

    @Test func `rows are made of fields of another record too`() throws {
        let store = try Store.temporary(records: House.self, Tenant.self, Club.self)
        try store.write { tx in
            try tx.insert(House(id: "a", name: "A"))
            try tx.insert(Tenant(id: 1, house: "a"))
        }
        let pairs = FetchRequest(Tenant.self).fields({ (id: Int, name: String) in "\(id) \(name)" }) {
            ($0.id, $0.house.name)
        }
        try store.read { tx throws in
            #expect(try tx.fetch(pairs) == ["1 A"])
            #expect(try tx.page(pairs).rows == ["1 A"])
        }
    }
}
