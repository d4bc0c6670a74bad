import Foundation
import LMDB
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct MapGrowthTests {
    /// The inputs of one run of a closure.
    private struct Inputs: Hashable, Sendable {
        var time: Date
        var identifier: UUID
        var random: UInt64
        var assigned: Int
    }

    private final class Runs: Sendable {
        private let runs = HandoverMutex<[Inputs]>([])

        var all: [Inputs] { runs.withLock { $0 } }

        func add(_ inputs: Inputs) -> Int {
            runs.withLock {
                $0.append(inputs); return $0.count
            }
        }
    }

    private static let payload = Data(repeating: 3, count: 40_000)

    private static func options() -> StoreOptions {
        var options = StoreOptions()
        options.addressSpaceByteCount = 256 << 10
        options.durability = .relaxed
        return options
    }

    /// Writes 1.2 MB, more than the map can hold.
    private static func fill(_ tx: inout WriteTransaction, _ runs: Runs, owner: String) throws -> Int {
        let first = try tx.insert(Ticket(owner: owner, rank: 0, payload: payload))
        let inputs = Inputs(time: tx.now, identifier: tx.newID(), random: tx.random.next(), assigned: first.id)
        let number = runs.add(inputs)
        for rank in 1..<Int32(30) { try tx.insert(Ticket(owner: owner, rank: rank, payload: payload)) }
        return number
    }

    @Test func `a closure that runs again after the map grew gets the same time, identifiers and random numbers`()
        throws
    {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        let runs = Runs()
        let committed = try store.write { tx in try Self.fill(&tx, runs, owner: "ann") }
        #expect(runs.all.count > 1)
        #expect(Set(runs.all).count == 1)
        // The write returns the result of the last run.
        #expect(committed == runs.all.count)
        #expect(try store.all(Ticket.self).count == 30)
        #expect(try store.findings() == [])
        store.close()
    }

    @Test func `a batch runs again as a whole, and nobody's change set is doubled`() async throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        let first = try store.position.sequence
        let gate = await Gate.closed(before: store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for owner in ["ann", "bob", "eve"] {
                group.addTask { _ = try await store.write { tx in try Self.fill(&tx, Runs(), owner: owner) } }
            }
            await gate.open(after: 3)
            try await group.waitForAll()
        }
        #expect(try store.all(Ticket.self).count == 90)
        #expect(try store.position.sequence == first + 3)
        #expect(try store.findings() == [])
        store.close()
    }

    @Test func `a closure that hides the error of a full map is not committed half`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        try store.write { tx in
            for rank in 0..<Int32(30) {
                // The closure swallows the error, but the store reruns it all the same.
                _ = try? tx.insert(Ticket(owner: "ann", rank: rank, payload: Self.payload))
            }
        }
        #expect(try store.all(Ticket.self).count == 30)
        #expect(try store.findings() == [])
        store.close()
    }

    @Test func `a closure that throws an error of its own for a full map is run again`() throws {
        struct GaveUp: Error {}
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Ticket.self, options: Self.options())
        try store.write { tx in
            for rank in 0..<Int32(30) {
                do {
                    try tx.insert(Ticket(owner: "ann", rank: rank, payload: Self.payload))
                } catch {
                    throw GaveUp()
                }
            }
        }
        #expect(try store.all(Ticket.self).count == 30)
        #expect(try store.findings() == [])
        store.close()
    }
}
