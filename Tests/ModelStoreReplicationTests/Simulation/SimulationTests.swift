import TestSupport
import Testing

/// Clusters of replicas with lost, doubled and late requests, cuts, restarts, failed commits and trimming.
@Suite(.timeLimit(.minutes(TestLength.isLong ? 120 : 10))) struct SimulationTests {
    @Test func `replicas stay equal, and no write is lost, doubled or told wrongly`() async throws {
        for seed in TestLength.seeds(200, long: 100_000) {
            do {
                try await SimulatedCluster(seed: seed).run(stepCount: 60)
                if seed.isMultiple(of: 10_000) { print("simulated \(seed) clusters") }
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }
}
