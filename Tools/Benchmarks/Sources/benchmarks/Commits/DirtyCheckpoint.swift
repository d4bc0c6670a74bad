import Foundation
import ModelStore

/// Measures how long a durable commit waits for a checkpoint of much unsynced data, beside one sync of a plain file of that size.
struct DirtyCheckpoint {
    /// The unsynced bytes.
    let byteCount: Int
    let directory: String

    /// Seconds of one round.
    struct Round {
        var checkpoint = 0.0
        /// The commit after the checkpoint.
        var next = 0.0
        var file = 0.0
        var byteCount = 0
    }

    /// Writes everything in one relaxed transaction, because between commits the growth of the file makes a checkpoint, and times the
    /// next durable commit, which makes the checkpoint.
    func measure() async throws -> Round {
        var round = Round()
        let path = directory + "/dirty"
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let store = try Store(at: path, records: WorkloadUser.self)
            defer { store.close() }
            try await commit(store, 0)
            let limit = byteCount
            try await store.write(durability: .relaxed) { transaction in
                var random = SplitMix64(state: 1)
                // The feed's entry has each record too.
                let recordByteCount = 2 * WorkloadRecord.fieldCount * WorkloadRecord.fieldByteCount
                for number in 1...max(1, limit / recordByteCount) {
                    _ = try transaction.insert(WorkloadUser(key: WorkloadKey.text(number), &random))
                }
            }
            round.byteCount = try Footprint.allocatedBytes(in: path)
            round.checkpoint = try await timed { try await commit(store, -1) }
            round.next = try await timed { try await commit(store, -2) }
        }
        round.file = try syncOfFile(round.byteCount)
        return round
    }

    private func commit(_ store: Store, _ number: Int) async throws {
        var random = SplitMix64(state: 2)
        let user = WorkloadUser(key: "user \(number)", &random)
        _ = try await store.write { try $0.insert(user) }
    }

    private func timed(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start).inSeconds
    }

    /// Returns the seconds that `fdatasync` takes after a file has been written.
    private func syncOfFile(_ byteCount: Int) throws -> Double {
        let path = directory + "/file"
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw BenchmarkError("no file \(path)")
        }
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let chunk = Data(repeating: 7, count: 1 << 20)
        for _ in 0..<(byteCount / chunk.count) { try file.write(contentsOf: chunk) }
        let start = ContinuousClock.now
        guard fdatasync(file.fileDescriptor) == 0 else { throw BenchmarkError("the sync of \(path) failed") }
        return (ContinuousClock.now - start).inSeconds
    }
}
