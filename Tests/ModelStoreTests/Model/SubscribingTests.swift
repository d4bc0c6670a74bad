import ModelStore
import Observation
import StoreRuntime
import Synchronization
import TestSupport
import Testing

/// One task subscribes while another commits. The last value arrives, whenever it was committed. `MODELSTORE_LONG=1` tries each
/// way as often as the contract requires.
@Suite(.timeLimit(.minutes(TestLength.isLong ? 120 : TestLength.waitMinutes))) struct SubscribingTests {
    /// The ways to follow a sensor until it has a temperature.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case values, changes, updates, tracking

        var testDescription: String { rawValue }

        func follow(_ model: Model<Sensor>, in store: Store, until celsius: Double) async throws {
            switch self {
            case .values:
                for await value in model.values(of: \.celsius) where value == celsius { return }
            case .changes:
                for await change in model.changes where change.new?.celsius == celsius { return }
            case .updates:
                let (id, request) = (model.id, FetchRequest(Sensor.self))
                for try await update in store.updates(of: request.where { $0.id == id })
                where update.results.first?.celsius == celsius { return }
            case .tracking:
                if await track(model, until: celsius) { return }
            }
            throw Ended(description: "\(celsius) was not delivered: the model has \(model.celsius)")
        }

        /// Reads again after it starts to observe, because Observation starts only when its closure has returned.
        private func track(_ model: Model<Sensor>, until celsius: Double) async -> Bool {
            while true {
                let signal = Signal()
                let seen = withObservationTracking {
                    model.celsius
                } onChange: {
                    signal.raise()
                }
                if seen == celsius || Task.isCancelled { return seen == celsius }
                if model.celsius == seen { _ = await signal.wait() }
            }
        }
    }

    private struct Ended: Error, CustomStringConvertible {
        let description: String
    }

    private static let taskCount = 8

    @Test(arguments: Way.allCases)
    func `nothing is lost between reading and subscribing`(way: Way) async throws {
        let store = try ModelTests.store(sensors: Self.taskCount)
        let runs = TestLength.runs(800, long: 100_000) / Self.taskCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.taskCount {
                let model = try store.model(Sensor.self, id: "s\(number)")
                group.addTask {
                    for run in 1...runs {
                        async let written = store.write(durability: .relaxed) {
                            try $0.update(Sensor.self, id: "s\(number)") { $0.celsius = Double(1_000 + run) }
                        }
                        // A lost change would make this wait forever, until the suite's time limit.
                        try await way.follow(model, in: store, until: Double(1_000 + run))
                        _ = try await written
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `who reads and watches again when told that something will change is told of what he did not see`()
        async throws
    {
        let store = try ModelTests.store()
        let model = try store.model(Sensor.self, id: "s0")
        let query = try store.liveQuery(Sensor.order { $0.id.ascending })
        let seen = Mutex<[Double?]>([])
        let told = Atomic(0)
        for read in [{ @Sendable in model.celsius }, { @Sendable in (try? query.results)?.first?.celsius }] {
            withObservationTracking {
                _ = read()
            } onChange: {
                // This runs before the change is published.
                let again = withObservationTracking(read, onChange: { told.wrappingAdd(1, ordering: .relaxed) })
                seen.withLock { $0.append(again) }
            }
        }
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 30 } }
        #expect(seen.withLock { $0 } == [20, 20])
        #expect(told.load(ordering: .relaxed) == 2)
    }
}
