import Foundation
import ModelStore
import StoreEngine
import Testing

extension House {
    fileprivate static let seats = Inverse<House, Club>(\.seat)
}

extension Tenant {
    fileprivate static let friends = Inverse<Tenant, Tenant>(\.friend)
    fileprivate static let founded = Inverse<Tenant, Club>(\.founder)
}

@Record struct Party: Equatable {
    @ID var id: Int
    @Reference(onDelete: .nullify) var guests: Set<Reference<Tenant>>?
}

/// Conditions on the records that refer to a record, and on the records that its elements refer to.
@Suite struct InverseConditionTests {
    private let store: Store
    private let chess = UUID(uuidString: "00000000-CA47-1067-B31D-00DD010662DA") ?? UUID()
    private let golf = UUID(uuidString: "11111111-CA47-1067-B31D-00DD010662DA") ?? UUID()

    init() throws {
        store = try Store.temporary(records: House.self, Tenant.self, Club.self)
        let (chess, golf) = (chess, golf)
        try store.write { tx in
            for (id, name) in [("a", "North"), ("b", "South"), ("c", "East")] {
                try tx.insert(House(id: id, name: name))
            }
            try tx.insert(Tenant(id: 1, house: "b", clubs: [Reference(chess), Reference(golf)]))
            try tx.insert(Tenant(id: 2, house: "a", friend: 1, clubs: [Reference(golf), Reference(golf)]))
            try tx.insert(Tenant(id: 3, house: "b", friend: 2))
            try tx.insert(Tenant(id: 4, house: "a", friend: 4))
            try tx.insert(Club(id: chess, founder: 3, seat: "a"))
            try tx.insert(Club(id: golf, seat: "nowhere"))
        }
    }

    private func houses(_ condition: (House.Fields) -> Condition<House>) throws -> String {
        try store.read { try $0.fetch(House.where(condition)) }.map(\.id).sorted().joined()
    }

    private func tenants(_ condition: (Tenant.Fields) -> Condition<Tenant>) throws -> [Int] {
        try store.read { try $0.fetch(Tenant.where(condition)) }.map(\.id).sorted()
    }

    @Test func `any, all, isEmpty and count ask the records that refer to one`() throws {
        #expect(try houses { _ in House.tenants.isEmpty } == "c")
        #expect(try houses { _ in !House.tenants.isEmpty } == "ab")
        #expect(try houses { _ in House.tenants.any { $0.friend == 4 } } == "a")
        #expect(try houses { _ in !House.tenants.any { $0.friend == 4 } } == "bc")
        #expect(try houses { _ in House.tenants.all { $0.friend != nil } } == "ac")
        #expect(try houses { _ in House.tenants.count == 2 } == "ab")
        #expect(try houses { _ in House.tenants.count <= 1 } == "c")
        #expect(try houses { _ in House.tenants.count(where: { $0.id > 2 }) < 1 } == "c")
        #expect(try houses { _ in House.tenants.count(where: { $0.id < 3 }) >= 1 } == "ab")
        #expect(try houses { $0.name == "North" && House.tenants.any { $0.id.in([1, 2]) } } == "a")
        #expect(try houses { $0.name == "East" || House.tenants.any { $0.id == 1 } } == "bc")
        #expect(try tenants { _ in Tenant.friends.isEmpty } == [3])
    }

    @Test func `the condition on those that refer may go on through references either way`() throws {
        #expect(try houses { _ in House.tenants.any { $0.friend.house.name == "South" } } == "a")
        #expect(try houses { _ in House.tenants.any { _ in !Tenant.founded.isEmpty } } == "b")
        #expect(try houses { _ in House.tenants.all { _ in Tenant.founded.isEmpty } } == "ac")
        #expect(try tenants { _ in Tenant.friends.any { _ in Tenant.friends.any { $0.id == 3 } } } == [1])
    }

    @Test func `a reference that leads nowhere, and one that is there twice, count for what they are`() throws {
        #expect(try houses { _ in House.seats.isEmpty } == "bc")
        let golf = golf
        let crowded = try store.read { try $0.fetch(Club.where { _ in Club.members.count == 2 }) }
        #expect(crowded.map(\.id) == [golf])
    }

    @Test func `elements that are references are tested by the records that they lead to`() throws {
        let chess = chess
        #expect(try tenants { $0.clubs.any { $0.founder == 3 } } == [1])
        #expect(try tenants { $0.clubs.any { $0.founder.house.name == "South" } } == [1])
        #expect(try tenants { $0.clubs.all { $0.founder == nil } } == [2, 3, 4])
        #expect(try tenants { $0.clubs.any { $0.seat.name == nil } } == [1, 2])
        #expect(try tenants { $0.clubs.any { $0.id == chess } } == [1])
        #expect(try tenants { $0.friend.clubs.any { $0.founder == 3 } } == [2])
        #expect(try houses { _ in House.tenants.any { $0.clubs.any { $0.founder == 3 } } } == "b")
    }

    @Test func `an inverse may stand behind references, where what leads nowhere has no number`() throws {
        #expect(try tenants { $0.house.inverse(House.tenants).any { $0.friend == 4 } } == [2, 4])
        #expect(try tenants { $0.house.inverse(House.tenants).all { $0.friend != nil } } == [2, 4])
        #expect(try tenants { $0.house.inverse(House.seats).isEmpty } == [1, 3])
        #expect(try tenants { $0.friend.inverse(Tenant.founded).isEmpty } == [2, 3, 4])
        #expect(try tenants { !$0.friend.inverse(Tenant.founded).isEmpty } == [1])
        #expect(try tenants { $0.friend.house.inverse(House.tenants).count(where: { $0.id < 3 }) != 1 } == [1])
        #expect(try tenants { !($0.friend.house.inverse(House.tenants).count(where: { $0.id < 3 }) == 1) } == [1])
        #expect(try tenants { $0.id > 1 && $0.friend.house.inverse(House.tenants).count == 2 } == [2, 3, 4])
        let (chess, golf) = (chess, golf)
        func clubs(_ condition: (Club.Fields) -> Condition<Club>) throws -> [UUID] {
            try store.read { try $0.fetch(Club.where(condition)) }.map(\.id)
        }
        #expect(try clubs { $0.founder.house.inverse(House.tenants).any { $0.id == 1 } } == [chess])
        // The seat of the other club is a dangling reference.
        #expect(try clubs { $0.seat.inverse(House.seats).count >= 0 } == [chess])
        #expect(try clubs { $0.seat.inverse(House.seats).count != 1 } == [golf])
        #expect(try tenants { $0.clubs.any { $0.seat.inverse(House.seats).count != 1 } } == [1, 2])
        #expect(try tenants { $0.clubs.any { $0.founder.inverse(Tenant.founded).count == 1 } } == [1])
        #expect(
            try tenants { $0.house.inverse(House.tenants).any { $0.friend.inverse(Tenant.friends).count == 1 } } == [
                1, 2, 3, 4,
            ])
    }

    @Test func `an inverse may stand in a test of elements, whose tokens are those of the records there`() throws {
        #expect(try tenants { $0.clubs.any { _ in Club.members.count == 2 } } == [1, 2])
        #expect(try tenants { $0.clubs.all { _ in Club.members.count == 1 } } == [3, 4])
        #expect(try tenants { $0.clubs.any { $0.founder != nil && Club.members.any { $0.friend == nil } } } == [1])
        #expect(try tenants { $0.clubs.any { $0.inverse(Club.members).count == 1 } } == [1])
        #expect(try houses { _ in House.tenants.any { $0.clubs.any { _ in Club.members.count == 1 } } } == "b")
        let parties = try Store.temporary(records: House.self, Tenant.self, Club.self, Party.self)
        try parties.write { tx in
            try tx.insert(House(id: "a"))
            for id in 1...3 { try tx.insert(Tenant(id: id, house: "a", friend: id == 2 ? 1 : nil)) }
            try tx.insert(Party(id: 1, guests: [1, 2]))
            try tx.insert(Party(id: 2, guests: nil))
            try tx.insert(Party(id: 3, guests: [3]))
        }
        try parties.read { tx throws in
            let popular = Party.where { $0.guests.any { $0.id < 3 && Tenant.friends.count == 1 } }
            #expect(try tx.fetch(popular).map(\.id) == [1])
            let lonely = Party.where { $0.guests.all { _ in Tenant.friends.isEmpty } }
            #expect(try tx.fetch(lonely).map(\.id) == [3])
        }
    }

    @Test func `no more is looked at than what refers to the records in question`() throws {
        try store.write { tx in
            for number in 0..<100 { try tx.insert(House(id: "h\(number)")) }
            for number in 100..<1_100 { try tx.insert(Tenant(id: number, house: Reference("h\(number % 100)"))) }
        }
        func looked(_ condition: (House.Fields) -> Condition<House>) throws -> (looked: Int, found: Int) {
            try store.read { tx in
                var found = 0
                let type = try tx._reading.catalog.requireTypeIndex(named: "House")
                let looked = try tx._reading.fetchDynamic(House.where(condition).request, typeIndex: type) { _ in
                    found += 1
                    return true
                }
                return (looked, found)
            }
        }
        // The store reads the tenant by its id, then the house by its id.
        #expect(try looked { _ in House.tenants.any { $0.id == 105 } } == (2, 1))
        // The store reads the house twice, and in between its ten entries in the reference's index.
        #expect(try looked { $0.id == "h7" && House.tenants.count == 10 } == (12, 1))
        #expect(try looked { $0.id == "h7" && House.tenants.count == 9 } == (11, 0))
        // With a condition the store also reads the records, and stops at the first match.
        #expect(try looked { $0.id == "h7" && House.tenants.any { $0.id > 0 } } == (4, 1))
        #expect(try looked { $0.id == "h7" && House.tenants.any { $0.friend == 4 } }.looked <= 22)
        // The store reads only the index entries and the matching houses.
        let crowded = try looked { _ in House.tenants.count > 5 }
        #expect(crowded.found == 100 && crowded.looked <= 1_004 + 103)
    }

    @Test func `a plan tells what was asked of other records`() throws {
        let request = House.where { $0.name == "North" && House.tenants.any { $0.friend == 4 } }
        let plan = try store.read { try $0.explain(request, analyzed: true) }
        #expect(plan.contains("inverse(Tenant.house) any (friend == 4)"))
        #expect(plan.contains("looked at"))
    }

    @Test func `a page goes on where the last one ended, though records behind references have changed`() throws {
        let requests = [
            Tenant.where { $0.house.name == "North" }.limit(1), Tenant.where { _ in !Tenant.friends.isEmpty }.limit(1),
        ]
        for request in requests {
            let first = try store.read { try $0.page(request) }
            let token = try #require(first.next)
            try store.write { tx in
                try tx.upsert(House(id: "d", name: "North"))
                try tx.upsert(Tenant(id: 9, house: "d", friend: 9))
            }
            let rest = try store.read { try $0.page(request.limit(10).after(token)) }
            let all = try store.read { try $0.fetch(request.limit(10).order { $0.id.ascending }) }
            #expect((first.rows + rest.rows) == all && all.last?.id == 9)
        }
    }

    @Test func `what is about other records is refused where there is one, and what does not fit says why`() throws {
        try store.read { tx in
            let catalog = tx._reading.catalog
            let filter = FeedFilter(House.self, where: { _ in House.tenants.isEmpty })
            let refused = #expect(throws: StoreError.self) { try FeedFilters([filter], catalog) }
            #expect(refused?.message.contains("inverse(Tenant.house) tests records other than the House") == true)
            let house = try catalog.requireTypeIndex(named: "House")
            for (name, code) in [
                (InverseName(type: "Tenent", field: "house"), StoreError.Code.unknownType),
                (InverseName(type: "Tenant", field: "hause"), .unknownField),
                (InverseName(type: "Tenant", field: "friend"), .invalidValue),
            ] {
                var request = Request()
                request.condition = .inverse(name, .constant(true), .equal, 0)
                let error = #expect(throws: StoreError.self) { try tx._reading.count(request, typeIndex: house) }
                #expect(error?.code == code)
            }
        }
    }
}
