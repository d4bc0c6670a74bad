import ModelStore
import ModelStoreComponents

/// Measures a tree in which each component is nested in the one before.
struct NestedTree {
    let count: Int

    func run() async throws {
        let round = ModelStoreComponents.Subject(0)
        var times = [Monotonic.nanoseconds]
        try await OwnershipRegistry().withScope("tree") { scope in
            let host = try await scope.host { [count] in Level(rest: count, round: round) }
            times.append(Monotonic.nanoseconds)
            round.send(1)
            try await host.settle()
            times.append(Monotonic.nanoseconds)
        }
        times.append(Monotonic.nanoseconds)
        let milliseconds = zip(times, times.dropFirst()).map { TablePrinter.number(Double($1 - $0) / 1_000_000) }
        print(
            "\(count) nested components: \(milliseconds[0]) ms to build, \(milliseconds[1]) ms to update all, "
                + "\(milliseconds[2]) ms to end")
    }
}

@Component
private struct Level {
    let rest: Int
    let round: ModelStoreComponents.Subject<Int>

    func update(_ context: inout ComponentContext) {
        _ = round.value
        if rest > 1 { context.place(Level(rest: rest - 1, round: round)) }
    }
}
