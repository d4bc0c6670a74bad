import Foundation
import ModelStore
import Synchronization

/// `mingle DIR LANE COUNT SEED`: writes COUNT items of a lane, and follows the feed twice from the oldest change set until it has
/// seen COUNT items of each of three lanes. Prints `ready`, and begins when it reads a line. For each follower it prints `seen`
/// with a digest of everything received, in order.
struct Mingling {
    private static let laneCount = 3

    private let store: Store
    private let lane: String
    private let count: Int
    private let seed: UInt64

    init(_ directory: String, lane: String, count: Int, seed: UInt64) throws {
        store = try openStore(directory)
        self.lane = lane
        self.count = count
        self.seed = seed
    }

    func run() async throws {
        say("ready")
        guard readLine() != nil else { return }
        let digests = try await withThrowingTaskGroup(of: UInt64?.self) { group in
            group.addTask { try await follow(resumes: false) }
            group.addTask { try await follow(resumes: true) }
            group.addTask { try await write() }
            return try await group.reduce(into: []) { if let digest = $1 { $0.append(digest) } }
        }
        for digest in digests { say("seen \(digest)") }
        store.close()
        say("done")
    }

    /// Sometimes writes several items concurrently, so that some commit together.
    private func write() async throws -> UInt64? {
        var random = TransactionRandom(seed: seed)
        var next = 1
        while next <= count {
            let numbers = next..<min(next + Int.random(in: 1...4, using: &random), count + 1)
            let items = numbers.map { Item(id: "\(lane)-\($0)", lane: lane, number: $0, text: "") }
            if Bool.random(using: &random) {
                try await store.write(durability: .relaxed) { tx in for item in items { try tx.insert(item) } }
            } else {
                for item in items { try await store.write(durability: .relaxed) { try $0.insert(item) } }
            }
            for _ in 0..<Int.random(in: 0...20, using: &random) { await Task.yield() }
            next = numbers.upperBound
        }
        return nil
    }

    /// Reads until all lanes are at their ends.
    ///
    /// - Parameter resumes: Whether to sometimes restart the sequence at the current position.
    private func follow(resumes: Bool) async throws -> UInt64 {
        var random = TransactionRandom(seed: seed &+ 1)
        var feed = store.changes(from: .oldest).makeAsyncIterator()
        var (digest, order) = (Digest(), FeedOrder())
        while order.lasts.count < Mingling.laneCount || order.lasts.values.contains(where: { $0 < count }) {
            guard let set = try await feed.next() else { break }
            for change in try order.add(set) { digest.add(change.idempotencyKey + change.id) }
            if resumes, Int.random(in: 0..<5, using: &random) == 0 {
                feed = store.changes(since: set.position).makeAsyncIterator()
            }
        }
        return digest.value
    }

    /// A digest that is the same in every process for the same texts in the same order.
    private struct Digest {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ text: String) {
            for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
    }
}
