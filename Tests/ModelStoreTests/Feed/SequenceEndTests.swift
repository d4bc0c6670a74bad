import Dispatch
import ModelStore
import Observation
import StoreEngine
import StoreRuntime
import Synchronization
import TestSupport
import Testing

/// How the asynchronous sequences of a store end: one rule applies to all of them.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SequenceEndTests {
    /// The sequences.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case changes, squashedChanges, recordsAndChanges, catchUp
        case updates, updatesOfFields, updatesSince, queryUpdates, dynamicUpdates, join
        case counts, existence, values
        case modelValues, modelValuesTogether, modelChanges

        var testDescription: String { rawValue }

        /// Whether the sequence throws an error when the store closes.
        var isThrowing: Bool { !isOfModel }

        var isOfModel: Bool { [.modelValues, .modelValuesTogether, .modelChanges].contains(self) }

        var isOfFeed: Bool { [.changes, .squashedChanges, .recordsAndChanges, .catchUp].contains(self) }

        func reader(of model: Model<Sensor>, _ query: LiveQuery<Sensor>, in store: Store) -> EndReader {
            let all = FetchRequest(Sensor.self)
            switch self {
            case .changes: return EndReader(store.changes(from: .newest))
            case .squashedChanges:
                var options = FeedOptions()
                options.mergesPending = true
                return EndReader(store.changes(from: .oldest, options))
            case .recordsAndChanges: return EndReader(store.recordsAndChanges(of: Sensor.self))
            case .catchUp: return EndReader(store.catchUp(since: model.position))
            case .updates: return EndReader(store.updates(of: all))
            case .updatesOfFields: return EndReader(store.updates(of: all, fields: \.celsius))
            case .updatesSince: return EndReader(store.updates(of: all, since: model.position))
            case .queryUpdates: return EndReader(query.updates)
            case .dynamicUpdates: return EndReader(store.updates(of: Request(), typeNamed: "Sensor"))
            case .join: return EndReader(store.updates(of: all, all))
            case .counts: return EndReader(store.counts(of: all))
            case .existence: return EndReader(store.existence(of: all))
            case .values: return EndReader(store.values(of: all) { try $0.fetch($1).count })
            case .modelValues: return EndReader(model.values(of: \.celsius))
            case .modelValuesTogether: return EndReader(model.values(of: \.celsius, \.note))
            case .modelChanges: return EndReader(model.changes)
            }
        }
    }

    private struct Watched {
        let store: Store
        let model: Model<Sensor>
        let query: LiveQuery<Sensor>

        init() throws {
            store = try ModelTests.store(sensors: 2)
            model = try store.model(Sensor.self, id: "s0")
            query = try store.liveQuery(FetchRequest(Sensor.self))
        }

        func reader(_ kind: Kind) -> EndReader { kind.reader(of: model, query, in: store) }

        /// Changes and deletes the record in two change sets, which models receive in one step.
        func writeInOneStep() async throws {
            let (blocked, free) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let store = store
            // Both closures wait behind this one, and are committed together.
            async let first: Void = store.write { _ in
                blocked.signal()
                free.wait()
            }
            await BlockingWork.run { blocked.wait() }
            let update = Task.immediate {
                try await store.write { _ = try $0.update(Sensor.self, id: "s0") { $0.celsius = 9 } }
            }
            let delete = Task.immediate { try await store.write { _ = try $0.delete(Sensor.self, id: "s0") } }
            free.signal()
            try await first
            try await update.value
            try await delete.value
        }
    }

    @Test(arguments: Kind.allCases)
    func `a sequence ends when its task is cancelled while it waits`(kind: Kind) async throws {
        let watched = try Watched()
        let reader = watched.reader(kind)
        let task = Task.immediate { await reader.end() }
        task.cancel()
        #expect(await task.value == .ended)
    }

    @Test(arguments: Kind.allCases, [false, true])
    func `a sequence of a cancelled task ends at once, also when its store is closed`(
        kind: Kind, isClosed: Bool
    ) async throws {
        let watched = try Watched()
        if isClosed { watched.store.close() }
        let reader = watched.reader(kind)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await reader.next()
        }
        #expect(await task.value == .ended)
    }

    @Test(arguments: Kind.allCases)
    func `a sequence that throws fails when its store is closed, and any other ends`(kind: Kind) async throws {
        let watched = try Watched()
        let reader = watched.reader(kind)
        let task = Task.immediate { await reader.end() }
        watched.store.close()
        let end: EndReader.Step = kind.isThrowing ? .failed(.closed) : .ended
        #expect(await task.value == end)
        #expect(await reader.next() == end)
    }

    @Test(arguments: Kind.allCases)
    func `a sequence that is begun after its store was closed has no element`(kind: Kind) async throws {
        let watched = try Watched()
        watched.store.close()
        let reader = watched.reader(kind)
        let end: EndReader.Step = kind.isThrowing ? .failed(.closed) : .ended
        #expect(await reader.next() == end)
        #expect(await reader.next() == end)
    }

    @Test(arguments: Kind.allCases)
    func `a sequence in a task of a scope ends when the scope is closed`(kind: Kind) async throws {
        let watched = try Watched()
        let reader = watched.reader(kind)
        let scope = try watched.store.scope("connection")
        let ends = AsyncStream.makeStream(of: EndReader.Step.self)
        try scope.task { ends.continuation.yield(await reader.end()) }
        scope.close()
        await scope.waitUntilClosed()
        ends.continuation.finish()
        #expect(await ends.stream.first { _ in true } == .ended)
    }

    /// The events after which a sequence of a model ends.
    enum End: CaseIterable {
        case deletion, deletionInOneStep, deletionInLaterStep, closing
    }

    @Test(arguments: Kind.allCases.filter(\.isOfModel), End.allCases)
    func `a sequence of a model delivers the newest value before its end, without demand in between`(
        kind: Kind, end: End
    ) async throws {
        for hasBegun in [false, true] { try await expectNewest(kind, end, hasBegun: hasBegun) }
    }

    private func expectNewest(_ kind: Kind, _ end: End, hasBegun: Bool) async throws {
        let watched = try Watched()
        let reader = TemperatureReader(kind, of: watched.model)
        if hasBegun { #expect(await reader.next() == "20.0") }
        switch end {
        case .deletion:
            try await watched.store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 9 } }
            try await watched.store.write { try $0.delete(Sensor.self, id: "s0") }
        case .deletionInOneStep: try await watched.writeInOneStep()
        case .deletionInLaterStep:
            try await watched.store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 5 } }
            try await watched.writeInOneStep()
        case .closing:
            try await watched.store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 9 } }
            watched.store.close()
        }
        // The changes merge into the deletion.
        let isDeletion = kind == .modelChanges && end != .closing
        #expect(await reader.next() == (isDeletion ? "deleted" : "9.0"))
        #expect(await reader.next() == nil)
        #expect(await reader.next() == nil)
        #expect(watched.model.celsius == 9)
    }

    @Test(arguments: Kind.allCases.filter(\.isOfModel))
    func `a sequence that begins after its record was deleted has no value`(kind: Kind) async throws {
        let watched = try Watched()
        try await watched.store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 9 } }
        try await watched.store.write { try $0.delete(Sensor.self, id: "s0") }
        let reader = TemperatureReader(kind, of: watched.model)
        #expect(await reader.next() == (kind == .modelChanges ? "deleted" : nil))
        #expect(await reader.next() == nil)
    }

    @Test func `the deletion of a record that changed in the same step notifies readers of its fields`() async throws {
        let watched = try Watched()
        let changes = Atomic(0)
        withObservationTracking {
            _ = watched.model.celsius
        } onChange: {
            changes.wrappingAdd(1, ordering: .relaxed)
        }
        try await watched.writeInOneStep()
        #expect(watched.model.isDeleted && watched.model.celsius == 9)
        #expect(changes.load(ordering: .relaxed) == 1)
    }

    @Test(arguments: Kind.allCases.filter { !$0.isOfModel && !$0.isOfFeed })
    func `a live sequence delivers what was published before its store closed, without demand in between`(
        kind: Kind
    ) async throws {
        let watched = try Watched()
        let reader = watched.reader(kind)
        #expect(await reader.next() == .element)
        try await watched.store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 9 } }
        try await watched.store.write { try $0.delete(FetchRequest(Sensor.self)) }
        watched.store.close()
        #expect(await reader.next() == .element)
        #expect(await reader.next() == .failed(.closed))
    }

    @Test func `a computed value that is due when its store closes is computed once`() async throws {
        let store = try ModelTests.store(sensors: 1)
        let runs = Atomic(0)
        var values = store.values(of: FetchRequest(Sensor.self)) { view, request in
            runs.wrappingAdd(1, ordering: .relaxed)
            return try view.sum(request, \.celsius)
        }.makeAsyncIterator()
        #expect(try await values.next()?.value == 20)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 9 } }
        #expect(try await values.next()?.value == 9)
        // Sets another value, and the same one again.
        for celsius in [5.0, 7, 9] {
            try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = celsius } }
        }
        store.close()
        // The value is the same as the last one, so it is not delivered.
        try await expectError(.closed) { _ = try await values.next() }
        try await expectError(.closed) { _ = try await values.next() }
        #expect(runs.load(ordering: .relaxed) == 3)
    }

    @Test func `a computed value that fails while its store closes fails once`() async throws {
        struct Failure: Error {}
        let store = try ModelTests.store(sensors: 1)
        var values = store.values(of: FetchRequest(Sensor.self)) { view, request in
            let sum = try view.sum(request, \.celsius)
            if sum < 0 { throw Failure() }
            return sum
        }.makeAsyncIterator()
        _ = try await values.next()
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = -1 } }
        store.close()
        await #expect(throws: Failure.self) { _ = try await values.next() }
        try await expectError(.closed) { _ = try await values.next() }
    }

    @Test(arguments: Kind.allCases)
    func `a sequence of a model ends with its record, and no other sequence does`(kind: Kind) async throws {
        let watched = try Watched()
        let reader = watched.reader(kind)
        let task = Task.immediate { await reader.end() }
        try await watched.store.write { try $0.delete(Sensor.self, id: "s0") }
        if !kind.isOfModel { task.cancel() }
        #expect(await task.value == .ended)
        #expect(await reader.next() == .ended)
    }
}

/// Reads the temperatures that a sequence of a model delivers. Only one task uses it at a time.
private final class TemperatureReader: @unchecked Sendable {
    private let take: () async -> String?

    init(_ kind: SequenceEndTests.Kind, of model: Model<Sensor>) {
        switch kind {
        case .modelValues:
            var iterator = model.values(of: \.celsius).makeAsyncIterator()
            take = { await iterator.next().map { "\($0)" } }
        case .modelValuesTogether:
            var iterator = model.values(of: \.celsius, \.note).makeAsyncIterator()
            take = { await iterator.next().map { "\($0.0)" } }
        default:
            var iterator = model.changes.makeAsyncIterator()
            take = { await iterator.next().map { $0.new.map { "\($0.celsius)" } ?? "deleted" } }
        }
    }

    func next() async -> String? { await take() }
}

/// Reads the elements of a sequence, and reports how it ends. Only one task uses it at a time.
final class EndReader: @unchecked Sendable {
    enum Step: Equatable {
        case element, ended
        case failed(StoreError.Code)
    }

    private let take: () async throws -> Bool

    init<S: AsyncSequence>(_ sequence: S) {
        var iterator = sequence.makeAsyncIterator()
        take = { try await iterator.next(isolation: nil) != nil }
    }

    func next() async -> Step {
        do {
            return try await take() ? .element : .ended
        } catch let error as StoreError {
            return .failed(error.code)
        } catch {
            return .failed(.other)
        }
    }

    /// Returns the step after all elements.
    func end() async -> Step {
        while true {
            let step = await next()
            if step != .element { return step }
        }
    }
}
