@_spi(Measuring) import ModelStore
import ModelStoreReplication
import ModelStoreTesting
import StoreRuntime
import TestSupport
import Testing

@Record
private struct Sale {
    @ID var id: Int
    var amount: Int
}

/// Commands on the directory of a replica. The tests with servers are those of the logs.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ReplicaTests {
    private func replica() async throws -> Tool {
        let tool = try Tool()
        let store = try await Store.open(at: tool.store, replication: .shared(MemoryLog(), node: "a"))
        store.close()
        return tool
    }

    @Test func `stat names the place of a replica in its log`() async throws {
        let run = try await replica().run("--output", "jsonl", "stat")
        #expect(run.output.contains(#""logGeneration":1,"logApplied":1"#), "\(run)")
        let other = try Sample.empty().run("--output", "jsonl", "stat")
        #expect(other.status == 0 && !other.output.contains("logApplied"))
    }

    @Test func `a replica is read, verified, and not written to`() async throws {
        let tool = try await replica()
        for command in ["types", "verify", "feed"] { #expect(try tool.run(command).status == 0, "\(command)") }
        let run = try tool.run("consumers", "delete", "nobody", "--yes")
        #expect(run.status == 1 && run.errors.contains("replica"), "\(run)")
    }

    @Test func `verify finds a record of a replica that was changed beside its log`() async throws {
        let tool = try Tool()
        let store = try await Store.open(
            at: tool.store, records: Sale.self, replication: .shared(MemoryLog(), node: "a"))
        defer { store.close() }
        try await store.write { tx in try tx.insert(Sale(id: 1, amount: 2)) }
        #expect(try tool.run("verify").status == 0)
        try await store.write { tx in
            tx.leaveOutOfFeed()
            try tx.update(Sale.self, id: 1) { $0.amount = 3 }
        }
        let run = try tool.run("verify")
        #expect(run.status == 1 && run.output.contains("contradiction"), "\(run)")
    }

    @Test func `the commands of replication name what they lack`() async throws {
        let tool = try await replica()
        let engine = try tool.run("replication", "status", "--log", "thermo")
        #expect(engine.status == 64 && engine.errors.contains("--etcd or --postgres"), "\(engine)")
        let unreachable = try tool.run(
            "replication", "status", "--log", "thermo", "--etcd", "http://127.0.0.1:1")
        #if Etcd
        #expect(unreachable.status == 2 && unreachable.errors.contains("127.0.0.1:1"), "\(unreachable)")
        #else
        #expect(unreachable.status == 64 && unreachable.errors.contains("--traits Etcd"), "\(unreachable)")
        #endif
    }
}
