import Foundation
import LMDB
import StoreEngine
import Testing

@testable import StoreRuntime

@Suite struct TransactionRuleTests {
    private static let a = Sensor(id: "a", room: "r", serial: "1")

    @Test func `a closure that changes nothing makes no change set`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in _ = try tx.insert(Self.a) }
        let before = try store.position
        let closures: [@Sendable (inout WriteTransaction) throws -> Void] = [
            { _ in },
            { tx in try tx.update(Self.a) },
            { tx in try tx.upsert(Self.a) },
            { tx in _ = try tx.delete(Sensor.self, id: "none") },
            { tx in
                try tx.insert(Sensor(id: "b", room: "r", serial: "2"))
                try tx.delete(Sensor.self, id: "b")
            },
            { tx in
                try tx.update(Sensor.self, id: "a") { $0.celsius = 5 }
                try tx.update(Self.a)
            },
            { tx in
                try tx.delete(Sensor.self, id: "a")
                try tx.insert(Self.a)
            },
        ]
        for (number, closure) in closures.enumerated() {
            let committed = try store.write(returning: .position) { tx in try closure(&tx) }
            #expect(committed.position == before, "closure \(number)")
        }
        #expect(try store.position == before)
        #expect(try store.get(Sensor.self, id: "a") == Self.a)
        #expect(try store.findings() == [])
    }

    @Test func `a delete and an insert in one closure are an update of the same incarnation`() throws {
        let store = try Store.temporary(records: Sensor.self)
        let inserted = try store.write(returning: .position) { tx in try tx.insert(Self.a) }.position.sequence
        var other = Self.a
        other.room = "elsewhere"
        let changed = other
        let position = try store.write(returning: .position) { tx in
            try tx.delete(Sensor.self, id: "a")
            try tx.insert(changed)
        }.position
        let change = try #require(try store.changeSet(position.sequence)?.changes.first)
        #expect(change.kind == .update)
        #expect(change.earlier.map(\.field) == [1])
        #expect(unsafe try RecordBytes(change.record.span.bytes).incarnation == inserted)
    }

    @Test func `an insert after a delete in an earlier change set is a new incarnation`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in _ = try tx.insert(Self.a) }
        try store.write { tx in _ = try tx.delete(Sensor.self, id: "a") }
        let position = try store.write(returning: .position) { tx in try tx.insert(Self.a) }.position
        let change = try #require(try store.changeSet(position.sequence)?.changes.first)
        #expect(change.kind == .insert)
        #expect(unsafe try RecordBytes(change.record.span.bytes).incarnation == position.sequence)
    }

    @Test func `a condition that does not hold changes nothing`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in
            try tx.insert(Self.a)
            var stale = Self.a
            stale.celsius = 1
            let old = stale
            #expect(storeError { try tx.update(Self.a, ifUnchanged: old) }?.code == .conditionNotMet)
            #expect(storeError { try tx.delete(ifUnchanged: old) }?.code == .conditionNotMet)
            let refused = storeError {
                _ = try tx.update(Sensor.self, id: "a", where: { $0.celsius > 5 }) { $0.room = "hot" }
            }
            #expect(refused?.code == .conditionNotMet)
            let kept = storeError { _ = try tx.delete(Sensor.self, id: "a", where: { $0.celsius > 5 }) }
            #expect(kept?.code == .conditionNotMet)
            try tx.update(Sensor.self, id: "a", where: { $0.celsius < 5 }) { $0.celsius = 7 }
        }
        #expect(try store.get(Sensor.self, id: "a")?.celsius == 7)
        #expect(try store.get(Sensor.self, id: "a")?.room == "r")
    }

    @Test func `all conditional writes of a missing record fail alike, and the others by their own rules`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in
            let missing = [
                storeError { try tx.update(Self.a, ifUnchanged: Self.a) },
                storeError { try tx.update(Sensor.self, id: "a", where: { _ in true }) { $0.celsius = 1 } },
                storeError { try tx.delete(ifUnchanged: Self.a) },
                storeError { try tx.delete(Sensor.self, id: "a", where: { _ in true }) },
            ]
            #expect(missing.map { $0?.code } == Array(repeating: .conditionNotMet, count: 4))
            #expect(missing.allSatisfy { $0?.message.hasPrefix("there is no Sensor with the id a,") == true })
            #expect(storeError { try tx.update(Self.a) }?.code == .recordNotFound)
            #expect(storeError { try tx.update(Sensor.self, id: "a") { $0.celsius = 1 } }?.code == .recordNotFound)
            let wasThere = try tx.delete(Sensor.self, id: "a")
            #expect(!wasThere)
        }
    }

    @Test func `a transaction that was exchanged for another one is not committed`() throws {
        let store = try Store.temporary(records: Sensor.self)
        let other = try Store.temporary(records: Sensor.self)
        let error = storeError {
            try store.write { tx in
                // A second transaction can only come from the parts of another store's writer.
                let raw = try other.core.environment.beginWrite()
                let state = other.core.state
                let head = try other.head()
                var foreign = WriteTransaction(raw: raw, state: state, head: head, context: other.core.makeContext())
                try foreign.insert(Self.a)
                swap(&tx, &foreign)
            }
        }
        #expect(error?.code == .transactionMisused)
        #expect(try store.all(Sensor.self) == [])
        #expect(try other.all(Sensor.self) == [])
        // Both stores remain usable.
        try store.write { tx in _ = try tx.insert(Self.a) }
        try other.write { tx in _ = try tx.insert(Self.a) }
    }

    @Test func `a type that the program did not name is refused`() throws {
        let store = try Store.temporary(records: Sensor.self)
        #expect(
            storeError { try store.write { tx in _ = try tx.insert(Slot(room: "r", hour: 1)) } }?.code == .unknownType)
        #expect(storeError { _ = try store.get(Ticket.self, id: 1) }?.code == .unknownType)
    }
}
