import Foundation
import ModelStore
import Testing

/// Pages that continue after the position of the last row.
@Suite struct PageTests {
    private func heaters(_ ids: ClosedRange<Int>) throws -> Store {
        let store = try Store.temporary(records: Heater.self)
        try store.write { tx in for id in ids { try tx.insert(Self.heater(id)) } }
        return store
    }

    private static func heater(_ id: Int) -> Heater {
        Heater(
            id: id, room: "room \(id % 4)", serial: "\(id)", celsius: Double(id % 7),
            note: id % 5 == 0 ? nil : "\(id % 3)",
            spot: HeaterSpot(city: "c"))
    }

    private func walk(_ store: Store, _ request: FetchRequest<Heater>) throws -> [Int] {
        var (ids, token): ([Int], PageToken?) = ([], nil)
        repeat {
            let page = try store.read { tx in try tx.page(token.map { request.after($0) } ?? request) }
            ids += page.rows.map(\.id)
            token = page.next
        } while token != nil
        return ids
    }

    @Test func `pages put together are the whole, in every order`() throws {
        let store = try heaters(1...50)
        let all = FetchRequest(Heater.self)
        let requests = [
            all, all.order { $0.room.ascending }, all.order { $0.note.descending },
            Heater.order { [$0.room.ascending, $0.note.descending] },
            all.order { [$0.room.descending, $0.celsius.ascending] }, all.order { $0.id.descending },
            Heater.where { $0.room == "room 1" }.order { $0.serial.descending }.offset(3),
        ]
        for request in requests {
            let expected = try store.read { try $0.fetch(request).map(\.id) }
            for size in [1, 7, 50, 51] { #expect(try walk(store, request.limit(size)) == expected) }
        }
    }

    @Test func `a page of a negative size is refused, and one of no rows has no next one`() throws {
        try heaters(1...3).read { tx in
            let error = #expect(throws: StoreError.self) { try tx.page(FetchRequest(Heater.self).limit(-1)) }
            #expect(error?.code == .invalidValue)
            let none = try tx.page(FetchRequest(Heater.self).limit(0))
            #expect(none.rows.isEmpty && none.next == nil)
        }
    }

    @Test func `what is written between pages neither repeats nor skips a row`() throws {
        let store = try heaters(1...20)
        let request = Heater.order { $0.id.ascending }.limit(5)
        let first = try store.read { try $0.page(request) }
        let token = try #require(first.next)
        try store.write { tx in
            // The last row of the page is deleted, and other rows before and after it are inserted and deleted.
            for id in [2, 5, 6] { try tx.delete(Heater.self, id: id) }
            for id in [-1, 30] { _ = try tx.insert(Self.heater(id)) }
        }
        let second = try store.read { try $0.page(request.after(token)) }
        #expect(second.rows.map(\.id) == [7, 8, 9, 10, 11])
        let behind = try store.read { try $0.fetch(Heater.order { $0.id.descending }.after(Self.heater(8)).limit(2)) }
        #expect(behind.map(\.id) == [7, 4])
    }

    @Test func `a unique value that another record took is behind the record that had it`() throws {
        let store = try heaters(1...4)
        let request = Heater.order { $0.serial.ascending }.limit(2)
        let page = try store.read { try $0.page(request) }
        try store.write { tx in
            try tx.delete(Heater.self, id: 2)
            var other = Self.heater(40)
            other.serial = "2"
            _ = try tx.insert(other)
        }
        let token = try #require(page.next)
        let next = try store.read { try $0.page(request.after(token)) }
        #expect(next.rows.map(\.id) == [40, 3])
    }

    @Test func `projections have pages, distinct ones have none`() throws {
        let store = try heaters(1...6)
        let rows = Heater.order { $0.id.ascending }.limit(4).fields { ($0.id, $0.room) }
        try store.read { tx in
            let page = try tx.page(rows)
            #expect(page.rows.map(\.0) == [1, 2, 3, 4])
            let token = try #require(page.next)
            let rest = try tx.page(rows.after(token))
            #expect(rest.rows.map(\.0) == [5, 6] && rest.next == nil)
            let failure = #expect(throws: StoreError.self) { try tx.page(rows.distinct()) }
            #expect(failure?.code == .invalidValue)
        }
    }

    @Test func `tokens are texts, and fit the request that they came from alone`() throws {
        let store = try heaters(1...9)
        let request = Heater.where { $0.celsius > 1 }.order { $0.room.ascending }.limit(2)
        let token = try #require(try store.read { try $0.page(request) }.next)
        #expect(PageToken(token.description) == token)
        #expect(token.description.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
        #expect(try JSONDecoder().decode([PageToken].self, from: JSONEncoder().encode([token])) == [token])
        #expect(PageToken("") == nil && PageToken("AAAA") == nil && PageToken("{}") == nil)
        #expect(PageToken(String(token.description.dropLast(3))) == nil)
        let others = [
            Heater.where { $0.celsius > 2 }.order { $0.room.ascending }, Heater.where { $0.celsius > 1 },
            Heater.where { $0.celsius > 1 }.order { $0.room.descending },
        ]
        for other in others {
            let failure = #expect(throws: StoreError.self) { try store.read { try $0.fetch(other.after(token)) } }
            #expect(failure?.code == .invalidValue && failure?.remedy != nil)
        }
        // The next page may have another size and other fields.
        #expect(try store.read { try $0.fetch(request.limit(50).fields { $0.id }.after(token)).count } == 4)
    }
}
