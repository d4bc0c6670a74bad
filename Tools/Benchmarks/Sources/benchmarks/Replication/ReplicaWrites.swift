import Foundation
import ModelStore
import ModelStoreEtcd
import ModelStoreReplication

/// Measures writes of one node and of three, against etcd's own transactions and against each other.
struct ReplicaWrites {
    let cluster: BenchmarkCluster
    let count: Int
    let rounds: Int

    private static let fullByteCount = 256 << 10
    private static let fullCount = 40
    private static let taskCount = 64

    func run() async throws {
        try await measureFullEntries()
        try await measureTasks()
        try await measureNodes()
    }

    /// Entries of a size at which the bytes matter, against a transaction that puts as many bytes. The log has one node, because
    /// others would read each entry.
    private func measureFullEntries() async throws {
        let node = try await cluster.open("one", log: "alone")
        defer { node.close() }
        let log = try await cluster.engine.log("baseline")
        let bytes = [UInt8](repeating: 120, count: Self.fullByteCount)
        let text = String(repeating: "x", count: Self.fullByteCount)
        var (engine, store): ([Double], [Double]) = ([], [])
        for round in 0..<rounds {
            engine.append(
                try await rate(Self.fullCount) {
                    for number in 0..<Self.fullCount {
                        _ = try await log.setRegister("\(round).\(number)", to: bytes, from: 0, lifetime: nil)
                    }
                })
            store.append(
                try await rate(Self.fullCount) {
                    for number in 0..<Self.fullCount {
                        try await node.write { tx in
                            try tx.insert(Page(id: round * Self.fullCount + number, text: text))
                        }
                    }
                })
        }
        report("one node, entries of 256 KiB", store, engine, target: 0.8, "etcd's transactions of 256 KiB")
    }

    /// Small closures of many tasks, which share entries, against one closure after the other.
    private func measureTasks() async throws {
        var (alone, together): ([Double], [Double]) = ([], [])
        let store = cluster.nodes[0]
        for _ in 0..<rounds {
            alone.append(
                try await rate(count) {
                    for number in 0..<count { try await Self.put(number, store) }
                })
            let each = count / 4
            together.append(
                try await rate(Self.taskCount * each) {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for task in 0..<Self.taskCount {
                            group.addTask { for number in 0..<each { try await Self.put(task * each + number, store) } }
                        }
                        try await group.waitForAll()
                    }
                })
        }
        report("one node, 64 tasks, small closures", together, alone, target: 20, "one closure after the other")
    }

    /// Three nodes that write all the time, against one.
    private func measureNodes() async throws {
        var (one, three): ([Double], [Double]) = ([], [])
        var longest: [Double] = []
        for _ in 0..<rounds {
            one.append(
                try await rate(count) {
                    for number in 0..<count { try await Self.put(number, cluster.nodes[0]) }
                })
            let each = count / cluster.nodes.count
            var waits: [Double] = []
            three.append(
                try await rate(each * cluster.nodes.count) {
                    waits = try await withThrowingTaskGroup(of: [Double].self) { group in
                        for (node, store) in cluster.nodes.enumerated() {
                            group.addTask {
                                var waits: [Double] = []
                                for number in 0..<each {
                                    let begin = Monotonic.nanoseconds
                                    try await Self.put(node * each + number, store)
                                    waits.append(Double(Monotonic.nanoseconds - begin) / 1e6)
                                }
                                return waits
                            }
                        }
                        return try await group.reduce(into: []) { $0 += $1 }
                    }
                })
            longest.append(waits.sorted()[waits.count * 99 / 100])
        }
        report(
            "three nodes, one writing task each, together", three, one, target: 0.7,
            "one node; p99 of a write on three nodes \(ReplicationRow.text(ReplicationRow.median(longest))) ms")
    }

    private static func put(_ number: Int, _ store: Store) async throws {
        try await store.write { tx in try tx.upsert(Page(id: number, text: "a short text, \(Monotonic.nanoseconds)")) }
    }

    /// Returns how many of `count` operations a second has.
    private func rate(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
        let begin = Monotonic.nanoseconds
        try await body()
        return Double(count) / (Double(Monotonic.nanoseconds - begin) / 1e9)
    }

    private func report(_ name: String, _ rates: [Double], _ base: [Double], target: Double, _ baseline: String) {
        let (found, other) = (ReplicationRow.median(rates), ReplicationRow.median(base))
        ReplicationRow.printOut(
            name, found / other, target: target, "\(Int(found)) a second; \(Int(other)): \(baseline)")
    }
}
