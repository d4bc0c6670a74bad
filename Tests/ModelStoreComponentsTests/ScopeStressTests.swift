import Foundation
import ModelStore
import ModelStoreComponents
import ModelStoreTesting
import TestSupport
import Testing

@Component
private struct Board {
    let number: Int
    @FetchRequest(Sensor.where { $0.room == "hall" }.order { $0.celsius.descending }.limit(5)) var top:
        LiveRecords<Sensor>
    @ObservedObject var sensor: Model<Sensor>
    @State var updates = 0
    @StateObject var thing: Counter = Counter()

    init(number: Int, sensor: Model<Sensor>) {
        self.number = number
        _sensor = ObservedObject(wrappedValue: sensor)
    }

    func update(_ context: inout ComponentContext) {
        for row in top { context.place(Line(id: row.id, celsius: row.celsius), id: row.id) }
        _ = sensor.celsius
        context.onClose { [thing] in thing.closed.update { $0 += 1 } }
    }
}

@Component
private struct Line: Equatable {
    let id: String
    let celsius: Double
    @State var shown = 0

    static func == (left: Line, right: Line) -> Bool { left.id == right.id && left.celsius == right.celsius }

    func update(_ context: inout ComponentContext) {
        _ = shown
        let shown = $shown
        context.onAppear { shown.wrappedValue += 1 }
    }
}

private final class Counter: Sendable {
    let closed = Subject(0)
}

/// Many tasks open, update and close scopes concurrently.
@Suite(.serialized, .timeLimit(.minutes(20)), .leakFree) struct ScopeStressTests {
    @Test func `connections opened and dropped at random under load leave nothing`() async throws {
        let connections = TestLength.isLong ? 10_000 : 1_000
        let store = try Store.temporary(records: Sensor.self, Panel.self)
        try await store.write { tx in
            for number in 0..<50 { try tx.insert(Sensor(id: "s\(number)", room: "hall", celsius: Double(number))) }
        }
        let app = try store.scope("app")
        let writer = Task { try await self.write(store) }
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for number in stride(from: worker, to: connections, by: 8) {
                        await connection(number, app, store)
                    }
                }
            }
        }
        writer.cancel()
        _ = try? await writer.value
        #expect(store.ownership.report().scopes.map(\.path) == ["app"])
        #expect(store.ownership.metrics.modelCount == 0 && store.ownership.metrics.pinCount == 0)
        app.close()
        await app.waitUntilClosed()
        #expect(store.ownership.report().isEmpty)
    }

    /// Writes until the task is cancelled.
    private func write(_ store: Store) async throws {
        var number = 0
        while !Task.isCancelled {
            number += 1
            let (id, celsius) = ("s\(number % 50)", Double(number % 97))
            _ = try await store.write { try $0.update(Sensor.self, id: id) { $0.celsius = celsius } }
        }
    }

    /// Runs one connection, which ends in one of the possible ways.
    private func connection(_ number: Int, _ app: Scope, _ store: Store) async {
        // The connection has its own generator, so that its number is enough to repeat a failure.
        let way = (number &* 2_654_435_761) >> 7 & 3
        do {
            switch way {
            case 0:
                try await app.withChild("connection \(number)") { scope in
                    let host = try await self.serve(number, scope, store)
                    try await host.settle()
                }
            case 1:
                // Another task closes the scope while this one serves it.
                let scope = try app.child("connection \(number)")
                let end = Task { scope.close() }
                _ = try? await serve(number, scope, store)
                await end.value
                await scope.waitUntilClosed()
            case 2:
                // The serving task is cancelled.
                let task = Task {
                    try await app.withChild("connection \(number)") { scope in
                        _ = try await self.serve(number, scope, store)
                        // The subject never changes, so only the cancellation ends the loop.
                        let endless = Subject(0)
                        for await _ in endless.values {}
                        withExtendedLifetime(endless) {}
                    }
                }
                await Task.yield()
                task.cancel()
                _ = try? await task.value
            default:
                let scope = try app.child("connection \(number)")
                _ = try await serve(number, scope, store)
                try scope.task { scope.close() }
                await scope.waitUntilClosed()
            }
        } catch {
            Issue.record("connection \(number), way \(way): \(error)")
        }
    }

    private func serve(_ number: Int, _ scope: Scope, _ store: Store) async throws -> ComponentHost {
        let sensor = try scope.borrow(store.model(Sensor.self, id: "s\(number % 50)"))
        try scope.task { for await _ in sensor.values(of: \.celsius) {} }
        try scope.observe { _ = sensor.celsius }
        return try await scope.host { Board(number: number, sensor: sensor) }
    }

    @Test func `a tree goes through random changes, and what is hosted follows its identity`() async throws {
        for seed in UInt64(1)...(TestLength.isLong ? 2_000 : 50) { try await randomTree(seed) }
    }

    private func randomTree(_ seed: UInt64) async throws {
        let registry = OwnershipRegistry()
        let journal = Journal()
        let rows = Subject<[Int]>([])
        var random = Seeded(state: seed)
        var expected: Set<Int> = []
        try await registry.withScope("app") { scope in
            let host = try await scope.host { Rows(rows: rows, journal: journal) }
            for _ in 0..<20 {
                let next = (0..<8).filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
                rows.send(next)
                try await host.settle()
                let appeared = Set(next).subtracting(expected)
                let gone = expected.subtracting(next)
                expected = Set(next)
                let lines = Set(journal.take())
                #expect(lines == Set(appeared.map { "+\($0)" } + gone.map { "-\($0)" }), "seed \(seed)")
                #expect(await host.counters.componentCount == next.count + 1, "seed \(seed)")
                #expect(registry.report().objects.count == next.count, "seed \(seed)")
            }
        }
        #expect(Set(journal.take()) == Set(expected.map { "-\($0)" }), "seed \(seed)")
        #expect(registry.report().isEmpty, "seed \(seed)")
    }
}

@Component
private struct Rows {
    let rows: Subject<[Int]>
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        for row in rows.value { context.place(Row(number: row, journal: journal), id: row) }
    }
}

@Component
private struct Row {
    let number: Int
    @StateObject var life: Life

    init(number: Int, journal: Journal) {
        self.number = number
        _life = StateObject(wrappedValue: Life(number, journal))
    }

    func update(_ context: inout ComponentContext) { _ = life }
}

private final class Life: Sendable {
    private let number: Int
    private let journal: Journal

    init(_ number: Int, _ journal: Journal) {
        self.number = number
        self.journal = journal
        journal.add("+\(number)")
    }

    deinit { journal.add("-\(number)") }
}

private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
