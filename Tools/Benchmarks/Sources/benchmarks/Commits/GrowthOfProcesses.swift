import Foundation
import ModelStore

/// Several processes of this program that update the records of one store at the same time.
struct GrowthOfProcesses {
    let directory: String
    let recordCount: Int
    /// The updates of each process.
    let updateCount: Int
    let processCount: Int

    /// Runs the processes.
    ///
    /// - Returns: the most bytes that the directory took on the disk meanwhile.
    func run() throws -> Int {
        let processes = try (0..<processCount).map { number in
            let process = Process()
            process.executableURL = Bundle.main.executableURL
            process.arguments = [
                "commits", "--writing", directory, "--records", "\(recordCount)", "--updates", "\(updateCount)",
                "--number", "\(number)",
            ]
            try process.run()
            return process
        }
        var greatest = 0
        while processes.contains(where: \.isRunning) {
            greatest = max(greatest, try Footprint.allocatedBytes(in: directory))
            Thread.sleep(forTimeInterval: 0.05)
        }
        for process in processes where process.terminationStatus != 0 {
            throw BenchmarkError("process \(process.processIdentifier) ended with \(process.terminationStatus)")
        }
        return greatest
    }

    /// Makes the updates of one process, without syncs.
    static func write(to directory: String, _ count: Int, of recordCount: Int, seed: Int) async throws {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = 1_000
        let store = try Store(at: directory, records: WorkloadUser.self, options: options)
        defer { store.close() }
        var random = SplitMix64(state: UInt64(seed) &* 7_919 &+ 5)
        for _ in 0..<count {
            let key = WorkloadKey.text(Int(random.next() % UInt64(recordCount)))
            let path = WorkloadUser.paths[Int(random.next() % UInt64(WorkloadUser.paths.count))]
            let value = WorkloadRecord.value(&random)
            try await store.write { transaction in
                _ = try transaction.update(WorkloadUser.self, id: key) { $0[keyPath: path] = value }
            }
        }
    }
}
