import ArgumentParser
import Foundation
import ModelStore

/// Measures long reads from many tasks at once.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks tasks
/// ```
struct TaskBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tasks",
        abstract: "Measures how long other tasks wait while 1,000 tasks make long reads.",
        discussion: """
            Each task fetches the richest accounts, at first with a synchronous read, and then with a read on a \
            background thread. Meanwhile, another task wants to run every millisecond. The benchmark shows how late it runs.
            """)

    @Option(help: "The number of accounts.") var count = 100_000
    @Option(help: "The number of tasks that read at once.") var tasks = 1_000
    @ParentCommand var benchmarks: Benchmarks

    func validate() throws {
        guard count > 0, tasks > 0 else { throw ValidationError("the counts must be positive") }
    }

    func run() async throws {
        let store = try Store.temporary(records: Account.self)
        defer { store.close() }
        var source = AccountSource()
        let accounts = source.next(count)
        try await store.write { tx in for account in accounts { try tx.insert(account) } }
        let rich = Account.where { $0.balance >= 990_000 }.order { $0.balance.descending }
        let found = try store.fetch(rich).count
        print("\(tasks) tasks each fetch \(found) of \(count) accounts; lateness of a task that runs every millisecond")
        print("reads             in all     p50        p99        greatest")
        for round in 1...benchmarks.rounds {
            let threads: [ReadThread?] = round.isMultiple(of: 2) ? [.background, nil] : [nil, .background]
            for thread in threads {
                let times = try await measure(found) {
                    if let thread { try await store.fetch(rich, on: thread).count } else { try store.fetch(rich).count }
                }
                report(thread == nil ? "synchronous" : "in the background", times)
            }
        }
    }

    /// Runs a read in all tasks at once.
    ///
    /// - Returns: the time of all reads, and by how much the other task was late each time, in nanoseconds.
    private func measure(
        _ found: Int, _ read: @escaping @Sendable () async throws -> Int
    ) async throws -> (all: UInt64, lateness: [UInt64]) {
        let clock = ContinuousClock()
        let watch = Task {
            var lateness: [UInt64] = []
            while !Task.isCancelled {
                let wanted = clock.now + .milliseconds(1)
                try? await Task.sleep(until: wanted, clock: clock)
                lateness.append(UInt64(max((clock.now - wanted) / .nanoseconds(1), 0)))
            }
            return lateness
        }
        let begin = Monotonic.nanoseconds
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<tasks { group.addTask { try await read() } }
            for try await count in group where count != found {
                throw ValidationError("a read found \(count) accounts, and another \(found)")
            }
        }
        let all = Monotonic.nanoseconds - begin
        watch.cancel()
        return (UInt64(all), await watch.value.sorted())
    }

    private func report(_ name: String, _ times: (all: UInt64, lateness: [UInt64])) {
        func milliseconds(_ nanoseconds: UInt64) -> String { String(format: "%8.2f ms", Double(nanoseconds) / 1e6) }
        let last = times.lateness.count - 1
        let columns = [times.all, times.lateness[last / 2], times.lateness[last * 99 / 100], times.lateness[last]]
        print(name.padding(toLength: 17, withPad: " ", startingAt: 0) + columns.map(milliseconds).joined())
    }
}
