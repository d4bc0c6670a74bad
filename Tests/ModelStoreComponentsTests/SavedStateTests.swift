import ModelStore
import ModelStoreComponents
import ModelStoreReplay
import ModelStoreTesting
import StoreEngine
import StoreRuntime
import Foundation
import Testing

@Record
private struct Counter {
    @ID var name: String
    var count: Int = 0
    var title: String = ""
}

private enum CounterAction: StateAction {
    case add(Int)
    case name(String)
    case count(Int)

    func reduce(_ state: inout Counter) {
        switch self {
        case .add(let amount): state.count += amount
        case .name(let title): state.title = title
        case .count(let count): state.count = count
        }
    }
}

/// Two types with the same name, and a third that sets a different name.
private enum Adding {
    struct Action: StateAction {
        func reduce(_ state: inout Counter) { state.count += 1 }
    }
}

private enum Naming {
    struct Action: StateAction {
        func reduce(_ state: inout Counter) { state.title += "." }
    }
}

private enum Doubling {
    struct Action: StateAction {
        static let actionName = "Doubling.Action"

        func reduce(_ state: inout Counter) { state.count *= 2 }
    }
}

@Suite("App state in a store", .leakFree) struct SavedStateTests {
    @Test func `It is there again for whoever opens the store next, and the first state counts once`() async throws {
        let path = NSTemporaryDirectory() + "/saved-state-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = try Store(at: path, records: Counter.self)
        try await SavedStateStore<CounterAction>(first, initially: Counter(name: "a", count: 5)).send(.add(2))
        first.close()
        let second = try Store(at: path, records: Counter.self)
        let counter = try await SavedStateStore<CounterAction>(second, initially: Counter(name: "a"))
        #expect(counter.count == 7)
        second.close()
    }

    @Test func `Elements are told on their own, and bindings send actions`() async throws {
        let store = try Store.temporary(records: Counter.self)
        let counter = try await SavedStateStore<CounterAction>(store, initially: Counter(name: "a"))
        var titles = counter.values(of: \.title).makeAsyncIterator()
        #expect(await titles.next() == "")
        try await counter.send(.add(1))
        let title = counter.binding(\.title) { .name($0) }
        title.wrappedValue = "visits"
        // The sequence did not deliver the change of another element.
        #expect(await titles.next() == "visits")
        #expect(title.wrappedValue == "visits" && counter.count == 1)
    }

    @Test func `A state that was taken away and put back is shown as it is`() async throws {
        let store = try Store.temporary(records: Counter.self)
        let counter = try await SavedStateStore<CounterAction>(store, initially: Counter(name: "a", count: 5))
        let shown = Subject(0)
        let effect = store.observe { shown.send(counter.count) }
        for await count in shown.values where count == 5 { break }
        try await store.write { try $0.delete(Counter.self, id: "a") }
        #expect(counter.count == 5 && counter.model.isDeleted)
        await #expect(throws: StoreError.self) { try await counter.send(.add(1)) }
        try await store.write { try $0.insert(Counter(name: "a", count: 40)) }
        try await counter.send(.add(2))
        #expect(counter.count == 42 && !counter.model.isDeleted)
        for await count in shown.values where count == 42 { break }
        let count = counter.binding(\.count) { .count($0) }
        #expect(count.wrappedValue == 42)
        effect.cancel()
        try await effect.waitUntilEnded()
    }

    @Test func `Changes through a binding are made one after the other, to the field as it is then`() async throws {
        let store = try Store.temporary(records: Counter.self)
        let counter = try await SavedStateStore<CounterAction>(store, initially: Counter(name: "a"))
        let count = counter.binding(\.count) { .count($0) }
        let title = counter.binding(\.title) { .name($0) }
        for _ in 0..<100 {
            count.update { $0 += 1 }
            title.update { $0 += "." }
        }
        try await counter.send(.add(1))
        #expect(counter.count == 101 && counter.title == String(repeating: ".", count: 100))
    }

    @Test func `A binding's action that is not done is told`() async throws {
        let notices = Notices()
        var options = StoreOptions()
        options.ownership.onNotice = { notices.add($0) }
        let store = try Store.temporary(records: Counter.self, options: options)
        let counter = try await SavedStateStore<CounterAction>(store, initially: Counter(name: "a"))
        try await counter.model.delete()
        let count = counter.binding(\.count) { .count($0) }
        for _ in 0..<3 { count.wrappedValue = 1 }
        let told = await notices.first(.writeFailed)
        #expect(told?.line?.file.hasSuffix("SavedStateTests.swift") == true)
        #expect((told?.error as? StoreError)?.code == .recordNotFound)
        let journal = Journal()
        let careful = counter.binding(\.count) {
            .count($0)
        } onError: { _ in
            journal.add("failed")
        }
        for _ in 0..<3 { careful.wrappedValue = 1 }
        await journal.until { $0.count == 3 }
        #expect(notices.all.count == 1)
    }

    @Test func `Its actions are recorded and replayed`() async throws {
        let store = try Store.temporary(records: Counter.self)
        let path = NSTemporaryDirectory() + "/saved-state-\(UUID().uuidString).trace"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let counter = try await SavedStateStore<CounterAction>(store, initially: Counter(name: "a"))
        for number in 1...5 { try await counter.send(.add(number)) }
        var recording = RecordingOptions()
        recording.start = .oldest
        try store.record(to: path, options: recording)
        let options = ReplayOptions(
            actions: ActionCatalog(ReduceState<CounterAction>.self), records: Counter.self)
        #expect(try await Replayer.replay(path, options: options).actionCount == 5)
    }

    @Test func `Types of one name are told apart by names of their own, and never taken for each other`() throws {
        typealias Add = ReduceState<Adding.Action>
        typealias Name = ReduceState<Naming.Action>
        typealias Double = ReduceState<Doubling.Action>
        func action(_ name: String, _ catalog: ActionCatalog) throws -> (any Action)? {
            let payload = Array(#"{"action":{},"id":"a"}"#.utf8)
            return try catalog.action(RecordedAction(name: name, payload: payload, result: nil, seed: 1))
        }
        let catalog = ActionCatalog(Add.self, Name.self, Double.self, Double.self)
        let error = #expect(throws: StoreError.self) { try action("Action", catalog) }
        #expect(error?.code == .unknownAction)
        #expect(error?.message.contains("Adding.Action") == true && error?.message.contains("Naming.Action") == true)
        #expect(try action("Doubling.Action", catalog) is Double)
        #expect(try action("Action", catalog.renamed("Action", to: Name.self)) is Name)
        #expect(try action("Action", ActionCatalog(Add.self, Add.self)) is Add)
    }
}
