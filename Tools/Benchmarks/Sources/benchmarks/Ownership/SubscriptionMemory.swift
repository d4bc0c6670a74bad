import ArgumentParser
import Foundation
import ModelStore
import OpenCombine
import Synchronization

/// The kind of objects and subscriptions in a child process.
enum SubscriptionSide: String, ExpressibleByArgument {
    case models, subscribedModels, openCombine
}

/// Measures the bytes and the time of many models with a subscription each, each side in a process of its own.
struct SubscriptionMemory {
    let count: Int

    private final class Observed: OpenCombine.ObservableObject {
        @OpenCombine.Published var value = 0.0
    }

    func run() throws {
        let models = try child(.models)
        let subscribed = try child(.subscribedModels)
        let combine = try child(.openCombine)
        func text(_ result: (bytes: Double, nanoseconds: Double)) -> String {
            "\(Int(result.bytes)) bytes and \(TablePrinter.number(result.nanoseconds / 1_000)) µs"
        }
        print(
            "each of \(count) models: \(text(models)); with a subscription in a scope \(text(subscribed));",
            terminator: " ")
        print("of OpenCombine's objects with a sink \(text(combine))")
    }

    private func child(_ side: SubscriptionSide) throws -> (bytes: Double, nanoseconds: Double) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["ownership", "--side", side.rawValue, "--count", "\(count)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
            Double($0)
        }
        guard process.terminationStatus == 0, numbers.count == 2 else {
            throw BenchmarkError("the child for \(side) failed")
        }
        return (numbers[0], numbers[1])
    }

    /// Runs in the child: prints the bytes and the nanoseconds of each model.
    func measure(_ side: SubscriptionSide) async throws {
        let store = try await Store.items(side == .openCombine ? 1 : count)
        let scope = try store.scope("all")
        _ = try store.model(Item.self, id: 0)
        var objects: [AnyObject] = []
        var cancellables: Set<AnyCancellable> = []
        objects.reserveCapacity(count)
        cancellables.reserveCapacity(count)
        let begun = Subscribed()
        let before = try Footprint.statusKibibytes("RssAnon")
        let begin = Monotonic.nanoseconds
        for id in 0..<count {
            switch side {
            case .models: objects.append(try store.model(Item.self, id: id))
            case .subscribedModels:
                let model = try scope.borrow(store.model(Item.self, id: id))
                try scope.task {
                    for await _ in model.values(of: \.value) { begun.add() }
                }
            case .openCombine:
                let object = Observed()
                object.$value.sink { _ in }.store(in: &cancellables)
                objects.append(object)
            }
        }
        if side == .subscribedModels { await begun.wait(for: count) }
        let nanoseconds = Monotonic.nanoseconds - begin
        let bytes = (try Footprint.statusKibibytes("RssAnon") - before) * 1_024
        print(Double(bytes) / Double(count), Double(nanoseconds) / Double(count))
        withExtendedLifetime((objects, cancellables)) {}
        scope.close()
        await scope.waitUntilClosed()
        let left = store.ownership.metrics.modelCount
        precondition(left == 0 || side != .subscribedModels, "\(left) models are alive after their scope has closed")
    }

    /// Counts the subscriptions that have received their first value.
    private final class Subscribed: Sendable {
        private let count = Atomic<Int>(0)

        func add() { _ = count.wrappingAdd(1, ordering: .relaxed) }

        func wait(for count: Int) async {
            while self.count.load(ordering: .relaxed) < count { await Task.yield() }
        }
    }
}
