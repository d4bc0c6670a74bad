import LMDB
import Observation
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Models that are created, read and ended while steps are in progress.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct StepModelTests {
    @Test func `a model of a record that came and went within a step is deleted`() async throws {
        let held = try HeldStore()
        held.hold()
        try held.put(1)
        let model = try held.store.model(Sensor.self, id: "s1")
        try held.delete()
        await held.show()
        #expect(model.isDeleted && model.celsius == 1)
        #expect(try held.store.modelIfPresent(Sensor.self, id: "s1") == nil)
    }

    @Test func `a model that was read in the middle of a step is as the step ends`() async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        held.hold()
        try held.put(2)
        let model = try held.store.model(Sensor.self, id: "s1")
        #expect(model.celsius == 2)
        // The net change is empty.
        try held.put(1)
        await held.show()
        #expect(model.celsius == 1)
    }

    @Test(arguments: [false, true])
    func `a model of a record that was put again stays its model`(isWrittenAfter: Bool) async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        let first = try held.store.model(Sensor.self, id: "s1")
        held.hold()
        try held.delete()
        try held.put(2)
        // The store returns the model of the deleted record until the deletion is published, because this test still references
        // it.
        #expect(try held.store.model(Sensor.self, id: "s1") === first)
        await held.show()
        #expect(first.isDeleted && first.celsius == 1)
        let second = try held.store.model(Sensor.self, id: "s1")
        #expect(second !== first && !second.isDeleted && second.celsius == 2)
        held.hold()
        if isWrittenAfter { try held.put(3) }
        await held.show()
        #expect(!second.isDeleted && second.celsius == (isWrittenAfter ? 3 : 2))
        #expect(try held.store.model(Sensor.self, id: "s1") === second)
    }

    @Test(arguments: [false, true])
    func `a model that was read after its record was put again goes on`(isWrittenAfter: Bool) async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        held.hold()
        try held.delete()
        try held.put(2)
        let model = try held.store.model(Sensor.self, id: "s1")
        if isWrittenAfter { try held.put(3) }
        await held.show()
        #expect(!model.isDeleted && model.celsius == (isWrittenAfter ? 3 : 2))
        #expect(try held.store.model(Sensor.self, id: "s1") === model)
        held.hold()
        try held.put(4)
        await held.show()
        #expect(model.celsius == 4)
    }

    @Test func `a model does not go over to a later record of its id where all is read again`() async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        let model = try held.store.model(Sensor.self, id: "s1")
        held.hold()
        try held.delete()
        try held.put(2)
        // A new schema makes the dispatcher reread everything.
        try Store(at: held.folder.path, records: Sensor.self, Slot.self).close()
        await held.show()
        #expect(model.isDeleted && model.celsius == 1)
        #expect(try held.store.model(Sensor.self, id: "s1").celsius == 2)
    }

    @Test func `views that overlap each read their own position`() throws {
        let held = try HeldStore()
        func value(_ storage: ReadViewStorage, _ model: Model<Sensor>) -> Double {
            held.store.core.enter(storage) { model.celsius }
        }
        try held.put(5)
        let first = try held.store.core.dispatcher.openView()
        try held.put(6)
        let second = try held.store.core.dispatcher.openView()
        try held.put(8)
        let model = try held.store.core.view { _ in try held.store.model(Sensor.self, id: "s1") }
        #expect(value(first, model) == 5)
        #expect(value(second, model) == 6)
    }

    @Test func `the end of one view leaves the version that another view reads`() async throws {
        let held = try HeldStore()
        let (store, dispatcher) = (held.store, held.store.core.dispatcher)
        try held.put(5)
        await held.show()
        let model = try store.model(Sensor.self, id: "s1")
        let first = try dispatcher.openView()
        try held.put(6)
        await held.show()
        let sequence = model.position.sequence
        // The second view is at a position at which the model does not change.
        try store.commitUnshown { tx in try tx.insert(Sensor(id: "s2", room: "hall", serial: "A-2")) }
        await held.show()
        let second = try dispatcher.openView()
        try held.put(8)
        await held.show()
        #expect(store.core.enter(first) { model.celsius } == 5)
        // This step drops the versions that only the first view could read.
        try held.put(9)
        await held.show()
        let (celsius, position) = store.core.enter(second) { (model.celsius, model.position) }
        #expect(celsius == 6 && position.sequence == sequence && second.sequence == sequence + 1)
    }

    @Test func `what begins to observe after the end is ended`() async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        let model = try held.store.model(Sensor.self, id: "s1")
        let core = held.store.core
        // The same happens when a task starts to observe while the store closes.
        core.dispatcher.stop()
        let dependent = LiveDependent()
        core.dispatcher.add(dependent)
        let signal = Signal()
        dependent.subscribe(signal)
        #expect(await signal.wait() == .ended)
        var celsius = model.values(of: \.celsius).makeAsyncIterator()
        #expect(await celsius.next() == nil)
        try held.store.commitUnshown { tx in try tx.insert(Sensor(id: "s2", room: "hall", serial: "A-2", celsius: 2)) }
        var late = try held.store.model(Sensor.self, id: "s2").values(of: \.celsius).makeAsyncIterator()
        #expect(await late.next() == nil)
        #expect(storeError { _ = try held.store.liveQuery(FetchRequest<Sensor>()) }?.code == .closed)
    }

    @Test func `an observer may read while it is told that its record cannot be read`() async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        let model = try held.store.model(Sensor.self, id: "s1")
        let told = Told(held.store)
        model.observe(told)
        // Changes the record so that its floor has no valid case.
        try held.tamper { raw in
            try raw.change(SampleStore.sensors, RecordKey.of(Sensor.self, id: "s1", .publicSeeds)) { record in
                record[record.count - 1] ^= 0xFF
            }
        }
        // Opening with another type makes the dispatcher reread everything.
        try Store(at: held.folder.path, records: Sensor.self, Slot.self).close()
        await held.show()
        #expect(await told.events.first { _ in true } == .change)
        #expect(model.readFailure != nil && !model.isDeleted && model.celsius == 1)
    }

    @Test func `an observer may read while it is told of a deletion`() async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        let model = try held.store.model(Sensor.self, id: "s1")
        let told = Told(held.store)
        model.observe(told)
        try held.delete()
        await held.show()
        #expect(await told.events.first { $0 == .end } == .end)
        #expect(model.isDeleted)
    }

    /// An observer that reports a call only after it has read the store.
    private final class Told: ModelObserver {
        enum Event { case change, end }

        private let store: Store
        private let continuation: AsyncStream<Event>.Continuation
        let events: AsyncStream<Event>

        init(_ store: Store) {
            self.store = store
            (events, continuation) = AsyncStream<Event>.makeStream()
        }

        func willPublish() { report(.change) }

        func ended() { report(.end) }

        private func report(_ event: Event) {
            if (try? store.view { $0.position.sequence }) != nil { continuation.yield(event) }
        }
    }

    @Test func `steps go on behind a change set that cannot be read`() async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        let model = try held.store.model(Sensor.self, id: "s1")
        held.hold()
        try held.put(2)
        let damaged = try held.store.core.access.look().sequence
        try held.put(3)
        try held.tamper { raw in
            try raw.change(SampleStore.feed, KeyBytes.fragment(damaged)) { $0[$0.count - 1] ^= 0xFF }
        }
        await held.show()
        #expect(model.celsius == 3)
    }

    @Test(arguments: [StoreError.Code.schemaMismatch, .damaged])
    func `a schema that cannot be read ends all that observes with the reason`(code: StoreError.Code) async throws {
        let held = try HeldStore()
        try held.put(1)
        await held.show()
        let (store, all) = (held.store, FetchRequest<Sensor>())
        var celsius = try store.model(Sensor.self, id: "s1").values(of: \.celsius).makeAsyncIterator()
        var updates = store.updates(of: all).makeAsyncIterator()
        var counts = store.values(of: all) { view, all in try view.count(all) }.makeAsyncIterator()
        let query = try store.liveQuery(all)
        let (runs, continuation) = AsyncStream<Int>.makeStream()
        let effect = store.observe { continuation.yield(try query.results.count) }
        #expect(await celsius.next() == 1)
        #expect(try await updates.next()?.results.count == 1)
        #expect(try await counts.next()?.value == 1)
        #expect(await runs.first { _ in true } == 1)
        try held.tamper { raw in
            try raw.changeCatalog(1) { type in
                type.fields.removeAll { $0.name == "room" }
                // Leaves indexes that name fields that do not exist.
                if code == .schemaMismatch { type.indexes = [] }
            }
            try raw.change(SampleStore.metadata, MetadataKey.catalogVersion) { $0[0] += 1 }
        }
        store.core.dispatcher.ask()
        #expect(await celsius.next() == nil)
        #expect(await storeError { while try await updates.next() != nil {} }?.code == code)
        #expect(await storeError { while try await counts.next() != nil {} }?.code == code)
        #expect(await storeError { try await effect.waitUntilEnded() }?.code == code)
        #expect(storeError { _ = try query.results }?.code == code)
        // The store ends observers before it reports the error. The dispatcher's thread ends before `close` returns, so the
        // report has arrived.
        store.close()
        #expect(held.failures.errors.withLock { $0.map(\.code) } == [code])
    }

    @Test func `each commit visits the effects and values that it concerns, and no others`() async throws {
        let held = try HeldStore()
        let dispatcher = held.store.core.dispatcher
        for _ in 0..<100 { dispatcher.add(LiveDependent()) }
        let dependent = LiveDependent { catalog throws(StoreError) in
            try catalog.reads(of: FetchRequest<Sensor>())
        }
        try dispatcher.follow(dependent)
        let before = dispatcher.dependentVisitCount
        try held.put(1)
        await held.show()
        #expect(dispatcher.dependentVisitCount - before == 1)
    }

    @Test func `a live query that is first asked for in a view shows the view's position`() throws {
        let held = try HeldStore()
        try held.put(1)
        let (store, request) = (held.store, FetchRequest<Sensor>())
        try store.view { view in
            try held.put(2)
            let query = try store.liveQuery(request)
            #expect(try query.results.map(\.celsius) == view.fetch(request).map(\.celsius))
            #expect(try query.results.map(\.celsius) == [1])
        }
    }
}
