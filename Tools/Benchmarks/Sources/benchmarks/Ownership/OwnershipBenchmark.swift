import ArgumentParser
import Foundation
import ModelStore

/// Measures pins, scopes, subscriptions and trees of components, with OpenCombine where it can do the same.
///
/// ```
/// swift run -c release --package-path Tools/Benchmarks benchmarks ownership
/// ```
struct OwnershipBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ownership",
        abstract: "Measures pins, scopes, subscriptions and components, and OpenCombine for the same work.")

    @Option(help: "Only these parts: pins, scopes, published, models, tree, nested.") var part: [String] = []
    @Option(help: "The number of models or components.") var count = 100_000
    /// The side of a child process, so that its memory belongs to one side only.
    @Option(help: .hidden) var side: SubscriptionSide?

    func run() async throws {
        if let side { return try await SubscriptionMemory(count: count).measure(side) }
        if isWanted("pins") { try PinCost().run() }
        if isWanted("scopes") { try await ScopeCost().run() }
        if isWanted("published") { PublishedSet().run() }
        if isWanted("models") { try SubscriptionMemory(count: count).run() }
        if isWanted("tree") { try await TreeUpdate(count: count / 10).run() }
        if isWanted("nested") { try await NestedTree(count: count / 10).run() }
    }

    private func isWanted(_ part: String) -> Bool { self.part.isEmpty || self.part.contains(part) }
}

/// The time of one operation of many, as the median of rounds.
struct OperationTime {
    let nanoseconds: Double

    /// - Parameters:
    ///   - count: the number of operations in a round.
    ///   - round: runs a round.
    init(rounds: Int = 9, of count: Int, _ round: () throws -> Void) rethrows {
        var times: [Int] = []
        for _ in 0..<rounds + 1 {
            let begin = Monotonic.nanoseconds
            try round()
            times.append(Monotonic.nanoseconds - begin)
        }
        // The first round warms up.
        nanoseconds = Double(times.dropFirst().sorted()[rounds / 2]) / Double(count)
    }
}
