import Foundation
import TestSupport
import Testing

@Suite struct HistoryTests {
    /// One seed if the environment asks for a replay, otherwise blocks of seeds.
    private static let blocks: [Range<UInt64>] = {
        if let text = ProcessInfo.processInfo.environment["MODELSTORE_SEED"], let seed = UInt64(text) {
            return [seed..<seed + 1]
        }
        let size: UInt64 = 50
        return (0..<UInt64(TestLength.runs(12, long: 800))).map { $0 * size..<($0 + 1) * size }
    }()

    @Test(arguments: blocks)
    func `records, indexes, unique constraints and the feed agree with an oracle after every commit`(
        seeds: Range<UInt64>
    ) async throws {
        for seed in seeds {
            let runner = try HistoryRunner(seed: seed)
            try await runner.run(count: 3 + Int(seed % 10))
        }
    }
}
