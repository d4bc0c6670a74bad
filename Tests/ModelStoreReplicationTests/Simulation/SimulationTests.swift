import TestSupport
import Testing

/// Clusters of replicas with lost, doubled and late requests, cuts, restarts, failed commits and trimming.
@Suite(.timeLimit(.minutes(TestLength.isLong ? 120 : 10))) struct SimulationTests {
    /// The number of cases that run at the same time. Case k has each seed whose remainder is k.
    static let laneCount: UInt64 = 2

    @Test(arguments: 0..<laneCount)
    func `replicas stay equal, and no write is lost, doubled or told wrongly`(lane: UInt64) async throws {
        for seed in TestLength.seeds(200, long: 100_000) where seed % Self.laneCount == lane {
            do {
                try await SimulatedCluster(seed: seed).run(stepCount: 60)
                if seed % 10_000 == lane { print("simulated \(seed) clusters") }
            } catch {
                Issue.record("MODELSTORE_SEED=\(seed): \(error)")
                return
            }
        }
    }
}
