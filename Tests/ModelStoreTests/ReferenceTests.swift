import Foundation
import ModelStore
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

    @Test func `a record that others refer to is not deleted, unless they go as well`() throws {
        try store.write { tx in
            try tx.insert(House(id: "a"))
            try tx.insert(Tenant(id: 1, house: "a"))
        }
        #expect(code { try $0.delete(House.self, id: "a") } == .referenced)
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
