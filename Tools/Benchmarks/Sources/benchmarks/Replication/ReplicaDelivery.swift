import Foundation
import ModelStore
import ModelStoreEtcd
import ModelStoreReplication
import Synchronization

/// Measures how soon a write is shown on another node, and how fast a new node catches up.
struct ReplicaDelivery {
    let cluster: BenchmarkCluster
    let count: Int

    func run() async throws {
        try await measureLag()
        try await measureCatchUp()
        try await measureMemory()
    }

    /// From the acknowledgement on one node to the live query of another, beside the engine's own notice.
    private func measureLag() async throws {
        try await cluster.settle()
        let watching = try await cluster.engine.log(BenchmarkCluster.logName)
        let notices = Mutex<[Int]>([])
        let listening = Task {
            for await _ in watching.wakes() { notices.withLock { $0.append(Monotonic.nanoseconds) } }
        }
        // The first wake says that the connection is made.
        while notices.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        let query = cluster.nodes[1].updates(of: Page.where { $0.id == -1 })
        var updates = query.makeAsyncIterator()
        _ = try await updates.next()
        var shown: [Double] = []
        var acknowledgements: [Int] = []
        for number in 0..<min(count, 500) {
            try await cluster.nodes[0].write { tx in try tx.upsert(Page(id: -1, text: "\(number)")) }
            acknowledgements.append(Monotonic.nanoseconds)
            _ = try await updates.next()
            shown.append(Double(Monotonic.nanoseconds - acknowledgements[number]) / 1e6)
        }
        listening.cancel()
        let heard = notices.withLock { $0 }
        let noticed = acknowledgements.enumerated().compactMap { number, acknowledged -> Double? in
            // A notice may come before the acknowledgement.
            let before = number == 0 ? acknowledged - 5_000_000 : acknowledgements[number - 1]
            return heard.first { $0 > before }.map { max(0, Double($0 - acknowledged) / 1e6) }
        }
        let line = [shown, noticed].map { values in
            let sorted = values.sorted()
            let parts = [sorted[sorted.count / 2], sorted[sorted.count * 99 / 100]].map { ReplicationRow.text($0) }
            return "p50 \(parts[0]) ms, p99 \(parts[1]) ms"
        }
        print(
            "\(TablePrinter.pad("acknowledged to shown on another node", 44)) \(line[0])\n    the engine's notice: \(line[1]); target: 2 ms later at p50, 20 ms at p99"
        )
    }

    /// The entries that a new node applies, against single appends.
    private func measureCatchUp() async throws {
        let begin = Monotonic.nanoseconds
        for number in 0..<count {
            try await cluster.nodes[0].write { tx in try tx.upsert(Page(id: number, text: "to catch up")) }
        }
        let appends = Double(count) / (Double(Monotonic.nanoseconds - begin) / 1e9)
        let entries = Double(cluster.nodes[0].replication?.applied.index ?? 0)
        let joining = Monotonic.nanoseconds
        let late = try await cluster.open("late")
        let rate = entries / (Double(Monotonic.nanoseconds - joining) / 1e9)
        late.close()
        ReplicationRow.printOut(
            "a new node applies the log", rate / appends, target: 5,
            "\(Int(rate)) entries a second, many of them large; \(Int(appends)): single appends of one node")
    }

    /// The memory that a new node needs while it applies few entries of 1 MiB, against that for many.
    private func measureMemory() async throws {
        let text = String(repeating: "x", count: 1_000_000)
        var peaks: [Double] = []
        for count in [20, 200] {
            let first = try await cluster.open("first", log: "memory-\(count)")
            for number in 0..<count { try await first.write { tx in try tx.insert(Page(id: number, text: text)) } }
            first.close()
            let before = try Footprint.statusKibibytes("RssAnon")
            let sampling = Task {
                var peak = before
                while !Task.isCancelled {
                    peak = max(peak, try Footprint.statusKibibytes("RssAnon"))
                    try? await Task.sleep(for: .milliseconds(2))
                }
                return peak
            }
            let late = try await cluster.open("late", log: "memory-\(count)")
            sampling.cancel()
            peaks.append(Double(try await sampling.value - before) / 1_024)
            late.close()
        }
        ReplicationRow.printOut(
            "memory for 20 entries of 1 MiB", peaks[0] / peaks[1], target: 0.8,
            "\(ReplicationRow.text(peaks[0])) MiB; \(ReplicationRow.text(peaks[1])) MiB for 200 entries, by a new node")
    }
}
