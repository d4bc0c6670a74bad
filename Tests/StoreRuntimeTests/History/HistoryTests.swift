import Foundation
import TestSupport
import Testing

@Suite struct HistoryTests {
    /// One seed if the environment asks for a replay, otherwise blocks of seeds.
    private static let blocks = TestLength.seedBlocks(12, long: 800, of: 50)

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
