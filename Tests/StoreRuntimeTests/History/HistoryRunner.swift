import StoreEngine
import TestSupport

@testable import StoreRuntime

/// Runs a history against a store and the oracle, and compares both completely after each commit.
final class HistoryRunner {
    private let seed: UInt64
    private let folder: StoreFolder?
    private let options: StoreOptions
    private var store: Store
    private var oracle = Oracle()
    private var comparison: StoreComparison
    /// The events so far, for a replay.
    private(set) var events: [HistoryEvent] = []

    init(seed: UInt64) throws {
        self.seed = seed
        var random = TestRandom(seed: seed ^ 0x5EED)
        var options = StoreOptions()
        options.durability = .relaxed
        options.clock = { Oracle.time }
        options.randomSeed = { seed }
        options.limits.retainedChangeSets = random.pick([1, 2, 5, 10_000])
        self.options = options
        // A third of the stores live in a directory, so that they can be reopened.
        folder = random.oneIn(3) ? try StoreFolder() : nil
        store = try HistoryRunner.open(folder, options)
        comparison = StoreComparison(retained: options.limits.retainedChangeSets)
    }

    deinit { store.close() }

    /// Runs `count` events.
    ///
    /// - Throws: ``HistoryFailure`` at the first difference.
    func run(count: Int) async throws {
        var generator = HistoryGenerator(seed: seed)
        do {
            for _ in 0..<count {
                let event = generator.event(oracle)
                events.append(event)
                switch event {
                case .reopen: try reopen()
                case .write(let closures): try await write(closures)
                }
                try comparison.check(store, oracle)
            }
            try comparison.verify(store)
        } catch {
            throw HistoryFailure(seed: seed, events: events, difference: "\(error)")
        }
    }

    private static func open(_ folder: StoreFolder?, _ options: StoreOptions) throws -> Store {
        guard let folder else {
            return try Store.temporary(records: Sensor.self, Ticket.self, Slot.self, options: options)
        }
        return try Store(at: folder.path, records: Sensor.self, Ticket.self, Slot.self, options: options)
    }

    private func reopen() throws {
        guard folder != nil else { return }
        try comparison.verify(store)
        store.close()
        // If another program removed the folder in the meantime, opening must fail. A new, empty store would look like lost
        // records.
        var existing = options
        existing.createsIfMissing = false
        store = try HistoryRunner.open(folder, existing)
    }

    private func write(_ closures: [HistoryClosure]) async throws {
        let store = store
        let ran = RanBox(count: closures.count)
        let gate = closures.count > 1 ? await Gate.closed(before: store) : nil
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, closure) in closures.enumerated() {
                group.addTask {
                    let committed = try? await store.write(returning: .position) { tx in
                        var results: [StepResult] = []
                        defer { ran.set(number, results) }
                        for (number, step) in closure.steps.enumerated() {
                            if number == closure.stop { throw Stopped() }
                            results.append(try step.run(in: &tx))
                        }
                        if closure.stop != nil { throw Stopped() }
                    }
                    if let committed { ran.set(number, committed.position) }
                }
            }
            await gate?.open(after: closures.count)
            try await group.waitForAll()
        }
        try compare(closures, ran)
    }

    private func compare(_ closures: [HistoryClosure], _ ran: RanBox) throws {
        let all = ran.all
        for number in all.indices.sorted(by: { all[$0].place < all[$1].place }) {
            let closure = closures[number]
            let before = oracle.sequence
            let (expected, changes) = oracle.run(closure, results: all[number].results)
            guard expected == all[number].results else {
                throw Difference("closure \(number) gave \(all[number].results), expected \(expected)")
            }
            guard (closure.stop == nil) == (all[number].position != nil) else {
                throw Difference("closure \(number) was \(closure.stop == nil ? "not committed" : "committed")")
            }
            if let position = all[number].position {
                guard position.sequence == oracle.sequence else {
                    throw Difference("closure \(number) got the position \(position), expected \(oracle.sequence)")
                }
                comparison.note(changes, position)
            } else if oracle.sequence != before {
                throw Difference("the oracle is wrong")
            }
        }
    }
}
