import Foundation

/// One run of the benchmarks: the sides, the data, and the rows measured so far.
final class Session {
    let rounds: Int
    let only: [String]
    /// Whether ``now()`` counts processor time, which a busy machine distorts less.
    let countsProcessorTime: Bool
    let directory: String
    var source = AccountSource()
    let accounts: [Account]
    private(set) var rows: [TableRow] = []

    init(accountCount: Int, rounds: Int, only: [String], directory: String, countsProcessorTime: Bool) {
        self.countsProcessorTime = countsProcessorTime
        self.rounds = rounds
        self.only = only
        self.directory = directory
        accounts = source.next(accountCount)
    }

    /// Returns the seconds on the clock of ``measure(_:warmUp:_:_:)``.
    func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(countsProcessorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    func isWanted(_ row: String) -> Bool { only.isEmpty || only.contains { row.hasPrefix($0) } }

    /// Returns the directory of a side. `name` distinguishes several directories of one side.
    func path(_ side: SideKind, _ name: String) -> String { "\(directory)/\(name)-\(side.rawValue)" }

    /// Adds a row and prints it.
    func add(_ row: TableRow) {
        rows.append(row)
        print(TablePrinter.line(row))
    }

    /// Measures the sides in turn, in another order in each round, and checks that their results are equal.
    func measure<Result: Equatable>(
        _ row: TableRow, warmUp: Bool = true, _ sides: [SideKind] = SideKind.allCases,
        _ body: (SideKind) throws -> Result
    ) throws {
        guard isWanted(row.name) else { return }
        var row = row
        if warmUp {
            for side in sides { _ = try body(side) }
        }
        for round in 0..<rounds {
            var found: Result?
            for place in sides.indices {
                let side = sides[(place + round) % sides.count]
                let start = now()
                let result = try body(side)
                row.seconds[side, default: []].append(now() - start)
                if let found, found != result {
                    throw BenchmarkError("\(row.name): \(side.rawValue) found \(result), another \(found)")
                }
                found = result
            }
        }
        add(row)
    }

    /// As ``measure(_:warmUp:_:_:)`` for closures that wait. They measure their own time, so that they can prepare first.
    func measureWaiting(
        _ row: TableRow, _ sides: [SideKind] = SideKind.allCases, _ body: (SideKind, Int) async throws -> Duration
    ) async throws {
        guard isWanted(row.name) else { return }
        var row = row
        for round in 0..<rounds {
            for place in sides.indices {
                let side = sides[(place + round) % sides.count]
                row.seconds[side, default: []].append(try await body(side, round).inSeconds)
            }
        }
        add(row)
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
