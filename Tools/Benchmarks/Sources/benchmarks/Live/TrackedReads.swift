import Foundation
import ModelStore
import Observation

/// Measures reads of fields that Observation tracks, from two threads that read the same models. Compares them with plain
/// observable objects.
struct TrackedReads {
    private static let rounds = 2_000
    private static let threads = 2

    func run() async throws {
        let store = try await Store.items(1_000)
        defer { store.close() }
        let models = try (0..<1_000).map { try store.model(Item.self, id: $0) }
        let plain = (0..<1_000).map { PlainItem(value: Double($0)) }
        for isInScope in [false, true] {
            let ours = await rate(isInScope) { models.reduce(0) { $0 + $1.value } }
            let others = await rate(isInScope) { plain.reduce(0) { $0 + $1.value } }
            let scope = isInScope ? "in withObservationTracking" : "outside of it"
            print(
                String(
                    format:
                        "tracked reads from two threads, %@: %.1f million/s, %.1f for two seconds of processor time; "
                        + "of an @Observable class %.1f and %.1f",
                    scope, ours.wall, ours.processor, others.wall, others.processor))
        }
    }

    /// Returns the million reads per second, by the clock and by the processor time of all threads divided by their number.
    private func rate(
        _ isInScope: Bool, _ sum: @escaping @Sendable () -> Double
    ) async -> (wall: Double, processor: Double) {
        let begin = (Monotonic.nanoseconds, Monotonic.processorNanoseconds)
        await withTaskGroup(of: Double.self) { group in
            for _ in 0..<TrackedReads.threads {
                group.addTask {
                    if !isInScope { return sums(sum) }
                    return withObservationTracking {
                        sums(sum)
                    } onChange: {
                    }
                }
            }
            for await _ in group {}
        }
        let reads = Double(TrackedReads.threads * TrackedReads.rounds * 1_000)
        let wall = Double(Monotonic.nanoseconds - begin.0)
        let processor = Double(Monotonic.processorNanoseconds - begin.1) / Double(TrackedReads.threads)
        return (reads / wall * 1_000, reads / processor * 1_000)
    }

    private func sums(_ sum: () -> Double) -> Double {
        (0..<TrackedReads.rounds).reduce(0) { total, _ in total + sum() }
    }
}

/// A class with Swift's own macro. Nothing changes its objects, so two threads may read them.
@Observable
private final class PlainItem: @unchecked Sendable {
    var value: Double

    init(value: Double) { self.value = value }
}
