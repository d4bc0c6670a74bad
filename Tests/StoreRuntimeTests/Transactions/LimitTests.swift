import Foundation
import StoreEngine
import StoreRuntime
import Testing

@Suite struct LimitTests {
    @Test func `a record past the limit is refused, and the closure goes on`() throws {
        var options = StoreOptions()
        options.limits.recordByteCount = 1_000
        let store = try Store.temporary(records: Ticket.self, options: options)
        try store.write { tx in
            let large = storeError { try tx.insert(Ticket(owner: "a", rank: 1, payload: Data(count: 1_000))) }
            #expect(large?.code == .tooLarge)
            #expect(large?.remedy?.contains("recordByteCount") == true)
            try tx.insert(Ticket(owner: "a", rank: 1, payload: Data(count: 800)))
        }
        #expect(try store.all(Ticket.self).map(\.payload.count) == [800])
        #expect(try store.findings() == [])
    }

    @Test func `a change set past the limit undoes its closure`() throws {
        var options = StoreOptions()
        options.limits.changeSetByteCount = 10_000
        let store = try Store.temporary(records: Ticket.self, options: options)
        let error = storeError {
            try store.write { tx in
                for rank in 0..<Int32(20) { try tx.insert(Ticket(owner: "a", rank: rank, payload: Data(count: 900))) }
            }
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.remedy?.contains("changeSetByteCount") == true)
        #expect(try store.all(Ticket.self) == [])
        #expect(try store.findings() == [])
    }

    @Test func `a change set past the limit is not committed, though its closure hides the error`() throws {
        var options = StoreOptions()
        options.limits.changeSetByteCount = 10_000
        let store = try Store.temporary(records: Ticket.self, options: options)
        let error = storeError {
            try store.write { tx in
                for rank in 0..<Int32(20) {
                    _ = try? tx.insert(Ticket(owner: "a", rank: rank, payload: Data(count: 900)))
                }
            }
        }
        #expect(error?.code == .tooLarge)
        #expect(try store.all(Ticket.self) == [])
        #expect(try store.findings() == [])
    }
}
