import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// Differences since a position, from random histories, checked against the complete history.
@Suite(.timeLimit(.minutes(20))) struct TrailModelTests {
    @Test(arguments: 0..<TestLength.runs(24, long: 3_000))
    func `rows of a position, with the difference and the changes after it, are the rows of the store`(
        seed: Int
    ) async throws {
        let run = try TrailModelRun(seed: UInt64(seed))
        try await run.run(40)
        try run.verify()
    }

    @Test func `random histories come to differences of every kind`() async throws {
        var (ended, told) = (0, [ChangeKind?: Int]())
        for seed in 1_000..<1_008 {
            let run = try TrailModelRun(seed: UInt64(seed))
            try await run.run(40)
            ended += run.endedDifferences
            told.merge(run.told) { $0 + $1 }
        }
        #expect(ended > 50, "\(ended)")
        for kind in [ChangeKind.insert, .update, .replace, .delete, nil] {
            #expect(told[kind, default: 0] > 10, "\(String(describing: kind)): \(told)")
        }
    }
}
