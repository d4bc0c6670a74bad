import LMDB
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// The store appends records that arrive in id order. Appending must affect nothing but how full the pages are.
@Suite struct AppendingTests {
    private let count = 3_000

    private func ticket(_ id: Int, rank: Int) -> Ticket { Ticket(id: id, owner: "o", rank: Int32(rank)) }

    /// Returns the number of leaf pages in the tickets' database.
    private func leafPages(_ store: Store) throws -> Int {
        let type = try store.typeIndex(named: "Ticket")
        return try store.read { tx in
            try tx._reading.snapshot.statistics(of: tx._reading.state.catalog.types[type].database).leafPages
        }
    }

    @Test(arguments: [1, 100])
    func `records in the order of ids fill their pages`(batchCount: Int) throws {
        let store = try Store.temporary(records: Ticket.self)
        let shuffled = try Store.temporary(records: Ticket.self)
        var random = TestRandom(seed: 11)
        let ids = (1...count).shuffled(using: &random)
        for first in stride(from: 1, through: count, by: batchCount) {
            let batch = first..<first + batchCount
            // The store assigns these ids, which shows that it also appends in writes of a single record.
            try store.write { tx in for place in batch { _ = try tx.insert(ticket(0, rank: place)) } }
            try shuffled.write { tx in for place in batch { _ = try tx.insert(ticket(ids[place - 1], rank: place)) } }
        }
        let inOrder = try leafPages(store)
        #expect(try Double(leafPages(shuffled)) > 1.3 * Double(inOrder), "\(inOrder) pages")
        #expect(try store.all(Ticket.self).map(\.id) == Array(1...count))
        #expect(try shuffled.all(Ticket.self).map(\.id) == Array(1...count))
        #expect(try store.findings() == [] && shuffled.findings() == [])
    }

    @Test func `an id that is there is refused, whether it is the last or not, and appending goes on`() throws {
        let store = try Store.temporary(records: Ticket.self)
        for id in 1...50 {
            try store.write { tx in _ = try tx.insert(ticket(id, rank: id)) }
            for taken in [id, (id + 1) / 2] {
                #expect(
                    storeError { try store.write { tx in _ = try tx.insert(ticket(taken, rank: -taken)) } }?.code
                        == .recordExists)
            }
        }
        #expect(try store.all(Ticket.self).map(\.id) == Array(1...50))
        #expect(try store.findings() == [])
    }
}
