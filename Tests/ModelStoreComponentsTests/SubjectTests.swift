import ModelStore
import ModelStoreComponents
import Observation
import Synchronization
import TestSupport
import Testing

private struct Range: Sendable, Equatable {
    var low = 0
    var high = 10
}

@Component
private struct Receiving {
    let journal: Journal
    let values: SubjectValues<Int>
    let receives: Subject<Bool>

    func update(_ context: inout ComponentContext) {
        guard receives.value else { return }
        context.onReceive(values) { [journal] in journal.add("receives \($0)") }
    }
}

/// Receives values with a closure that captures the component's newest label.
@Component
private struct Labelling {
    let journal: Journal
    let values: SubjectValues<Int>
    let label: Subject<String>

    func update(_ context: inout ComponentContext) {
        let label = label.value
        context.onReceive(values) { [journal] in journal.add("\(label) \($0)") }
    }
}

/// Subjects, published properties, and their subscribers.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SubjectTests {
    private let journal = Journal()

    @Test func `a binding to a part changes that part, and tells who reads the value`() {
        let range = Subject(Range())
        let low = range.binding(for: \.low)
        let told = Mutex<[Range]>([])
        withObservationTracking {
            _ = range.value
        } onChange: {
            told.withLock { $0.append(range.value) }
        }
        low.wrappedValue = 3
        #expect(low.wrappedValue == 3 && range.value == Range(low: 3))
        #expect(told.withLock { $0 } == [Range(low: 3)])
        range.send(Range(low: 5, high: 6))
        #expect(low.wrappedValue == 5)
        low.update { $0 += 1 }
        #expect(range.value == Range(low: 6, high: 6))
    }

    @Test func `what is received is handed to the newest update's closure`() async throws {
        let (count, label) = (Subject(0), Subject("first"))
        try await OwnershipRegistry().withScope("app") { [journal] scope in
            let host = try await scope.host { Labelling(journal: journal, values: count.values, label: label) }
            await journal.until { $0.contains("first 0") }
            label.send("second")
            try await host.settle()
            count.send(1)
            await journal.until { $0.contains("second 1") }
            #expect(journal.all == ["first 0", "second 1"])
        }
    }

    @Test func `a reader that a published property wakes sees the new value`() async {
        let thing = Thing(journal, Numbers())
        let seen = Mutex<[Int]>([])
        withObservationTracking {
            _ = thing.count
        } onChange: {
            seen.withLock { $0.append(thing.count) }
        }
        thing.count = 1
        #expect(seen.withLock { $0 } == [1])
        var values = thing.$count.makeAsyncIterator()
        for number in 2...100 {
            thing.count = number
            #expect(await values.next() == number && thing.count == number)
        }
    }

    @Test func `who is slow gets an equal value again, and without duplicates does not`() async {
        let thing = Thing(journal, Numbers())
        let values = thing.$count
        @Sendable func read(_ name: String, _ values: SubjectValues<Int>) -> Task<[Int], Never> {
            Task { [journal] in
                var seen: [Int] = []
                for await value in values {
                    seen.append(value)
                    journal.add("\(name) \(value)")
                    if value == 2 { break }
                    await journal.until { $0.contains("go on") }
                }
                return seen
            }
        }
        let plain = read("plain", values)
        let filtered = read("filtered", values.removeDuplicates())
        await journal.until { $0.contains("plain 0") && $0.contains("filtered 0") }
        thing.count = 1
        thing.count = 0
        journal.add("go on")
        await journal.until { lines in lines.count { $0 == "plain 0" } == 2 }
        thing.count = 2
        #expect(await plain.value == [0, 0, 2])
        #expect(await filtered.value == [0, 2])
    }

    @Test func `a scope receives the elements of a sequence until it closes`() async throws {
        let count = Subject(0)
        let registry = OwnershipRegistry()
        try await registry.withScope("app") { scope in
            try scope.onReceive(count.values) { [journal] in journal.add("receives \($0)") }
            for number in 0..<3 {
                count.send(number)
                await journal.until { $0.last == "receives \(number)" }
            }
        }
        count.send(9)
        #expect(journal.all == ["receives 0", "receives 1", "receives 2"])
        #expect(registry.report().isEmpty)
    }

    @Test func `a component receives the elements of a sequence for as long as it asks for them`() async throws {
        let (count, receives) = (Subject(0), Subject(true))
        try await Scene.run { scene in
            let journal = scene.journal
            let scope = try scene.scope.child("part")
            let host = try await scope.host {
                Receiving(journal: journal, values: count.values, receives: receives)
            }
            for number in 0..<3 {
                count.send(number)
                await journal.until { $0.last == "receives \(number)" }
            }
            receives.send(false)
            try await host.settle()
            scope.close()
            await scope.waitUntilClosed()
            count.send(9)
            #expect(journal.all == ["receives 0", "receives 1", "receives 2"])
        }
    }

    @Test func `a change that is made while another one runs is not lost`() {
        let count = Subject(0)
        var runs = 0
        count.update { value in
            if runs == 0 { count.update { $0 += 10 } }
            runs += 1
            value += 1
        }
        #expect(count.value == 11 && runs == 2)
    }
}
