import Foundation
import ModelStore
import StoreEngine
import Testing

@Record struct House: Equatable {
    @ID var id: String
    var name: String = ""
}

@Record struct Tenant: Equatable {
    @ID var id: Int
    var house: Reference<House>
    @Reference(onDelete: .nullify) var friend: Reference<Tenant>?
    @Reference(onDelete: .nullify) var clubs: [Reference<Club>] = []
}

@Record("clubs") struct Club: Equatable {
    @ID var id: UUID
    @Reference(onDelete: .cascade) var founder: Reference<Tenant>?
    @Reference(onDelete: .none) var seat: Reference<House>?
}

/// References through the typed interface.
@Suite struct ReferenceTests {
    private let store: Store
    private let club = UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA") ?? UUID()

    init() throws { store = try Store.temporary(records: House.self, Tenant.self, Club.self) }

    private func code(_ body: @escaping @Sendable (inout WriteTransaction) throws -> Void) -> StoreError.Code? {
        do {
            try store.write { try body(&$0) }
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `a record may refer to those that exist when the closure ends`() throws {
        #expect(code { try $0.insert(Tenant(id: 1, house: "a")) } == .referenceBroken)
        try store.write { tx in
            try tx.insert(Tenant(id: 1, house: "a", friend: 2))
            try tx.insert(Tenant(id: 2, house: "a", friend: 1))
            try tx.insert(House(id: "a"))
        }
        #expect(code { try $0.update(Tenant.self, id: 1) { $0.house = "b" } } == .referenceBroken)
        let house = try store.read { try $0.get(Tenant.self, id: 1)?.house }
        #expect(house?.id == "a")
    }

    @Test func `predicates compare references and their ids`() throws {
        try store.write { tx in
            for house in ["a", "b"] { try tx.insert(House(id: house)) }
            for id in 1...4 { try tx.insert(Tenant(id: id, house: id > 2 ? "a" : "b", friend: id == 3 ? 1 : nil)) }
        }
        let a = Reference<House>("a")
        let first = Reference<Tenant>?.some(1)
        let predicates: [Predicate<Tenant>] = [
            #Predicate { $0.house == a }, #Predicate { $0.house.id == "a" }, #Predicate { $0.friend == first },
            #Predicate { $0.friend == nil && $0.house != a }, #Predicate { $0.house.id.starts(with: "b") },
        ]
        let tenants = try store.read { try $0.all(Tenant.self) }
        for predicate in predicates {
            let expected = try tenants.filter { try predicate.evaluate($0) }.map(\.id)
            #expect(!expected.isEmpty)
            let request = try FetchRequest<Tenant>(predicate).order { $0.id.ascending }
            #expect(try store.read { try $0.fetch(request) }.map(\.id) == expected, "\(predicate)")
        }
    }

    @Test func `a reference is coded as its id`() throws {
        let encoded = try JSONEncoder().encode(["at": Reference<House>("a")])
        #expect(String(decoding: encoded, as: UTF8.self) == #"{"at":"a"}"#)
        #expect(try JSONDecoder().decode([String: Reference<House>].self, from: encoded) == ["at": "a"])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Reference<Tenant>.self, from: Data(#""x""#.utf8))
        }
    }

    @Test func `a record that others refer to is not deleted, unless they go as well`() throws {
        try store.write { tx in
            try tx.insert(House(id: "a"))
            try tx.insert(Tenant(id: 1, house: "a"))
        }
        #expect(code { try $0.delete(House.self, id: "a") } == .deleteDenied)
        try store.write { tx in
            try tx.delete(House.self, id: "a")
            try tx.insert(House(id: "a", name: "new"))
        }
        try store.write { tx in
            try tx.delete(House.self, id: "a")
            try tx.delete(Tenant.self, id: 1)
        }
        #expect(try store.read { try $0.count(Tenant.self) } == 0)
    }

    @Test func `nullify takes references away, cascade takes the records`() throws {
        let club = club
        try store.write { tx in
            try tx.insert(House(id: "a"))
            try tx.insert(Tenant(id: 1, house: "a", friend: 1, clubs: [Reference(club)]))
            try tx.insert(Tenant(id: 2, house: "a", friend: 1, clubs: [Reference(club), Reference(club)]))
            try tx.insert(Club(id: club, founder: 1, seat: "nowhere"))
        }
        try store.write { tx in _ = try tx.delete(Tenant.self, id: 1) }
        let (left, clubs) = try store.read { (try $0.all(Tenant.self), try $0.count(Club.self)) }
        #expect(left == [Tenant(id: 2, house: "a")])
        #expect(clubs == 0)
    }

    @Test func `a reference to a type that the store does not have is refused`() {
        #expect(throws: StoreError.self) { try Store.temporary(records: Tenant.self) }
    }
}

extension House {
    static let tenants = Inverse<House, Tenant>(\.house)
}

extension Club {
    static let members = Inverse<Club, Tenant>(\.clubs)
}

/// Fetching along references.
@Suite struct ReferenceFetchTests {
    private let store: Store
    private let chess = UUID(uuidString: "00000000-CA47-1067-B31D-00DD010662DA") ?? UUID()
    private let golf = UUID(uuidString: "11111111-CA47-1067-B31D-00DD010662DA") ?? UUID()

    init() throws {
        store = try Store.temporary(records: House.self, Tenant.self, Club.self)
        let (chess, golf) = (chess, golf)
        try store.write { tx in
            try tx.insert(House(id: "a", name: "North"))
            try tx.insert(House(id: "b", name: "South"))
            try tx.insert(House(id: "c", name: "East"))
            try tx.insert(Tenant(id: 1, house: "b", clubs: [Reference(chess), Reference(golf)]))
            try tx.insert(Tenant(id: 2, house: "a", friend: 1, clubs: [Reference(golf)]))
            try tx.insert(Tenant(id: 3, house: "b", friend: 2))
            try tx.insert(Tenant(id: 4, house: "a", friend: 4))
            try tx.insert(Club(id: chess, founder: 3, seat: "a"))
            try tx.insert(Club(id: golf, seat: "nowhere"))
        }
    }

    private func ids(_ request: FetchRequest<Tenant>) throws -> [Int] {
        try store.read { tx in
            let found = try tx.fetch(request).map(\.id)
            #expect(try tx.count(request) == found.count)
            return found
        }
    }

    private func ids(_ condition: (Tenant.Fields) -> Condition<Tenant>) throws -> [Int] {
        try ids(Tenant.where(condition)).sorted()
    }

    @Test func `a reference is compared by its id`() throws {
        let chess = chess
        #expect(try ids { $0.house == "b" } == [1, 3])
        #expect(try ids { $0.house.id == "b" } == [1, 3])
        #expect(try ids { $0.house != "b" } == [2, 4])
        #expect(try ids { $0.house.in(["a", "x"]) } == [2, 4])
        #expect(try ids { $0.house.id.hasPrefix("a") } == [2, 4])
        #expect(try ids { $0.friend == nil } == [1])
        #expect(try ids { $0.friend == 1 } == [2])
        #expect(try ids { $0.friend.id > 1 } == [3, 4])
        #expect(try ids { $0.clubs.contains(Reference(chess)) } == [1])
        #expect(try ids { $0.clubs.isEmpty } == [3, 4])
    }

    @Test func `conditions reach through references`() throws {
        #expect(try ids { $0.house.name == "North" } == [2, 4])
        #expect(try ids { !($0.house.name == "North") } == [1, 3])
        #expect(try ids { $0.house.name.contains("o") && $0.friend != nil } == [2, 3, 4])
        #expect(try ids { $0.friend.house.name == "South" } == [2])
        #expect(try ids { $0.friend.house.name != "South" } == [1, 3, 4])
        #expect(try ids { $0.friend.friend == nil } == [1, 2])
        #expect(try ids { $0.friend.friend.friend.friend.id == 4 } == [4])
        #expect(try ids { $0.friend.house == $0.friend.house } == [1, 2, 3, 4])
    }

    @Test func `a reference that leads nowhere counts as none`() throws {
        let golf = golf
        let found = try store.read { tx in
            (
                try tx.fetch(Club.where { $0.seat.name == nil }), try tx.fetch(Club.where { $0.seat.name != "x" }),
                try tx.fetch(Club.where { $0.seat.name == "North" })
            )
        }
        #expect(found.0.map(\.id) == [golf])
        #expect(found.1.count == 2)
        #expect(found.2.map(\.id) == [chess])
    }

    @Test func `records are ordered by what they refer to`() throws {
        #expect(
            try ids(FetchRequest(Tenant.self).order { [$0.house.name.ascending, $0.id.descending] }) == [4, 2, 3, 1])
        #expect(try ids(Tenant.order { $0.friend.house.name.descending }) == [2, 4, 3, 1])
        #expect(try ids(Tenant.order { $0.house.name.descending }.limit(3)) == [3, 1, 4])
    }

    @Test func `pages in an order through references go on behind what stood there`() throws {
        let request = FetchRequest(Tenant.self).order { [$0.house.name.ascending, $0.id.descending] }.limit(2)
        let first = try store.read { try $0.page(request) }
        #expect(first.rows.map(\.id) == [4, 2])
        let token = try #require(first.next)
        let last = try #require(first.rows.last)
        try store.write { tx in
            // The last row is deleted and a new house appears. A new tenant that now sorts before the page is not returned again.
            try tx.update(Tenant.self, id: 1) { $0.friend = nil }
            try tx.delete(Tenant.self, id: 2)
            try tx.insert(House(id: "z", name: "A"))
            try tx.insert(Tenant(id: 9, house: "z"))
        }
        #expect(try store.read { try $0.page(request.after(token)) }.rows.map(\.id) == [3, 1])
        #expect(try ids(request.after(last)) == [3, 1])
        #expect(try store.read { try $0.count(request.limit(10).after(last)) } == 2)
        let other = FetchRequest(Tenant.self).order { [$0.house.id.ascending, $0.id.descending] }
        let error = #expect(throws: StoreError.self) { try ids(other.after(token)) }
        #expect(error?.code == .invalidValue)
    }

    @Test func `too long a way is refused`() throws {
        let request = Tenant.where { $0.friend.friend.friend.friend.friend.house == "a" }
        let error = #expect(throws: StoreError.self) { try ids(request) }
        #expect(error?.code == .invalidValue)
    }

    @Test func `an inverse finds those that refer`() throws {
        let (chess, golf) = (chess, golf)
        try store.read { (tx) throws in
            #expect(try tx.fetch(House.tenants, of: "a").map(\.id) == [2, 4])
            #expect(try tx.fetch(House.tenants, of: "c").isEmpty)
            #expect(try tx.fetch(Club.members, of: golf).map(\.id) == [1, 2])
            #expect(try tx.count(House.tenants.request(of: "a").where { $0.friend == 4 }) == 1)
            #expect(try tx.explain(Club.members.request(of: chess)).contains("look in the index on clubs"))
        }
    }

    @Test func `what is referred to comes along`() throws {
        try store.read { tx in
            let houses = try tx.fetch(Tenant.order { $0.id.ascending }, with: \.house)
            #expect(houses.map(\.0.id) == [1, 2, 3, 4])
            #expect(houses.map { $0.1?.name } == ["South", "North", "South", "North"])
            let friends = try tx.fetch(Tenant.order { $0.id.descending }, with: \.friend)
            #expect(friends.map { $0.1?.id } == [4, 2, 1, nil])
            let clubs = try tx.fetch(Tenant.order { $0.id.ascending }, with: \.clubs)
            #expect(clubs.map { $0.1.map(\.id) } == [[chess, golf], [golf], [], []])
            let seats = try tx.fetch(Club.order { $0.id.ascending }, with: \.seat)
            #expect(seats.map { $0.1?.id } == ["a", nil])
        }
    }

    @Test func `those that refer come along`() throws {
        try store.read { tx in
            let houses = try tx.fetch(House.order { $0.name.ascending }, with: House.tenants)
            #expect(houses.map(\.0.id) == ["c", "a", "b"])
            #expect(houses.map { $0.1.map(\.id) } == [[], [2, 4], [1, 3]])
            let clubs = try tx.fetch(FetchRequest(Club.self), with: Club.members)
            #expect(clubs.map { $0.1.map(\.id) } == [[1], [1, 2]])
        }
    }

    @Test func `each record is read once, however many refer to it`() throws {
        try store.write { tx in
            for id in 100..<1_100 { try tx.insert(Tenant(id: id, house: id % 10 == 0 ? "a" : "c")) }
        }
        try store.read { (tx) throws in
            let references = try tx.all(Tenant.self).map(\.house)
            #expect(references.count == 1_004)
            #expect(try tx._reading.targets(of: references).scannedCount == 3)
            // The store reads an index entry and a record for each tenant that refers to "a", and nothing else.
            #expect(try tx._reading.sources(House.tenants, of: ["a"]).scannedCount == 2 * 102)
        }
    }
}
