import Foundation
import ModelStore
import Synchronization

/// Measures the memory of models, subscriptions and live queries. Each kind runs in a process of its own, which has no freed
/// memory to reuse.
enum LiveMemory: String, CaseIterable {
    case models
    /// Tasks that only wait: a part of the next kind.
    case tasks
    /// A model each, and a task that waits for its values.
    case subscriptions
    case queries

    private var count: Int { self == .queries ? 10_000 : 100_000 }

    static func run() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/benchmarks-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try Store(at: directory, records: Item.self)
        try await store.addItems(100_000)
        store.close()
        var bytes: [LiveMemory: Int] = [:]
        for kind in allCases { bytes[kind] = try kind.inProcessOfItsOwn(directory) }
        guard let model = bytes[.models], let task = bytes[.tasks], let both = bytes[.subscriptions],
            let query = bytes[.queries]
        else { return }
        print(
            "memory in bytes: a model \(model); a subscription with its task \(both - model), of which a task that waits \(task); "
                + "a live query of one row \(query)")
    }

    /// Runs this program again.
    ///
    /// - Returns: the memory of one object.
    private func inProcessOfItsOwn(_ directory: String) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["live", "--memory-of", rawValue, "--memory-store", directory]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0, let bytes = Int(text) else {
            throw BenchmarkError("the child for \(rawValue) failed: \(text)")
        }
        return bytes
    }

    /// Creates many objects, and prints the memory of one: the anonymous memory of this process, without the mapped file.
    func measure(_ directory: String) async throws {
        let store = try Store(at: directory, records: Item.self)
        defer { store.close() }
        var models: [Model<Item>] = []
        var tasks: [Task<Void, Never>] = []
        var queries: [LiveQuery<Item>] = []
        models.reserveCapacity(count)
        tasks.reserveCapacity(count)
        queries.reserveCapacity(count)
        let arrived = Arrivals()
        let parking = Parking()
        // Creates the objects that exist once, such as the dispatcher's thread.
        withExtendedLifetime(try store.model(Item.self, id: 0)) {}
        let before = try Footprint.statusKibibytes("RssAnon")
        for id in 0..<count {
            switch self {
            case .models: models.append(try store.model(Item.self, id: id))
            case .tasks:
                tasks.append(
                    Task {
                        arrived.add()
                        await parking.wait()
                    })
            case .subscriptions:
                let model = try store.model(Item.self, id: id)
                models.append(model)
                tasks.append(Task { for await _ in model.values(of: \.value) { arrived.add() } })
            case .queries: queries.append(try store.liveQuery(Item.where { $0.id == id }))
            }
        }
        if !tasks.isEmpty { await arrived.until(count) }
        print((try Footprint.statusKibibytes("RssAnon") - before) * 1_024 / count)
        parking.end()
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        withExtendedLifetime((models, queries)) {}
    }
}

/// Keeps tasks waiting until the end.
private final class Parking: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = waiting.withLock { waiting in
                waiting?.append(continuation)
                return waiting == nil
            }
            if isOver { continuation.resume() }
        }
    }

    func end() {
        for continuation in waiting.withLock({ $0.take() }) ?? [] { continuation.resume() }
    }
}
