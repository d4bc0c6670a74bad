import Foundation
import ModelStore
import Testing

/// Groups with their aggregates, and sections.
@Suite struct GroupingTests {
    private static let heaters: [Heater] = (1...9).map { id in
        Heater(
            id: id, room: "room \(id % 3)", serial: "\(id)", celsius: Double(id), note: id % 4 == 0 ? nil : "\(id % 2)",
            mode: id > 7 ? nil : id % 2 == 0 ? .eco : .boost, tags: id % 2 == 0 ? ["even"] : [],
            spot: HeaterSpot(city: "c\(id % 2)", floor: id == 3 ? nil : id))
    }

    private func store() throws -> Store {
        let store = try Store.temporary(records: Heater.self)
        try store.write { tx in for heater in Self.heaters { try tx.insert(heater) } }
        return store
    }

    @Test func `groups have counts, sums, means and extremes`() throws {
        let rooms = FetchRequest(Heater.self).grouped(by: { $0.room }) {
            ($0.id.sum, $0.celsius.average, $0.celsius.max, $0.note.min, $0.spot.floor.sum)
        }
        let groups = try store().read { try $0.fetch(rooms) }
        #expect(groups.map(\.key) == ["room 0", "room 1", "room 2"] && groups.map(\.count) == [3, 3, 3])
        #expect(groups.map(\.values.0) == [18, 12, 15])
        #expect(groups.map(\.values.1) == [6, 4, 5])
        #expect(groups.map(\.values.2) == [9, 7, 8])
        #expect(groups.map(\.values.3) == ["0", "1", "0"])
        #expect(groups.map(\.values.4) == [15, 12, 15])
    }

    @Test func `what has no value counts for nothing, and nil is a key of its own`() throws {
        let request = Heater.where { $0.id > 6 }
        let modes = try store().read { tx in
            try tx.fetch(request.grouped(by: { $0.mode }) { $0.note.max })
        }
        #expect(modes.map(\.key) == [nil, .boost] && modes.map(\.count) == [2, 1])
        #expect(modes.map(\.values) == ["1", "1"])
        let nothing = try store().read { tx in
            try tx.fetch(
                Heater.where { $0.id == 3 }.grouped(by: { $0.room }) { ($0.spot.floor.average, $0.spot.floor.max) })
        }
        #expect(nothing[0].values.0 == nil && nothing[0].values.1 == nil)
    }

    @Test func `requests by one field compile inside of other calls`() throws {
        func count(_ items: Any...) -> Int { items.compactMap { $0 as? Int }.reduce(0, +) }
        let store = try store()
        #expect(
            try store.read { tx in count(try tx.fetch(FetchRequest(Heater.self).grouped(by: { $0.room })).count) } == 3)
        #expect(
            try store.read { tx in
                count(try tx.fetch(FetchRequest(Heater.self).grouped(by: { $0.mode }) { $0.celsius.max }).count)
            } == 3)
        #expect(
            try store.read { tx in count(try tx.fetch(FetchRequest(Heater.self).fields { $0.room }.distinct()).count) }
                == 3)
    }

    @Test func `several fields make a key, in the directions of the request`() throws {
        let request = FetchRequest(Heater.self).order { $0.room.descending }
        let groups = try store().read { try $0.fetch(request.grouped(by: { ($0.room, $0.spot.city) })) }
        #expect(groups.map(\.key.0) == ["room 2", "room 2", "room 1", "room 1", "room 0", "room 0"])
        #expect(groups.map(\.key.1) == ["c0", "c1", "c0", "c1", "c0", "c1"])
        #expect(groups.map(\.count) == [2, 1, 1, 2, 1, 2])
        let byTags = try store().read { try $0.fetch(request.grouped(by: { $0.tags })) }
        #expect(Set(byTags.map { "\($0.key) \($0.count)" }) == ["[] 5", "[\"even\"] 4"])
    }

    @Test func `limit and offset count records before they are grouped`() throws {
        let request = Heater.order { $0.id.ascending }.offset(1).limit(4)
        let groups = try store().read { try $0.fetch(request.grouped(by: { $0.room })) }
        #expect(groups.map(\.count) == [1, 1, 2])
    }

    @Test func `groups agree with those that a dictionary makes`() throws {
        let store = try store()
        let expected = Dictionary(grouping: Self.heaters) { $0.mode }
        let groups = try store.read {
            try $0.fetch(FetchRequest(Heater.self).grouped(by: { $0.mode }) { $0.celsius.sum })
        }
        #expect(groups.count == expected.count)
        for group in groups {
            #expect(group.count == expected[group.key]?.count)
            #expect(group.values == expected[group.key]?.reduce(0) { $0 + $1.celsius })
        }
    }

    @Test func `a sum that does not fit its type is an error`() throws {
        let store = try store()
        try store.write { tx in
            try tx.insert(Heater(id: .max, room: "room 0", serial: "x", celsius: 0, spot: HeaterSpot(city: "c")))
        }
        let failure = #expect(throws: StoreError.self) {
            try store.read { try $0.fetch(FetchRequest(Heater.self).grouped(by: { $0.room }) { $0.id.sum }) }
        }
        #expect(failure?.code == .tooLarge)
        // Averages do not overflow.
        let means = try store.read {
            try $0.fetch(FetchRequest(Heater.self).grouped(by: { $0.room }) { $0.id.average })
        }
        #expect(means[0].values == Double(Int.max) / 4 + 4.5)
    }

    @Test func `sections have their header first in the order`() throws {
        let store = try store()
        let byRoom = Heater.where { $0.id > 2 }.order { $0.id.descending }.sections(by: { $0.room })
        let sections = try store.read { try $0.fetch(byRoom) }
        #expect(sections.map(\.key) == ["room 0", "room 1", "room 2"])
        #expect(sections.map { $0.records.map(\.id) } == [[9, 6, 3], [7, 4], [8, 5]])
        let byMode = FetchRequest(Heater.self).order { [$0.mode.descending, $0.id.ascending] }.limit(7)
        let modes = try store.read { try $0.fetch(byMode.sections(by: { $0.mode })) }
        #expect(
            modes.map(\.key) == [.eco, .boost] && modes.map { $0.records.map(\.id) } == [[2, 4, 6], [1, 3, 5, 7]])
        let failure = #expect(throws: StoreError.self) {
            try store.read { try $0.fetch(FetchRequest(Heater.self).sections(by: { $0.tags })) }
        }
        #expect(failure?.code == .invalidValue)
    }
}
