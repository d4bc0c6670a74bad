import Foundation
import ModelStore

/// Measures the cost of reads at a position, by its distance in commits of one update each. It measures them with the lookup of
/// the later changes, and in a view that is kept.
struct PastReads {
    let count: Int
    let commits: Int
    /// The number of accounts that change.
    let changed: Int
    let rounds: Int

    private static let lookups = 1_000
    private static let rich = Account.where { $0.balance >= 990_000 }.order { $0.balance.descending }

    func run() throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = commits + 1_000
        let store = try Store.temporary(records: Account.self, options: options)
        defer { store.close() }
        var source = AccountSource()
        let accounts = source.next(count)
        try store.write { tx in for account in accounts { try tx.insert(account) } }
        let positions = try write(store)
        print(
            "\(count) accounts, of which \(changed) were changed at random, one in a commit; medians of \(rounds) rounds"
        )
        print("distance   first read   kept: a get   a fetch   one commit later    memory")
        report("newest", nil, try reads { try store.read($0) }, nil)
        var distance = 1
        while distance <= commits {
            try measure(store, at: positions[commits - distance], distance)
            distance *= 10
        }
    }

    /// Makes the commits. Returns the first position, and the position after each commit.
    private func write(_ store: Store) throws -> [Position] {
        var random = SplitMix64(state: 7)
        var positions = [try store.position]
        for _ in 0..<commits {
            let id = Int(random.next() % UInt64(changed)) + 1
            let balance = Int(random.next() % 1_000_000)
            let written = try store.write(returning: .position) { tx in
                _ = try tx.update(Account.self, id: id) { $0.balance = balance }
            }
            positions.append(written.position)
        }
        return positions
    }

    private func measure(_ store: Store, at position: Position, _ distance: Int) throws {
        let first = try OperationTime(rounds: rounds, of: 1) {
            _ = try store.read(at: position) { try $0.get(Account.self, id: 1) }
        }
        let past = try store.snapshot(at: position)
        let kept = try reads { try past.read($0) }
        var later: [Double] = []
        for number in 0..<rounds {
            try store.write { tx in _ = try tx.update(Account.self, id: number + 1) { $0.balance += 1 } }
            let begin = Monotonic.nanoseconds
            _ = try past.read { try $0.get(Account.self, id: 1) }
            later.append(Double(Monotonic.nanoseconds - begin))
        }
        let median = later.sorted()[rounds / 2]
        report("\(distance)", first.nanoseconds, kept, (median, past.memoryByteCount))
    }

    /// Returns the times of a lookup by id and of a fetch of a hundredth of the accounts by an index, within one transaction.
    private func reads(
        _ read: ((inout ReadTransaction) throws -> Void) throws -> Void
    ) throws -> (get: Double, fetch: Double) {
        let get = try OperationTime(rounds: rounds, of: Self.lookups) {
            var random = SplitMix64(state: 11)
            try read { tx in
                for _ in 0..<Self.lookups {
                    _ = try tx.get(Account.self, id: Int(random.next() % UInt64(count)) + 1)
                }
            }
        }
        let fetch = try OperationTime(rounds: rounds, of: 1) {
            try read { tx in _ = try tx.fetch(Self.rich).count }
        }
        return (get.nanoseconds, fetch.nanoseconds)
    }

    private func report(
        _ name: String, _ first: Double?, _ kept: (get: Double, fetch: Double), _ rest: (later: Double, memory: Int)?
    ) {
        let columns = [
            name.padding(toLength: 8, withPad: " ", startingAt: 0),
            first.map { String(format: "%9.3f ms", $0 / 1e6) } ?? "           -",
            String(format: "%10.2f us", kept.get / 1e3), String(format: "%6.2f ms", kept.fetch / 1e6),
            rest.map { String(format: "%13.3f ms %8.1f KiB", $0.later / 1e6, Double($0.memory) / 1_024) } ?? "",
        ]
        print(columns.joined(separator: " "))
    }
}
