import Foundation
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// Random writes by this process and another, under live queries, models, counts, joined queries and effects. At each checked
/// position every subject equals a fresh read, and the updates lead to that state.
///
/// `MODELSTORE_SEED` repeats a failed seed; `MODELSTORE_LONG=1` runs thousands of seeds.
@Suite(.timeLimit(.minutes(60))) struct ForeignOracleTests {
    /// The seeds, in blocks that share one child.
    private static let blocks = TestLength.seedBlocks(2, long: 160, of: 25)

    @Test(arguments: blocks)
    func `what is shown and told follows the commits of two processes`(seeds: Range<UInt64>) async throws {
        let child = try ForeignChild()
        for seed in seeds { try await run(seed, child) }
    }

    private func run(_ seed: UInt64, _ child: ForeignChild) async throws {
        var history = try ForeignHistory(seed: seed, child, types: [Sensor.self, Slot.self])
        var writer = LiveWriter(seed: seed &* 7_919 &+ 1)
        var observing = ForeignObserving()
        do {
            await history.write(writer.operations(writer.generator.pick([0, 3, 30, 60])))
            for _ in 0..<8 {
                try observing.change(&history, &writer)
                try await history.round { writer.operations(writer.generator.pick([1, 1, 1, 2, 3, 8, 40])) }
            }
        } catch {
            throw Mismatch("MODELSTORE_SEED=\(seed): \(error)\n\(whole: Brief.last(of: history.trace))")
        }
        try await history.end()
    }

    @Test(arguments: blocks)
    func `requests through references follow the commits of two processes`(seeds: Range<UInt64>) async throws {
        let child = try ForeignChild()
        for seed in seeds { try await runReferences(seed, child) }
    }

    private func runReferences(_ seed: UInt64, _ child: ForeignChild) async throws {
        var scenario = ReferenceScenario(seed: seed)
        var history = try ForeignHistory(seed: seed, child, types: [], adding: scenario.schemas)
        let types = history.store.recordTypes
        let conditions = ReferenceConditions(types)
        do {
            for number in 0..<15 {
                if number % 3 == 0 {
                    let typeIndex = history.random.below(types.count)
                    var request = Request()
                    request.condition = conditions.condition(typeIndex, depth: 2, &history.random)
                    request.order = conditions.order(typeIndex, &history.random)
                    if history.random.oneIn(2) { request.limit = history.random.below(4) }
                    history.subjects.append(try ReferenceSubject(request, typeIndex: typeIndex, in: history.store))
                }
                try await history.round { scenario.closure() }
            }
        } catch {
            throw Mismatch("MODELSTORE_SEED=\(seed): \(error)\n\(whole: Brief.last(of: history.trace))")
        }
        try await history.end()
    }
}
