import ModelStore
import ModelStoreReplication
import ModelStoreTesting

/// Measures reads by id in a replica, against those of a store without replicas.
struct ReplicaReads {
    let directory: String
    let count: Int
    let rounds: Int

    private static let readCount = 20_000

    func run() async throws {
        let plain = try Store(at: directory + "/plain", records: Account.self)
        defer { plain.close() }
        let replica = try await Store.open(
            at: directory + "/replica", records: Account.self, replication: .shared(MemoryLog(), node: "one"))
        defer { replica.close() }
        for store in [plain, replica] {
            var source = AccountSource()
            for _ in 0..<(count + 999) / 1_000 {
                let accounts = source.next(1_000)
                try await store.write { tx in for account in accounts { try tx.insert(account) } }
            }
        }
        var times: [[Double]] = [[], []]
        for _ in 0..<rounds {
            for (side, store) in [plain, replica].enumerated() {
                times[side].append(try OperationTime(rounds: 1, of: Self.readCount) { try read(store) }.nanoseconds)
            }
        }
        let (own, replicated) = (ReplicationRow.median(times[0]), ReplicationRow.median(times[1]))
        ReplicationRow.printOut(
            "reads by id, each in a transaction", own / replicated, target: 0.95,
            "unreplicated \(Int(own)) ns, replica \(Int(replicated)) ns")
    }

    private func read(_ store: Store) throws {
        var random = SplitMix64(state: 5)
        for _ in 0..<Self.readCount {
            let id = Int(random.next() % UInt64(count)) + 1
            _ = try store.read { tx in try tx.get(Account.self, id: id) }
        }
    }
}
