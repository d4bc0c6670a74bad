import LMDB
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// Live results whose requests run while other writers commit. No writer waits for them, and they miss no commit.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LiveStartTests {
    private static let request = Sensor.where { $0.celsius > 10 }.order { $0.celsius.ascending }.limit(3)

    private static func key(_ held: HeldStore, isCount: Bool = false) throws -> LiveKey {
        try held.store.core.liveKey(request, isCount: isCount)
    }

    private static func insert(_ held: HeldStore, _ values: [Double]) throws {
        try held.store.commitUnshown { tx in
            for value in values {
                try tx.insert(Sensor(id: "s\(value)", room: "hall", serial: "A\(value)", celsius: value))
            }
        }
    }

    /// Returns the published values of a result, and the values that its request fetches now.
    private static func values(_ result: LiveResult, _ held: HeldStore) throws -> (shown: [Double], fetched: [Double]) {
        let shown = result.publishedVersion
        let binding = try shown.catalog.binding(Sensor.self)
        return (
            try shown.rows.map { try $0.content.record(Sensor.self, binding).celsius },
            try held.store.read { try $0.fetch(request).map(\.celsius) }
        )
    }

    @Test func `steps go on while a request is run for the first time`() async throws {
        let held = try HeldStore()
        let (store, dispatcher) = (held.store, held.store.core.dispatcher)
        try Self.insert(held, [5, 11, 13])
        await held.show()
        let start = try dispatcher.start(Self.key(held))
        let model = try store.model(Sensor.self, id: "s13.0")
        try held.store.commitUnshown { tx in
            try tx.update(Sensor.self, id: "s13.0") { $0.celsius = 12 }
            _ = try tx.delete(Sensor.self, id: "s11.0")
        }
        try Self.insert(held, [17, 18, 19])
        await held.show()
        #expect(model.celsius == 12)
        let result = try dispatcher.use(start)
        defer { dispatcher.release(result) }
        var (shown, fetched) = try Self.values(result, held)
        #expect(shown == [12, 17, 18] && fetched == shown)
        try held.store.commitUnshown { tx in _ = try tx.delete(Sensor.self, id: "s17.0") }
        await held.show()
        (shown, fetched) = try Self.values(result, held)
        #expect(shown == [12, 18, 19] && fetched == shown)
    }

    @Test func `who comes second with a request gets the result of the first`() async throws {
        let held = try HeldStore()
        let dispatcher = held.store.core.dispatcher
        let start = try dispatcher.start(Self.key(held))
        let first = try dispatcher.use(Self.key(held))
        try Self.insert(held, [20])
        let second = try dispatcher.use(start)
        #expect(first === second)
        #expect(dispatcher.liveQueryCount == 1)
        await held.show()
        #expect(try Self.values(second, held).shown == [20])
        dispatcher.release(first)
        #expect(dispatcher.liveQueryCount == 1)
        dispatcher.release(second)
        #expect(dispatcher.liveQueryCount == 0)
    }

    @Test(arguments: [false, true])
    func `a request is run again where what came meanwhile cannot be told by changes`(isDamaged: Bool) async throws {
        let held = try HeldStore()
        let (core, dispatcher) = (held.store.core, held.store.core.dispatcher)
        try Self.insert(held, [11])
        await held.show()
        let starts = try [Self.key(held), Self.key(held, isCount: true)].map { try dispatcher.start($0) }
        held.hold()
        try Self.insert(held, [12])
        if isDamaged {
            let damaged = try core.access.look().sequence
            try held.tamper { raw in
                try raw.change(SampleStore.feed, KeyBytes.fragment(damaged)) { $0[$0.count - 1] ^= 0xFF }
            }
        } else {
            try Store(at: held.folder.path, records: Sensor.self, Slot.self).close()
        }
        try Self.insert(held, [13])
        let before = dispatcher.liveCounters.reruns
        let results = try starts.map { try dispatcher.use($0) }
        defer { for result in results { dispatcher.release(result) } }
        #expect(dispatcher.liveCounters.reruns - before == 2)
        await held.show()
        let (shown, fetched) = try Self.values(results[0], held)
        #expect(shown == [11, 12, 13] && fetched == shown)
        #expect(results[1].publishedVersion.count == 3)
    }

    @Test func `a request that was run when the store closes is refused`() async throws {
        let held = try HeldStore()
        let start = try held.store.core.dispatcher.start(Self.key(held))
        held.store.core.dispatcher.stop()
        #expect(storeError { _ = try held.store.core.dispatcher.use(start) }?.code == .closed)
    }
}
