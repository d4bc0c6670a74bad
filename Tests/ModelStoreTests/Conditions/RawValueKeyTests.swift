import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// Enums and a struct with raw values that do not mention ModelStore.
private enum Planet: String, CaseIterable {
    case mercury, venus, earth
}

private enum Rank: Int, Codable {
    case first = -1
    case second = 2
}

private struct Serial: RawRepresentable, Hashable {
    let rawValue: Int32
}

@Record
private struct Body: Equatable {
    @ID var planet: Planet
    @Unique var rank: Rank
    @Unique var serial: Serial?
    @Indexed var seen: Planet?
    var mass: Double = 0
}

@Record
private struct Moon {
    @ID var planet: Planet
    @ID var serial: Serial
    var name: String
}

@Record
private struct Probe {
    @ID var key: [UInt8]
    var name: String
}

@Suite("Raw values as keys") struct RawValueKeyTests {
    private static let earth = Body(planet: .earth, rank: .first, serial: Serial(rawValue: -3), seen: .venus)
    private static let venus = Body(planet: .venus, rank: .second, serial: nil, seen: nil)

    private func requireSound(_ store: Store) throws {
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `An enum that says nothing of the store is an id`() async throws {
        let store = try Store.temporary(records: Body.self)
        try await store.write { tx in
            try tx.insert(Self.venus)
            try tx.insert(Self.earth)
        }
        #expect(try store.read { try $0.get(Body.self, id: .venus) } == Self.venus)
        #expect(try store.read { try $0.get(Body.self, id: .mercury) } == nil)
        #expect(try store.read { try $0.contains(Body.self, id: .earth) })
        #expect(try store.read { try $0.value(Body.self, id: .earth, \.mass) } == 0)
        // Ids are ordered by raw value: "earth" comes before "venus", whatever the order of the cases.
        #expect(try store.read { try $0.all(Body.self) }.map(\.planet) == [.earth, .venus])
        try await store.write { tx in
            try tx.update(Body.self, id: .venus) { $0.mass = 4.87 }
            try tx.delete(Body.self, id: .earth)
        }
        #expect(try store.read { try $0.all(Body.self) }.map(\.mass) == [4.87])
        try requireSound(store)
    }

    @Test func `Errors show the raw value of an id`() async throws {
        let store = try Store.temporary(records: Body.self)
        try await store.write { try $0.insert(Self.venus) }
        let missing = await #expect(throws: StoreError.self) {
            try await store.write { try $0.update(Body.self, id: .earth) { $0.mass = 1 } }
        }
        #expect(missing?.code == .recordNotFound)
        #expect(missing?.message.contains("earth") == true)
        let changed = await #expect(throws: StoreError.self) {
            try await store.write { try $0.update(Body.self, id: .venus) { $0.planet = .earth } }
        }
        #expect(changed?.code == .invalidValue)
    }

    @Test func `A unique field is looked up by an enum that says nothing of the store`() async throws {
        let store = try Store.temporary(records: Body.self)
        try await store.write { tx in
            try tx.insert(Self.venus)
            try tx.insert(Self.earth)
        }
        #expect(try store.read { try $0.get(Body.self, unique: \.rank, equals: .first) } == Self.earth)
        #expect(try store.read { try $0.get(Body.self, unique: \.rank, equals: .second) } == Self.venus)
        for (value, body) in [(-3, Self.earth), (3, nil)] as [(Int32, Body?)] {
            let serial = Serial(rawValue: value)
            #expect(try store.read { try $0.get(Body.self, unique: \.serial, equals: serial) } == body)
        }
        let twin = Body(planet: .mercury, rank: .first, serial: nil, seen: nil)
        let taken = await #expect(throws: StoreError.self) { try await store.write { try $0.insert(twin) } }
        #expect(taken?.code == .uniqueViolation)
        try requireSound(store)
    }

    @Test func `Raw values are parts of a composite id`() async throws {
        let store = try Store.temporary(records: Moon.self)
        let moons = [
            Moon(planet: .earth, serial: Serial(rawValue: -1), name: "none"),
            Moon(planet: .earth, serial: Serial(rawValue: 1), name: "Luna"),
            Moon(planet: .mercury, serial: Serial(rawValue: 0), name: "none"),
        ]
        try await store.write { tx in for moon in moons.reversed() { try tx.insert(moon) } }
        #expect(try store.read { try $0.all(Moon.self) } == moons)
        let luna = Moon.ID(planet: .earth, serial: Serial(rawValue: 1))
        #expect(try store.read { try $0.get(Moon.self, id: luna) } == moons[1])
        try requireSound(store)
    }

    @Test func `Bytes are an id`() async throws {
        let store = try Store.temporary(records: Probe.self)
        let probes = [Probe(key: [0], name: "a"), Probe(key: [0, 0], name: "b"), Probe(key: [1], name: "c")]
        try await store.write { tx in for probe in probes.reversed() { try tx.insert(probe) } }
        #expect(try store.read { try $0.all(Probe.self) } == probes)
        #expect(try store.read { try $0.get(Probe.self, id: [0, 0]) } == probes[1])
        try requireSound(store)
    }
}
