import Foundation
import ModelStore

/// Measures how long a durable commit waits for a checkpoint of much unsynced data, beside one sync of a plain file of that size.
struct DirtyCheckpoint {
    /// The bytes of the records and of the feed's entry.
    let byteCount: Int
    let directory: String

    /// Seconds of one round.
    struct Round {
        var checkpoint = 0.0
        /// The commit after the checkpoint.
        var next = 0.0
        var file = 0.0
        var byteCount = 0
        /// The unsynced bytes of the system before the checkpoint.
        var dirtyByteCount = 0
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
            try await commit(store, "first")
            // The feed's entry has each record too.
            let count = max(1, byteCount / (2 * WorkloadRecord.fieldCount * WorkloadRecord.fieldByteCount))
            // Equal texts take no time to make. After half a minute the kernel begins to write pages back by itself.
            let user = user("")
            try await store.write(durability: .relaxed) { transaction in
                for number in 0..<count {
                    var user = user
                    user.id = WorkloadKey.text(number)
                    _ = try transaction.insert(user)
                }
            }
            round.byteCount = try Footprint.allocatedBytes(in: path)
            round.dirtyByteCount = try Self.dirtyByteCount()
            round.checkpoint = try await ContinuousClock().measure { try await commit(store, "second") }.inSeconds
            round.next = try await ContinuousClock().measure { try await commit(store, "third") }.inSeconds
        }
        round.file = try syncOfFile(round.byteCount)
        return round
    }

    private func user(_ key: String) -> WorkloadUser {
        var random = SplitMix64(state: 1)
        return WorkloadUser(key: key, &random)
    }

    private func commit(_ store: Store, _ key: String) async throws {
        let user = user(key)
        _ = try await store.write { try $0.insert(user) }
    }

    /// Returns the bytes in the page cache that no disk has yet.
    private static func dirtyByteCount() throws -> Int {
        let lines = try String(contentsOfFile: "/proc/meminfo", encoding: .utf8).split(separator: "\n")
        let words = lines.first { $0.hasPrefix("Dirty:") }?.split(separator: " ") ?? []
        guard words.count > 1, let kibibytes = Int(words[1]) else { throw BenchmarkError("no line Dirty") }
        return kibibytes << 10
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
        var code: Int32 = 0
        let duration = ContinuousClock().measure { code = fdatasync(file.fileDescriptor) }
        guard code == 0 else { throw BenchmarkError("the sync of \(path) failed") }
        return duration.inSeconds
    }
}
