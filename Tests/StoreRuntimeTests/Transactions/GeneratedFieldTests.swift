import Foundation
import StoreEngine
import StoreRuntime
import Testing

@Suite struct GeneratedFieldTests {
    private struct Stop: Error {}

    private func ticket(_ rank: Int32, id: Int = 0) -> Ticket { Ticket(id: id, owner: "o", rank: rank) }

    private func insert(_ store: Store, _ ticket: Ticket) throws -> Int {
        try store.write { tx in try tx.insert(ticket).id }
    }

    @Test func `an id is never assigned again, though the greatest record is deleted and the store reopened`() throws {
        let folder = try StoreFolder()
        var store = try Store(at: folder.path, records: Ticket.self)
        #expect(try insert(store, ticket(1)) == 1)
        #expect(try insert(store, ticket(2)) == 2)
        try store.write { tx in _ = try tx.delete(Ticket.self, id: 2) }
        #expect(try insert(store, ticket(3)) == 3)
        try store.write { tx in _ = try tx.delete(Ticket.self, id: 3) }
        store.close()
        store = try Store(at: folder.path, records: Ticket.self)
        #expect(try insert(store, ticket(4)) == 4)
        store.close()
    }

    @Test func `an id given by hand raises the next one, a negative one does not`() throws {
        let store = try Store.temporary(records: Ticket.self)
        #expect(try insert(store, ticket(1, id: 100)) == 100)
        #expect(try insert(store, ticket(2)) == 101)
        #expect(try insert(store, ticket(3, id: -7)) == -7)
        #expect(try insert(store, ticket(4, id: 50)) == 50)
        #expect(try insert(store, ticket(5)) == 102)
    }

    @Test func `neither an undone closure nor an insert that failed and was caught skips an id`() throws {
        let store = try Store.temporary(records: Ticket.self)
        #expect(try insert(store, ticket(1)) == 1)
        #expect(throws: Stop.self) {
            try store.write { tx in
                try tx.insert(ticket(2))
                try tx.insert(ticket(3))
                throw Stop()
            }
        }
        #expect(try insert(store, ticket(4)) == 2)
        let id = try store.write { tx in
            #expect(storeError { try tx.insert(ticket(1)) }?.code == .uniqueViolation)
            return try tx.insert(ticket(5)).id
        }
        #expect(id == 3)
        let before = try store.position
        try store.write { tx in #expect(storeError { try tx.insert(ticket(1)) }?.code == .uniqueViolation) }
        #expect(try store.position == before)
        #expect(try insert(store, ticket(6)) == 4)
        #expect(try store.findings() == [])
    }

    @Test func `ids of a narrow type run out with an error`() throws {
        let store = try Store.temporary(records: Sensor.self)
        let schema = RecordSchema(
            name: "Narrow", fields: [FieldSchema("id", Int8.self, default: 0)], id: IDSchema([0], isAssigned: true))
        try store.addTypes([schema])
        let place = try store.typeIndex(named: "Narrow")
        let last = try store.write { tx in
            try tx.put(DynamicRecord(values: [.int(126)]), typeIndex: place, mode: .insert)
            return try tx.put(DynamicRecord(values: [.int(0)]), typeIndex: place, mode: .insert)
        }
        #expect(last.values == [.int(127)])
        let error = storeError {
            try store.write { tx in
                _ = try tx.put(DynamicRecord(values: [.int(0)]), typeIndex: place, mode: .insert)
            }
        }
        #expect(error?.code == .tooLarge)
        #expect(try store.findings() == [])
    }

    @Test func `times and identifiers come from the transaction, and only where the token stands`() throws {
        let time = Date(timeIntervalSinceReferenceDate: 1_234.5)
        var options = StoreOptions()
        options.clock = { time }
        options.randomSeed = { 99 }
        let first = try Store.temporary(records: Ticket.self, options: options)
        let second = try Store.temporary(records: Ticket.self, options: options)
        var stored: [Ticket] = []
        for store in [first, second] {
            stored.append(try store.write { tx in try tx.insert(ticket(1)) })
            #expect(try store.get(Ticket.self, id: 1) == stored.last)
        }
        #expect(stored[0] == stored[1])
        #expect(stored[0].opened == time)
        #expect(stored[0].token != .newID)
        // The version digit: identifiers are version 7 of RFC 9562.
        #expect(Array(stored[0].token.uuidString)[14] == "7")
        let pair = try first.write { tx in (try tx.insert(ticket(2)).token, try tx.insert(ticket(3)).token) }
        #expect(pair.0 != pair.1)
        var own = ticket(4)
        own.opened = .distantPast
        own.token = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        let given = own
        let kept = try first.write { tx in try tx.insert(given) }
        #expect(kept.opened == own.opened)
        #expect(kept.token == own.token)
    }
}
