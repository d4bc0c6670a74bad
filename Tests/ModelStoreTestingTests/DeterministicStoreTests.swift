import Foundation
import ModelStore
import ModelStoreTesting
import TestSupport
import Testing

@Suite("Deterministic stores", .timeLimit(.minutes(TestLength.waitMinutes))) struct DeterministicStoreTests {
    /// Returns the positions after a program that uses everything that a transaction generates: identifiers, times and random
    /// numbers.
    private func positions(seed: UInt64) throws -> [Position] {
        let clock = TestClock()
        let store = try Store.temporary(records: Lamp.self, options: .deterministic(seed: seed, clock: clock))
        defer { store.close() }
        var positions = [try store.position]
        for number in 0..<20 {
            let committed = try store.write(returning: .position) { tx in
                try tx.upsert(Lamp(id: "l\(number % 7)", watts: number))
                if number % 5 == 4 { try tx.delete(Lamp.self, id: "l\(number % 3)") }
            }
            positions.append(committed.position)
            clock.advance(by: .milliseconds(250))
        }
        return positions
    }

    @Test func `The same writes under the same seed make the same feed, hash for hash`() throws {
        let first = try positions(seed: 7)
        #expect(Set(first).count == first.count)
        #expect(try positions(seed: 7) == first)
    }

    @Test func `Another seed makes another store`() throws {
        let (one, other) = (try positions(seed: 7), try positions(seed: 8))
        #expect(one.map(\.sequence) == other.map(\.sequence))
        #expect(Set(one).isDisjoint(with: other))
    }

    @Test func `The feed tells the clock's time and a fixed origin`() async throws {
        let clock = TestClock(startingAt: Date(timeIntervalSinceReferenceDate: 1_000))
        clock.advance(by: .seconds(24))
        let store = try Store.temporary(records: Lamp.self, options: .deterministic(seed: 1, clock: clock))
        defer { store.close() }
        let start = try store.position
        try await store.write { tx in try tx.insert(Lamp(id: "a")) }
        for try await set in store.changes(since: start) {
            #expect(set.time == Date(timeIntervalSinceReferenceDate: 1_024))
            #expect(set.origin.name == "test")
            #expect(set.origin.processID == 1)
            break
        }
    }
}
