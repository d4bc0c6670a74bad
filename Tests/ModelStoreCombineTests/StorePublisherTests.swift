#if OpenCombine
import ModelStore
import ModelStoreCombine
import TestSupport
@unsafe @preconcurrency import OpenCombine
import Testing

/// Live queries and the feed as publishers.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct StorePublisherTests {
    private static let hot = Sensor.where { $0.celsius > 30 }.order { $0.celsius.descending }

    @Test func `results come before sink returns, then scoped updates`() async throws {
        let store = try await Store.ofSensors(3)
        let received = Received<[String]>()
        let token = store.publisher(for: Self.hot).map { $0.results.map(\.id) }
            .sink {
                received.note($0)
            } receiveValue: {
                received.note($0)
            }
        #expect(received.values == [[]])
        try await store.heat("s1", to: 40)
        await until { received.values.count == 2 }
        try await store.heat("s2", to: 50)
        await until { received.values.count == 3 }
        #expect(received.values == [[], ["s1"], ["s2", "s1"]])
        token.cancel()
        await until { store.liveQueryCount == 0 }
    }

    @Test func `updates without demand merge into one that leads from the last`() async throws {
        let store = try await Store.ofSensors(5)
        let asking = Asking<LiveUpdate<Sensor>, any Error>()
        store.publisher(for: Self.hot).subscribe(asking)
        asking.ask(for: 1)
        for number in 0..<5 { try await store.heat("s\(number)", to: Double(40 + number)) }
        try await store.heat("s2", to: 0)
        #expect(asking.received.values.count == 1)
        asking.ask(for: 1)
        await until { asking.received.values.count == 2 }
        let update = try #require(asking.received.values.last)
        #expect(update.results.map(\.id) == ["s4", "s3", "s1", "s0"])
        #expect(update.changes.inserts.count == 4 && !update.changes.isReset)
        asking.cancel()
    }

    @Test func `closing the store and a request that does not fit fail`() async throws {
        let store = try await Store.ofSensors()
        let received = Received<Int>()
        let tokens = [
            store.publisher(for: Self.hot).map(\.results.count)
                .sink {
                    received.note($0)
                } receiveValue: {
                    received.note($0)
                },
            store.counts(of: Sensor.order { $0.id.ascending }).publisher.map(\.value)
                .sink {
                    received.note($0)
                } receiveValue: {
                    received.note($0)
                },
        ]
        #expect(received.values == [0, 1])
        let refused = Received<Int>()
        let token = store.publisher(for: Sensor.order { $0.id.ascending }.limit(-1)).map(\.results.count)
            .sink {
                refused.note($0)
            } receiveValue: {
                refused.note($0)
            }
        #expect(refused.ends == ["invalidValue"])
        await store.shutdown()
        await until { received.ends == ["closed", "closed"] }
        for token in tokens + [token] { token.cancel() }
    }

    @Test func `each of several subscribers gets all, at its own pace`() async throws {
        let store = try await Store.ofSensors(1)
        let fast = Received<Double>()
        let slow = Asking<LiveUpdate<Sensor>, any Error>()
        let publisher = store.publisher(for: Sensor.order { $0.id.ascending })
        let token = publisher.compactMap(\.results.first?.celsius).sink { _ in
        } receiveValue: {
            fast.note($0)
        }
        publisher.subscribe(slow)
        slow.ask(for: 1)
        for celsius in [1.0, 2, 3] {
            try await store.heat(to: celsius)
            await until { fast.values.last == celsius }
        }
        #expect(fast.values == [20, 1, 2, 3])
        slow.ask(for: 1)
        await until { slow.received.values.count == 2 }
        #expect(slow.received.values.compactMap(\.results.first?.celsius) == [20, 3])
        token.cancel()
        slow.cancel()
    }

    @Test func `a feed publisher leaves nothing out, and gives no more than was asked for`() async throws {
        let store = try await Store.ofSensors()
        let start = try store.position
        let asking = Asking<ChangeSet, any Error>()
        store.changesPublisher(since: start).subscribe(asking)
        var positions: [Position] = []
        for celsius in 0..<40 { positions.append(try await store.heat(to: Double(celsius))) }
        #expect(asking.received.values.isEmpty)
        asking.ask(for: 3)
        await until { asking.received.values.count == 3 }
        asking.ask(for: 30)
        await until { asking.received.values.count == 33 }
        asking.ask(for: 100)
        await until { asking.received.values.count == 40 }
        #expect(asking.received.values.map(\.position) == positions)
        positions.append(try await store.heat(to: 99))
        await until { asking.received.values.count == 41 }
        asking.cancel()
        let all = Received<Position>()
        let token = store.changesPublisher(from: .after(start)).sink {
            all.note($0)
        } receiveValue: {
            all.note($0.position)
        }
        await until { all.values == positions }
        await store.shutdown()
        await until { all.ends == ["closed"] }
        token.cancel()
    }

    @Test func `a feed publisher of a position that is gone fails`() async throws {
        let store = try await Store.ofSensors()
        let other = try await Store.ofSensors()
        let received = Received<Int>()
        let token = store.changesPublisher(since: try other.position)
            .sink {
                received.note($0)
            } receiveValue: { _ in
                received.note(1)
            }
        await until { !received.ends.isEmpty }
        #expect(received.ends == ["positionOfAnotherStore"] && received.values == [])
        token.cancel()
    }
}
#endif
