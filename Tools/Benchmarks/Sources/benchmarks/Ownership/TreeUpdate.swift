import Foundation
import ModelStore
import ModelStoreComponents
import OpenCombine

/// Measures a change of one field among the components of a large tree, each of which reads a field of its own.
struct TreeUpdate {
    let count: Int

    func run() async throws {
        let registry = OwnershipRegistry()
        let values = (0..<count).map { ModelStoreComponents.Subject($0) }
        try await registry.withScope("tree") { scope in
            let begin = Monotonic.nanoseconds
            let host = try await scope.host { Leaves(values: values) }
            let built = Monotonic.nanoseconds - begin
            let before = await host.counters.updateCount
            let times = try await CommitTimes(2_000) { number in
                values[number * 7_919 % count].update { $0 += 1 }
                try await host.settle()
            }
            let updates = await host.counters.updateCount - before
            let sinks = (0..<count).map { CurrentValueSubject<Int, Never>($0) }
            var cancellables: [AnyCancellable] = []
            let total = Total()
            for sink in sinks { cancellables.append(sink.sink { total.value &+= $0 }) }
            let combine = try await CommitTimes(2_000) { number in sinks[number * 7_919 % count].value += 1 }
            print(
                "a tree of \(count) components: \(TablePrinter.number(Double(built) / 1_000 / Double(count))) µs each to build; one field "
                    + "changes: \(updates) updates for 2,020 changes, \(TablePrinter.number(times.median)) µs until it is settled; "
                    + "OpenCombine's sink, called in place, \(TablePrinter.number(combine.median)) µs")
            withExtendedLifetime(cancellables) {}
        }
    }

    private final class Total {
        var value = 0
    }
}

@Component
private struct Leaves {
    let values: [ModelStoreComponents.Subject<Int>]

    func update(_ context: inout ComponentContext) {
        for (number, value) in values.enumerated() { context.place(Leaf(value: value), id: number) }
    }
}

@Component
private struct Leaf {
    let value: ModelStoreComponents.Subject<Int>

    func update(_ context: inout ComponentContext) { _ = value.value }
}
