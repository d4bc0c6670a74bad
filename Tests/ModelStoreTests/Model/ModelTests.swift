import Dispatch
import Foundation
import ModelStore
import Observation
import Synchronization
import TestSupport
import Testing

/// Live models of records: identity, reading, subscriptions and deletion.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ModelTests {
    static func sensor(_ number: Int, celsius: Double = 20, room: String = "hall") -> Sensor {
        Sensor(id: "s\(number)", room: room, serial: "A-\(number)", celsius: celsius)
    }

    static func store(sensors: Int = 1) throws -> Store {
        let store = try Store.temporary(records: Sensor.self, Account.self, options: ChangeFeedTests.small())
        try write(store) { tx in
            for number in 0..<sensors { try tx.insert(sensor(number)) }
        }
        return store
    }

    /// A blocking write, which cannot be called directly in an async context.
    static func write<T: Sendable>(
        _ store: Store, _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) throws -> T {
        try store.write(body)
    }

    @Test func `a model shows the fields of its record`() throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        #expect(model.id == "s0")
        #expect(model.celsius == 20 && model.room == "hall" && model.note == nil)
        #expect(model.record == Self.sensor(0))
        #expect(!model.isDeleted)
        #expect(try store.modelIfPresent(Sensor.self, id: "none") == nil)
        #expect { try store.model(Sensor.self, id: "none") } throws: { error in
            (error as? StoreError)?.code == .recordNotFound
        }
    }

    @Test func `a write has reached the models when it returns`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        for step in 1...200 {
            let written = try await store.write(returning: .position) {
                try $0.update(Sensor.self, id: "s0") { $0.celsius = Double(step) }
            }
            #expect(model.celsius == Double(step))
            #expect(model.position == written.position)
        }
        try Self.write(store) { _ = try $0.update(Sensor.self, id: "s0") { $0.celsius = -1 } }
        #expect(model.celsius == -1)
    }

    @Test func `asking twice, also from many tasks at once, gives the same model`() async throws {
        let store = try Self.store(sensors: 10)
        for number in 0..<10 {
            let models = try await withThrowingTaskGroup(of: Model<Sensor>.self) { group in
                for _ in 0..<16 { group.addTask { try store.model(Sensor.self, id: "s\(number)") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(models.allSatisfy { $0 === models[0] })
        }
    }

    @Test func `a model that nobody holds is let go, and a new one has the newest values`() async throws {
        let store = try Self.store()
        weak var old: Model<Sensor>?
        do {
            let model = try store.model(Sensor.self, id: "s0")
            old = model
            #expect(model.celsius == 20)
        }
        #expect(old == nil)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 30 } }
        #expect(try store.model(Sensor.self, id: "s0").celsius == 30)
    }

    @Test func `a deleted record's model keeps its last values, and the next record of the id has its own`()
        async throws
    {
        let store = try Self.store()
        let old = try store.model(Sensor.self, id: "s0")
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        #expect(old.isDeleted && old.celsius == 20)
        #expect(try store.modelIfPresent(Sensor.self, id: "s0") == nil)
        try await store.write { try $0.insert(Self.sensor(0, celsius: 5)) }
        let new = try store.model(Sensor.self, id: "s0")
        #expect(new !== old && new.celsius == 5 && old.celsius == 20 && old.isDeleted)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 6 } }
        #expect(new.celsius == 6 && old.celsius == 20)
        // A delete and an insert within one write keep the record's incarnation.
        try await store.write { tx in
            try tx.delete(Sensor.self, id: "s0")
            try tx.insert(Self.sensor(0, celsius: 7))
        }
        #expect(new.celsius == 7 && !new.isDeleted)
    }

    @Test func `values come first as they are, then once for each other value`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        var values = model.values(of: \.celsius).makeAsyncIterator()
        #expect(await values.next() == 20)
        for celsius in [21.0, 21, 22, 22, 23] {
            try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = celsius } }
            try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "\(celsius)" } }
        }
        // The values in between were merged.
        #expect(await values.next() == 23)
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        #expect(await values.next() == nil)
    }

    @Test func `a record that changes and changes back gives no change`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        let end = try store.position.sequence + 2
        let reading = Task {
            var changes = model.changes.makeAsyncIterator()
            #expect(await changes.next()?.kind == .current)
            for celsius in [21.0, 20] { try await model.update { $0.celsius = celsius } }
            return await changes.next()
        }
        while try store.position.sequence < end { try await nextTurn() }
        for _ in 0..<1_000 { await Task.yield() }
        reading.cancel()
        #expect(try await reading.value?.kind == nil)
    }

    @Test func `several fields come together, each element from one position`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        let reader = Task {
            var count = 0
            for await (celsius, note) in model.values(of: \.celsius, \.note) {
                #expect(note == nil || note == "\(celsius)")
                count += 1
                if celsius == 300 { break }
            }
            return count
        }
        for step in 1...300 {
            try await store.write { tx in
                try tx.update(Sensor.self, id: "s0") {
                    $0.celsius = Double(step)
                    $0.note = "\(Double(step))"
                }
            }
        }
        #expect(await reader.value > 1)
    }

    @Test func `changes tell what was, what is, which fields, and the end`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        var changes = model.changes.makeAsyncIterator()
        let first = try #require(await changes.next())
        #expect(first.kind == .current && first.old == nil && first.new == Self.sensor(0))
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 21 } }
        let second = try #require(await changes.next())
        #expect(second.kind == .updated && second.changedFields.names == ["celsius"])
        #expect(second.old?.celsius == 20 && second.new?.celsius == 21)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "x" } }
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 22 } }
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        let last = try #require(await changes.next())
        #expect(last.kind == .deleted && last.new == nil)
        #expect(await changes.next() == nil)
    }

    @Test func `Observation tracks field by field`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        let count = Atomic(0)
        withObservationTracking {
            _ = model.celsius
        } onChange: {
            count.wrappingAdd(1, ordering: .relaxed)
        }
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "other" } }
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 20 } }
        #expect(count.load(ordering: .relaxed) == 0)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 21 } }
        #expect(count.load(ordering: .relaxed) == 1)
    }

    @Test func `willSet still shows the old value and nothing of the step is shown before all of it`() async throws {
        let store = try Self.store(sensors: 3)
        let models = try (0..<3).map { try store.model(Sensor.self, id: "s\($0)") }
        let seen = Mutex<[Double]>([])
        for model in models {
            withObservationTracking {
                _ = model.celsius
            } onChange: {
                let values = models.map(\.celsius)
                seen.withLock { $0 += values }
            }
        }
        try await store.write { tx in
            for number in 0..<3 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = 50 } }
        }
        #expect(seen.withLock { $0 } == Array(repeating: 20, count: 9))
        #expect(models.map(\.celsius) == [50, 50, 50])
    }

    @Test func `leaving the loop or cancelling the task ends a subscription, which until then keeps the model`()
        async throws
    {
        let store = try Self.store()
        weak var model: Model<Sensor>?
        let task: Task<Int, any Error>
        do {
            let strong = try store.model(Sensor.self, id: "s0")
            model = strong
            let values = strong.values(of: \.celsius)
            task = Task {
                var count = 0
                for await _ in values { count += 1 }
                return count
            }
        }
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 21 } }
        #expect(model?.celsius == 21)
        task.cancel()
        _ = try await task.value
        // The task releases its closure a moment after it ends. If it never does, the suite's time limit ends the wait.
        while model != nil { try await nextTurn() }
    }

    @Test func `a closed store ends its sequences, and models keep their last values`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        var values = model.values(of: \.celsius).makeAsyncIterator()
        #expect(await values.next() == 20)
        let rest = Task { [values] in
            var values = values
            return await values.next()
        }
        store.close()
        #expect(await rest.value == nil)
        #expect(model.celsius == 20)
        await #expect(throws: StoreError.self) { try await model.update { $0.celsius = 1 } }
    }

    @Test func `a view shows models and fetches at its position, whatever is committed meanwhile`() async throws {
        let store = try Self.store(sensors: 2)
        let first = try store.model(Sensor.self, id: "s0")
        let before = try store.view { view in
            #expect(first.celsius == 20)
            try Self.elsewhere {
                try Self.write(store) { tx in
                    for number in 0..<2 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = 99 } }
                    try tx.insert(Self.sensor(7))
                }
            }
            #expect(first.celsius == 20)
            // The same holds for a model created now.
            #expect(try store.model(Sensor.self, id: "s1").celsius == 20)
            #expect(try store.modelIfPresent(Sensor.self, id: "s7") == nil)
            #expect(try view.fetch(Sensor.where { $0.celsius == 20 }).count == 2)
            return view.position
        }
        #expect(first.celsius == 99)
        #expect(first.position.sequence == before.sequence + 1)
        #expect(try store.model(Sensor.self, id: "s1").celsius == 99)
        #expect(try store.model(Sensor.self, id: "s7").celsius == 20)
    }

    private final class Outcome: Sendable {
        let result = Mutex<Result<Void, any Error>?>(nil)
    }

    /// Runs `body` on another thread and waits for it.
    static func elsewhere(_ body: @escaping @Sendable () throws -> Void) throws {
        let outcome = Outcome()
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let result = Result { try body() }
            outcome.result.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        try outcome.result.withLock { $0 }?.get()
    }

    @Test func `what is kept for a view goes when the view ends`() async throws {
        let store = try Self.store()
        weak var old: Model<Sensor>?
        do {
            let model = try store.model(Sensor.self, id: "s0")
            old = model
            try store.view { _ in
                try Self.elsewhere {
                    try Self.write(store) { _ = try $0.update(Sensor.self, id: "s0") { $0.celsius = 99 } }
                }
                #expect(model.celsius == 20)
            }
        }
        while old != nil { try await nextTurn() }
    }

    @Test func `a blocking write where Observation tells of a change is an error, no deadlock`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        let code = Mutex<StoreError.Code?>(nil)
        withObservationTracking {
            _ = model.celsius
        } onChange: {
            do {
                try Self.write(store) { _ = try $0.delete(Sensor.self, id: "s0") }
            } catch {
                code.withLock { $0 = (error as? StoreError)?.code }
            }
        }
        try await model.update { $0.celsius = 1 }
        #expect(code.withLock { $0 } == .nestedWrite)
    }

    @Test func `a record that cannot be decoded keeps its model, and concerns no other`() async throws {
        let store = try Store.temporary(records: Exam.self, options: ChangeFeedTests.small())
        try await store.write { tx in
            for id in 0..<2 { try tx.insert(Exam(id: id, grade: Grade(unchecked: 1))) }
        }
        let (fine, bad) = (try store.model(Exam.self, id: 0), try store.model(Exam.self, id: 1))
        var grades = bad.values(of: \.grade).makeAsyncIterator()
        #expect(await grades.next()?.rawValue == 1)
        var counts = store.counts(of: Exam.where { $0.id >= 0 }).makeAsyncIterator()
        #expect(try await counts.next()?.value == 2)
        try await store.write { tx in
            try tx.upsert(Exam(id: 0, grade: Grade(unchecked: 2)))
            try tx.upsert(Exam(id: 1, grade: Grade(unchecked: 1_000)))
            try tx.insert(Exam(id: 2, grade: Grade(unchecked: 3)))
        }
        #expect(fine.grade.rawValue == 2 && bad.grade.rawValue == 1)
        #expect(fine.readFailure == nil && bad.readFailure?.code == .valueDoesNotFit)
        // The count includes each record once, even if the step is retried.
        #expect(try await counts.next()?.value == 3)
        #expect(try store.model(Exam.self, id: 1) === bad)
        try await store.write { tx in
            try tx.upsert(Exam(id: 1, grade: Grade(unchecked: 4)))
            try tx.upsert(Exam(id: 2, grade: Grade(unchecked: 1_000)))
        }
        #expect(await grades.next()?.rawValue == 4)
        #expect(bad.readFailure == nil)
        // A record that has no model yet gets none.
        #expect { try store.model(Exam.self, id: 2) } throws: { ($0 as? StoreError)?.code == .valueDoesNotFit }
    }

    @Test func `models and fetches of one view agree while others write`() async throws {
        let store = try Self.store(sensors: 5)
        let models = try (0..<5).map { try store.model(Sensor.self, id: "s\($0)") }
        let isDone = Atomic(false)
        async let writer: Void = {
            for step in 1...400 {
                try await store.write { tx in
                    for number in 0..<5 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = Double(step) } }
                }
            }
            isDone.store(true, ordering: .releasing)
        }()
        var views = 0
        while !isDone.load(ordering: .acquiring) {
            try store.view { view in
                let shown = models.map(\.celsius)
                let stored = try view.fetch(Sensor.order { $0.id.ascending }).map(\.celsius)
                #expect(Set(shown).count == 1)
                #expect(shown == stored)
            }
            views += 1
            await Task.yield()
        }
        try await writer
        #expect(views > 0)
    }

    @Test func `a binding writes one field through a transaction, in order`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        let binding = model.binding(\.celsius)
        var values = model.values(of: \.celsius).makeAsyncIterator()
        #expect(await values.next() == 20)
        binding.wrappedValue = 25
        for _ in 0..<10 { binding.update { $0 += 1 } }
        var last: Double?
        while last != 35 { last = await values.next() }
        #expect(binding.wrappedValue == 35)
    }

    @Test func `an optimistic binding shows what it has set at once, and takes it back on an error`() async throws {
        let store = try Self.store(sensors: 2)
        let model = try store.model(Sensor.self, id: "s0")
        let (errors, continuation) = AsyncStream<any Error>.makeStream()
        let binding = model.binding(\.serial, isOptimistic: true) { continuation.yield($0) }
        // The test keeps the writer busy until the binding has shown the new value.
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let isShown = DispatchSemaphore(value: 0)
        let busy = Task {
            try await store.write { _ in
                begin.finish()
                isShown.wait()
            }
        }
        for await _ in begun {}
        // The serial is unique, and another sensor has this value.
        binding.wrappedValue = "A-1"
        #expect(binding.wrappedValue == "A-1" && model.serial == "A-0")
        isShown.signal()
        _ = try await busy.value
        for await error in errors {
            #expect((error as? StoreError)?.code == .uniqueViolation)
            break
        }
        #expect(binding.wrappedValue == "A-0")
        binding.wrappedValue = "B"
        #expect(binding.wrappedValue == "B")
        try await model.update { $0.note = "after" }
        #expect(model.serial == "B" && binding.wrappedValue == "B")
    }

    @Test func `a binding to a part changes that part in the transaction`() async throws {
        let store = try Store.temporary(records: Shop.self, options: ChangeFeedTests.small())
        try await store.write { try $0.insert(Shop(id: 1, place: Spot(street: "Elm", number: 1))) }
        let model = try store.model(Shop.self, id: 1)
        let number = model.binding(\.place).number
        var values = model.values(of: \.place).makeAsyncIterator()
        #expect(await values.next()?.number == 1)
        number.wrappedValue = 7
        number.update { $0 += 1 }
        var last: Spot?
        while last?.number != 8 { last = await values.next() }
        #expect(last?.street == "Elm" && number.wrappedValue == 8)
        #expect(Binding.constant(3).wrappedValue == 3)
    }

    @Test func `a binding to a constant tells that it cannot be set`() async throws {
        let store = try Store.temporary(records: Shop.self, options: ChangeFeedTests.small())
        try await store.write { try $0.insert(Shop(id: 1, place: Spot(street: "Elm", number: 1))) }
        let model = try store.model(Shop.self, id: 1)
        let (errors, told) = AsyncStream<any Error>.makeStream()
        model.binding(\.opened) { told.yield($0) }.wrappedValue = 5
        for await error in errors {
            #expect((error as? StoreError)?.code == .invalidValue)
            break
        }
        #expect(model.opened == 2)
    }

    @Test func `update changes the record as it is in the transaction`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await model.update { $0.celsius += 1 } } }
            try await group.waitForAll()
        }
        #expect(model.celsius == 70)
        try await model.delete()
        #expect(model.isDeleted)
        await #expect(throws: StoreError.self) { try await model.update { $0.celsius = 0 } }
    }

    @Test func `a value that was there and back is not delivered again`() async throws {
        let store = try Self.store()
        let model = try store.model(Sensor.self, id: "s0")
        let reader = Task {
            var last: Double?
            for await celsius in model.values(of: \.celsius) {
                #expect(celsius != last)
                last = celsius
                if celsius == 1_000 { break }
            }
        }
        for _ in 0..<200 {
            for celsius in [30.0, 20] {
                try Self.write(store) { tx in _ = try tx.update(Sensor.self, id: "s0") { $0.celsius = celsius } }
            }
        }
        try Self.write(store) { tx in _ = try tx.update(Sensor.self, id: "s0") { $0.celsius = 1_000 } }
        await reader.value
    }

    @Test func `the end of a deleted record's model leaves the model of the next record`() async throws {
        let store = try Self.store()
        var old: Model<Sensor>? = try store.model(Sensor.self, id: "s0")
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        try await store.write { try $0.insert(Self.sensor(0, celsius: 5)) }
        let new = try store.model(Sensor.self, id: "s0")
        #expect(old?.isDeleted == true)
        old = nil
        #expect(try store.model(Sensor.self, id: "s0") === new)
    }
}

/// A grade, of which programs of this version accept values up to 100.
struct Grade: RawRepresentable, FieldValue, Equatable {
    let rawValue: Int

    init?(rawValue: Int) {
        guard rawValue <= 100 else { return nil }
        self.rawValue = rawValue
    }

    init(unchecked rawValue: Int) { self.rawValue = rawValue }
}

@Record
struct Exam {
    @ID var id: Int
    var grade: Grade
}

@Embedded
struct Spot {
    var street: String
    var number: Int
}

@Record
struct Shop {
    @ID var id: Int
    var place: Spot
    let opened: Int

    init(id: Int, place: Spot, opened: Int = 2) {
        self.id = id
        self.place = place
        self.opened = opened
    }
}
