import ArgumentParser
import Foundation
import ModelStore

/// Measures reads of earlier positions.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks past
/// ```
struct PastBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "past",
        abstract: "Measures reads of earlier positions, at distances of 1 to 100,000 commits.",
        discussion: "There is no comparable library: compare the figures with the same reads of the newest position.")

    @Option(help: "The number of accounts.") var count = 100_000
    @Option(help: "The greatest distance in commits.") var commits = 100_000
    @Option(help: "The number of accounts that the commits change, at random.") var changed = 100_000
    @ParentCommand var benchmarks: Benchmarks

    func validate() throws {
        guard count > 0, commits > 0, (1...count).contains(changed) else {
            throw ValidationError("the counts must be positive, and no more accounts change than there are")
        }
    }

    func run() async throws {
        try PastReads(count: count, commits: commits, changed: changed, rounds: benchmarks.rounds).run()
    }
}
