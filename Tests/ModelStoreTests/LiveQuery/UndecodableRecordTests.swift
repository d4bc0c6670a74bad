import ModelStore
import Observation
import StoreEngine
import StoreRuntime
import Synchronization
import TestSupport
import Testing

/// A record with a field whose stored type, any integer, has more values than its Swift type.
@Record private struct Probe {
    @ID var id: String
    var celsius: Double = 20
    var mode: Mode = Mode.off
}

/// A record that refers to one with such a field.
@Record private struct ProbeVisit {
    @ID var id: Int
    var probe: Reference<Probe>
}

/// Requests, live queries and models of records in which another program has stored values that their Swift type lacks.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct UndecodableRecordTests {
    private static let all = FetchRequest(Probe.self).order { $0.id.ascending }

    private static func store() async throws -> Store {
        let store = try Store.temporary(records: Probe.self, Sensor.self, ProbeVisit.self)
        try await store.write { tx in for number in 0..<3 { try tx.insert(Probe(id: "p\(number)")) } }
        return store
    }

    /// Writes a mode as a program without the Swift type does.
    private static func put(_ mode: Int64, in id: String, _ store: Store) async throws {
        try await store.write { try put(mode, in: id, &$0) }
    }

    private static func put(_ mode: Int64, in id: String, _ tx: inout WriteTransaction) throws {
        let index = try tx._reading.catalog.requireTypeIndex(named: "Probe")
        guard var record = try tx._reading.dynamicRecord(id: [.string(id)], typeIndex: index) else { return }
        record.values[2] = .int(mode)
        _ = try tx.put(record, typeIndex: index, mode: .update)
    }

    private static func heat(_ id: String, to celsius: Double, _ store: Store) async throws {
        try await store.write { try $0.update(Probe.self, id: id) { $0.celsius = celsius } }
    }

    private static func expectUnfit<T>(_ body: () async throws -> T) async {
        await #expect {
            _ = try await body()
        } throws: { error in
            (error as? StoreError)?.code == .valueDoesNotFit
        }
    }

    @Test func `one that is read through a reference does not fit, and is not damaged`() async throws {
        let store = try await Self.store()
        try await store.write { try $0.insert(ProbeVisit(id: 1, probe: Reference("p0"))) }
        try await Self.put(7, in: "p0", store)
        try store.read { tx in
            let lookups: [(borrowing LazyRow<ProbeVisit>) throws -> Void] = [
                { _ = try $0.value { $0.probe.mode } },
                { _ = try $0.following({ $0.probe }) { try $0.mode } },
            ]
            for lookup in lookups {
                let error = #expect(throws: StoreError.self) {
                    try tx.forEach(ProbeVisit.all.lazily()) { row in
                        try lookup(row)
                        return true
                    }
                }
                #expect(error?.code == .valueDoesNotFit)
            }
            let error = #expect(throws: StoreError.self) { try tx.fetch(ProbeVisit.all.fields { $0.probe.mode }) }
            #expect(error?.code == .valueDoesNotFit)
        }
    }

    @Test func `one whose change is not told fails the next update, and is no crash`() async throws {
        let store = try await Self.store()
        var updates = store.updates(of: Self.all, fields: \.celsius).makeAsyncIterator()
        _ = try await updates.next()
        try await Self.put(7, in: "p0", store)
        try await Self.heat("p1", to: 1, store)
        await Self.expectUnfit { try await updates.next() }
        try await Self.put(1, in: "p0", store)
        try await Self.heat("p1", to: 2, store)
        let update = try #require(try await updates.next())
        #expect(update.changes.isReset && update.results.map(\.celsius) == [20, 2, 20])
        #expect(update.results[0].mode == .on)
    }

    @Test func `one fails each update until it can be decoded, and then all rows come again`() async throws {
        let store = try await Self.store()
        var updates = store.updates(of: Self.all).makeAsyncIterator()
        _ = try await updates.next()
        try await Self.put(7, in: "p0", store)
        await Self.expectUnfit { try await updates.next() }
        try await Self.heat("p1", to: 1, store)
        await Self.expectUnfit { try await updates.next() }
        try await Self.put(1, in: "p0", store)
        let update = try #require(try await updates.next())
        #expect(update.changes.isReset && update.results.map(\.celsius) == [20, 1, 20])
        try await Self.heat("p2", to: 2, store)
        #expect(try await updates.next()?.changes.updates.map(\.new.id) == ["p2"])
    }

    @Test func `one that a subscriber who goes on has not seen fails his first update`() async throws {
        let store = try await Self.store()
        try await Self.put(7, in: "p0", store)
        let position = try store.position
        try await Self.heat("p1", to: 1, store)
        var updates = store.updates(of: Self.all, since: position).makeAsyncIterator()
        await Self.expectUnfit { try await updates.next() }
    }

    @Test func `one in a joined query fails all until it can be decoded, and then all rows come again`() async throws {
        let store = try await Self.store()
        let sensors = Sensor.order { $0.id.ascending }
        var updates = store.updates(of: Self.all, sensors).makeAsyncIterator()
        _ = try await updates.next()
        try await Self.put(7, in: "p0", store)
        await Self.expectUnfit { try await updates.next() }
        try await store.write { try $0.insert(ModelTests.sensor(1)) }
        await Self.expectUnfit { try await updates.next() }
        try await Self.put(1, in: "p0", store)
        let update = try #require(try await updates.next())
        #expect(update.changes.0.isReset && update.changes.1.isReset)
        let (probes, found) = update.results
        #expect(probes.map(\.mode) == [.on, .off, .off] && found.map(\.id) == ["s1"])
    }

    /// Returns the codes of an iterator's errors, up to and including the first `closed`, of at most ten calls.
    ///
    /// - Parameter next: calls the iterator.
    private static func codesUntilClosed(_ next: () async throws -> Void) async -> [StoreError.Code?] {
        var codes: [StoreError.Code?] = []
        while codes.count < 10, codes.last != .closed {
            do {
                try await next()
                codes.append(nil)
            } catch {
                codes.append((error as? StoreError)?.code)
            }
        }
        return codes
    }

    @Test(arguments: [false, true])
    func `one fails a sequence at most once more after the store has closed`(wasReceived: Bool) async throws {
        let store = try await Self.store()
        var updates = store.updates(of: Self.all).makeAsyncIterator()
        var fields = store.updates(of: Self.all, fields: \.celsius).makeAsyncIterator()
        var joined = store.updates(of: Self.all, Sensor.all).makeAsyncIterator()
        var values = store.values(of: Self.all) { view, request in try view.fetch(request).count }.makeAsyncIterator()
        _ = try await updates.next()
        _ = try await fields.next()
        _ = try await joined.next()
        _ = try await values.next()
        try await store.write { tx in
            try Self.put(7, in: "p0", &tx)
            try tx.update(Probe.self, id: "p1") { $0.celsius = 1 }
        }
        if wasReceived {
            await Self.expectUnfit { try await updates.next() }
            await Self.expectUnfit { try await fields.next() }
            await Self.expectUnfit { try await joined.next() }
            await Self.expectUnfit { try await values.next() }
        }
        store.close()
        let endings = [
            await Self.codesUntilClosed { _ = try await updates.next() },
            await Self.codesUntilClosed { _ = try await fields.next() },
            await Self.codesUntilClosed { _ = try await joined.next() },
            await Self.codesUntilClosed { _ = try await values.next() },
        ]
        for codes in endings {
            #expect(codes == [.closed] || codes == [.valueDoesNotFit, .closed], "\(endings)")
        }
        // The end stays.
        #expect(await Self.codesUntilClosed { _ = try await updates.next() } == [.closed])
        #expect(await Self.codesUntilClosed { _ = try await joined.next() } == [.closed])
    }

    /// All orders of three writes, of which the last two modes cannot be decoded.
    private static let orders: [[Int64]] = {
        let modes: [Int64] = [0, 1, 7, 8]
        return modes.flatMap { first in modes.flatMap { second in modes.map { [first, second, $0] } } }
    }()

    @Test func `a model keeps its last values while its record cannot be decoded, and then goes on`() async throws {
        let store = try await Self.store()
        for (number, order) in Self.orders.enumerated() {
            let id = "m\(number)"
            try await store.write { try $0.insert(Probe(id: id)) }
            let model = try store.model(Probe.self, id: id)
            var values = model.values(of: \.mode).makeAsyncIterator()
            var changes = model.changes.makeAsyncIterator()
            var shown = Mode.off
            #expect(await values.next() == shown)
            #expect(await changes.next()?.kind == .current)
            for mode in order {
                try await Self.put(mode, in: id, store)
                if let mode = Mode(rawValue: Int(mode)) {
                    #expect(model.readFailure == nil, "\(order)")
                    if mode != shown {
                        #expect(await values.next() == mode, "\(order)")
                        let change = try #require(await changes.next())
                        #expect(change.kind == .updated && change.changedFields.names == ["mode"], "\(order)")
                        #expect(change.old?.mode == shown && change.new?.mode == mode, "\(order)")
                    }
                    shown = mode
                } else {
                    #expect(model.readFailure?.code == .valueDoesNotFit, "\(order)")
                    await Self.expectUnfit { try await model.update { $0.celsius = 1 } }
                }
                #expect(model.mode == shown && !model.isDeleted, "\(order)")
                #expect(try store.model(Probe.self, id: id) === model, "\(order)")
                #expect(try store.view { _ in try store.model(Probe.self, id: id) } === model, "\(order)")
            }
            try await store.write { try $0.delete(Probe.self, id: id) }
            #expect(model.isDeleted && model.mode == shown, "\(order)")
            #expect(await values.next() == nil)
            #expect(await changes.next()?.kind == .deleted)
        }
    }

    @Test func `whether a model can read its record is observed`() async throws {
        let store = try await Self.store()
        let model = try store.model(Probe.self, id: "p0")
        for mode: Int64 in [7, 1] {
            let changes = Atomic(0)
            withObservationTracking {
                _ = model.readFailure
            } onChange: {
                changes.wrappingAdd(1, ordering: .relaxed)
            }
            try await Self.heat("p1", to: Double(mode), store)
            #expect(changes.load(ordering: .relaxed) == 0)
            try await Self.put(mode, in: "p0", store)
            #expect(changes.load(ordering: .relaxed) == 1)
        }
    }

    @Test func `a view shows whether the record of a model could be decoded at its position`() async throws {
        let store = try await Self.store()
        let model = try store.model(Probe.self, id: "p0")
        try await Self.put(7, in: "p0", store)
        try store.view { _ in
            try ModelTests.elsewhere { try ModelTests.write(store) { try Self.put(1, in: "p0", &$0) } }
            #expect(model.readFailure?.code == .valueDoesNotFit && model.mode == .off)
        }
        #expect(model.readFailure == nil && model.mode == .on)
        try await Self.put(8, in: "p1", store)
        let kept = Mutex<Model<Probe>?>(nil)
        try store.view { _ in
            try ModelTests.elsewhere {
                try ModelTests.write(store) { try Self.put(1, in: "p1", &$0) }
                // The only model of the record comes from after the view.
                let later = try store.model(Probe.self, id: "p1")
                #expect(later.mode == .on)
                kept.withLock { $0 = later }
            }
            let later = try #require(kept.withLock { $0 })
            #expect(later.readFailure?.code == .valueDoesNotFit)
        }
        #expect(kept.withLock { $0 }?.readFailure == nil)
    }

    @Test func `a row from before gives the model of its record, with the values that could be decoded`() async throws {
        let store = try await Self.store()
        let models = try store.liveQuery(Self.all).models
        try await Self.put(7, in: "p0", store)
        let model = models[0]
        #expect(model.readFailure?.code == .valueDoesNotFit && model.mode == .off)
        #expect(try store.model(Probe.self, id: "p0") === model)
        try await Self.put(1, in: "p0", store)
        #expect(model.readFailure == nil && model.mode == .on)
    }
}
