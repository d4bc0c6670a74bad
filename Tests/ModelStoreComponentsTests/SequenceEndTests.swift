import ModelStore
import ModelStoreComponents
import Synchronization
import TestSupport
import Testing

@Record
private struct Counter {
    @ID var name: String
    var count: Int = 0
}

private enum CounterAction: StateAction {
    case count(Int)

    func reduce(_ state: inout Counter) {
        switch self {
        case .count(let count): state.count = count
        }
    }
}

/// An object without a published property and without its own `objectWillChange`.
private final class Manual: ObservableObject, Sendable {
    let count = Mutex(0)

    func set(_ new: Int) { objectWillChange.send { count.withLock { $0 = new } } }
}

/// How the sequences of subjects and states end.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SequenceEndTests {
    /// The sequences.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case subject, distinct, published, changes, state, savedState

        var testDescription: String { rawValue }

        /// Whether the sequence ends with the object that holds its value.
        var endsWithObject: Bool { [.subject, .distinct, .published].contains(self) }
    }

    /// The sources of the sequences.
    private struct Sources {
        var subject: Subject<Int>? = Subject(0)
        var thing: Thing? = Thing(Journal(), Numbers())
        let state = StateStore(0) { (state, action: Int) in state = action }
        let store: Store
        let saved: SavedStateStore<CounterAction>

        init() async throws {
            store = try Store.temporary(records: Counter.self)
            saved = try await SavedStateStore(store, initially: Counter(name: "visits"))
        }

        func reader(_ kind: Kind) throws -> CountReader {
            switch kind {
            case .subject: CountReader(try #require(subject).values)
            case .distinct: CountReader(try #require(subject).values.removeDuplicates())
            case .published: CountReader(try #require(thing).$count)
            case .changes: CountReader(try #require(thing).objectWillChange.values.map { _ in 0 })
            case .state: CountReader(state.values(of: \.self))
            case .savedState: CountReader(saved.values(of: \.count))
            }
        }

        func set(_ count: Int) async throws {
            subject?.send(count)
            thing?.count = count
            state.send(count)
            try await saved.send(.count(count))
        }
    }

    @Test(arguments: Kind.allCases)
    func `a sequence ends when its task is cancelled, before it waits or while it does`(kind: Kind) async throws {
        let sources = try await Sources()
        let reader = try sources.reader(kind)
        let task = Task.immediate { await reader.all() }
        task.cancel()
        #expect(await task.value == [0])
        let late = try sources.reader(kind)
        let cancelled = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await late.all()
        }
        #expect(await cancelled.value == [])
    }

    @Test(arguments: Kind.allCases)
    func `a sequence in a task of a scope ends when the scope is closed`(kind: Kind) async throws {
        let sources = try await Sources()
        let reader = try sources.reader(kind)
        let journal = Journal()
        let scope = OwnershipRegistry().scope("connection")
        try scope.task {
            for _ in await reader.all() {}
            journal.add("ended")
        }
        scope.close()
        await scope.waitUntilClosed()
        #expect(journal.all == ["ended"])
    }

    @Test(arguments: Kind.allCases.filter(\.endsWithObject))
    func `a sequence of an object delivers the last value and ends when the object is gone`(kind: Kind) async throws {
        var sources = try await Sources()
        let reader = try sources.reader(kind)
        #expect(await reader.next() == 0)
        try await sources.set(7)
        sources.subject = nil
        sources.thing = nil
        #expect(await reader.all() == [7])
        #expect(await reader.next() == nil)
    }

    @Test func `the changes of an object without a published property end when it is gone, also after a pause`() async {
        var objects = [Manual(), Manual()]
        let changes = objects.map(\.objectWillChange.values)
        let first = Task.immediate { await changes[0].reduce(0) { count, _ in count + 1 } }
        objects[0].set(1)
        objects.removeFirst()
        #expect(await first.value >= 1)
        // The first object's end has ended the watch.
        let second = Task.immediate { await changes[1].reduce(0) { count, _ in count + 1 } }
        objects = []
        #expect(await second.value >= 1)
    }

    @Test func `a sequence of a saved state ends when its store is closed`() async throws {
        let sources = try await Sources()
        let reader = try sources.reader(.savedState)
        let task = Task.immediate { await reader.all() }
        sources.store.close()
        #expect(await task.value == [0])
        #expect(await reader.next() == nil)
        #expect(await (try sources.reader(.savedState)).next() == nil)
    }
}

/// Reads the elements of a sequence that does not throw. Only one task uses it at a time.
private final class CountReader: @unchecked Sendable {
    private var iterator: any AsyncIteratorProtocol<Int, Never>

    init(_ sequence: some AsyncSequence<Int, Never>) { iterator = sequence.makeAsyncIterator() }

    func next() async -> Int? { await iterator.next(isolation: nil) }

    func all() async -> [Int] {
        var all: [Int] = []
        while let next = await next() { all.append(next) }
        return all
    }
}
