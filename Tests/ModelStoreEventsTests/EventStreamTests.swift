#if ServerSentEvents
import ModelStore
import ModelStoreEvents
import NIOCore
import TestSupport
import Testing

/// Live queries as streams of events.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct EventStreamTests {
    private static let hot = Sensor.where { $0.celsius > 30 }.order { $0.celsius.descending }

    @Test func `a stream with an option outside its range fails`() async throws {
        let store = try await Store.ofSensors(1)
        var wrong = Array(repeating: EventOptions(), count: 7)
        (wrong[0].heartbeat, wrong[1].heartbeat) = (.zero, .seconds(Int64.max))
        (wrong[2].retryDelay, wrong[3].retryDelay) = (.seconds(-1), .seconds(Int64.max))
        (wrong[4].chunkByteCount, wrong[5].chunkByteCount, wrong[6].chunkByteCount) = (0, -1, .max)
        for options in wrong {
            let error = #expect(throws: StoreError.self) { try store.serverSentEvents(of: Self.hot, options) }
            #expect(error?.code == .invalidValue)
            var stream = try store.liveQuery(Self.hot).serverSentEvents(lastEventID: nil, options).makeAsyncIterator()
            var later: (any Error)?
            do { _ = try await stream.next() } catch { later = error }
            #expect((later as? StoreError)?.code == .invalidValue)
        }
    }

    @Test func `all rows come first, with the fields in the order of the schema`() async throws {
        let store = try await Store.ofSensors(2)
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.note = "a\n\"b\"" } }
        var client = Client(try store.serverSentEvents(of: Sensor.order { $0.id.ascending }))
        #expect(
            try await client.readStep() == [
                #"snapshot {"index":0,"record":{"id":"s0","celsius":20.0,"note":null}}"#,
                #"snapshot {"index":1,"record":{"id":"s1","celsius":20.0,"note":"a\n\"b\""}}"#,
                #"ready {"count":2}"#,
            ])
        let position = try store.position
        #expect(client.position == position)
        #expect(
            client.buffers == [
                """
                retry: 3000

                event: snapshot
                data: {"index":0,"record":{"id":"s0","celsius":20.0,"note":null}}

                event: snapshot
                data: {"index":1,"record":{"id":"s1","celsius":20.0,"note":"a\\n\\"b\\""}}

                event: ready
                id: \(client.lastEventID)
                data: {"count":2}


                """
            ])
    }

    @Test func `a stream of a cancelled task ends, and one of a closed store fails`() async throws {
        let store = try await Store.ofSensors(2)
        let (events, late) = (try store.serverSentEvents(of: Self.hot), try store.serverSentEvents(of: Self.hot))
        let waiting = Task.immediate {
            for try await _ in events {}
        }
        waiting.cancel()
        try await waiting.value
        let failing = Task.immediate {
            for try await _ in events {}
        }
        store.close()
        await #expect { try await failing.value } throws: { ($0 as? StoreError)?.code == .closed }
        let cancelled = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            for try await _ in late {}
        }
        try await cancelled.value
    }

    @Test func `inserts, moves, updates and deletes come as they are committed, then the position`() async throws {
        let store = try await Store.ofSensors(4)
        var client = Client(try store.serverSentEvents(of: Self.hot))
        #expect(try await client.readStep() == [#"ready {"count":0}"#])
        try await store.write { tx in
            for number in 0..<3 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = 42 - Double(number) } }
        }
        #expect(
            try await client.readStep() == [
                #"insert {"index":0,"record":{"id":"s0","celsius":42.0,"note":null}}"#,
                #"insert {"index":1,"record":{"id":"s1","celsius":41.0,"note":null}}"#,
                #"insert {"index":2,"record":{"id":"s2","celsius":40.0,"note":null}}"#,
                #"ready {"count":3}"#,
            ])
        try await store.heat("s2", to: 50)
        #expect(
            try await client.readStep() == [
                #"move {"from":2,"index":0,"record":{"id":"s2","celsius":50.0,"note":null}}"#,
                #"update {"index":0,"changed":["celsius"],"record":{"id":"s2","celsius":50.0,"note":null}}"#,
                #"ready {"count":3}"#,
            ])
        let last = try await store.write(returning: .position) { tx in
            try tx.delete(Sensor.self, id: "s0")
            try tx.update(Sensor.self, id: "s1") { $0.celsius = 0 }
        }
        #expect(
            try await client.readStep() == [
                #"delete {"index":2,"id":"s1"}"#, #"delete {"index":1,"id":"s0"}"#, #"ready {"count":1}"#,
            ])
        #expect(client.position == last.position)
    }

    @Test func `an id of several fields is an array`() async throws {
        let store = try await Store.ofSensors(0)
        try await store.write { try $0.insert(Reading(sensor: "a", number: 7)) }
        var client = Client(try store.serverSentEvents(of: Reading.order { $0.number.ascending }))
        _ = try await client.readStep()
        try await store.write { try $0.delete(Reading.self, id: Reading(sensor: "a", number: 7).recordID) }
        #expect(try await client.readStep() == [#"delete {"index":0,"id":["a",7]}"#, #"ready {"count":0}"#])
    }

    @Test func `what a slow client has not read merges`() async throws {
        let store = try await Store.ofSensors(3)
        var client = Client(try store.serverSentEvents(of: Self.hot))
        _ = try await client.readStep()
        for step in 0..<100 { try await store.heat("s\(step % 3)", to: Double(31 + step)) }
        try await store.heat("s1", to: 0)
        #expect(
            try await client.readStep() == [
                #"insert {"index":0,"record":{"id":"s0","celsius":130.0,"note":null}}"#,
                #"insert {"index":1,"record":{"id":"s2","celsius":129.0,"note":null}}"#,
                #"ready {"count":2}"#,
            ])
    }

    @Test func `a long result comes in buffers of whole events`() async throws {
        let store = try await Store.ofSensors(500)
        var options = EventOptions()
        options.chunkByteCount = 1_000
        var client = Client(try store.serverSentEvents(of: Sensor.order { $0.id.ascending }, options))
        let events = try await client.readStep()
        #expect(events.count == 501)
        #expect(client.buffers.count > 20)
        #expect(client.buffers.allSatisfy { $0.hasSuffix("\n\n") && $0.utf8.count < 1_400 })
        // No event names a position until the result is complete.
        #expect(client.buffers.dropLast().allSatisfy { !$0.contains("\nid:") })
    }

    @Test func `a request that does not fit is refused before the stream begins`() async throws {
        let store = try await Store.ofSensors()
        #expect(throws: StoreError.self) { try store.serverSentEvents(of: Self.hot.limit(-1)) }
    }

    @Test func `closing the store fails the stream, cancelling ends it`() async throws {
        let store = try await Store.ofSensors()
        let events = try store.serverSentEvents(of: Self.hot)
        let reading = Task {
            var client = Client(events)
            while try await client.read() != nil {}
        }
        reading.cancel()
        try await reading.value
        var client = Client(events)
        _ = try await client.readStep()
        await store.shutdown()
        await #expect { _ = try await client.read() } throws: { ($0 as? StoreError)?.code == .closed }
    }

    @Test func `a comment is sent after each silence, by the clock that was given`() async throws {
        let store = try await Store.ofSensors()
        let clock = TestClock()
        var options = EventOptions()
        options.clock = clock
        options.heartbeat = .seconds(10)
        do {
            var client = Client(try store.serverSentEvents(of: Self.hot, options))
            _ = try await client.readStep()
            func expectHeartbeat() async throws {
                let start = clock.now
                // A silence begins when the client requests an element, which may be after the first seconds have passed.
                let passing = Task {
                    while !Task.isCancelled {
                        clock.advance(by: .seconds(1))
                        await until { clock.sleeperCount == 1 || Task.isCancelled }
                    }
                }
                #expect(try await client.read() == [])
                passing.cancel()
                await passing.value
                #expect(client.buffers.last == ":\n\n")
                #expect(start.duration(to: clock.now) >= .seconds(10))
            }
            for _ in 0..<3 { try await expectHeartbeat() }
            // An event replaces a heartbeat and starts a new silence. Only one task sleeps for the whole stream.
            for degrees in 40..<140 {
                let writing = Task {
                    await until { clock.sleeperCount == 1 }
                    clock.advance(by: .seconds(9))
                    return try await store.heat(to: Double(degrees))
                }
                #expect(try await client.readStep().count == 2)
                _ = try await writing.value
                #expect(clock.sleeperCount <= 1)
            }
            try await expectHeartbeat()
        }
        await until { clock.sleeperCount == 0 }
    }

    @Test func `without a heartbeat nobody looks at the clock`() async throws {
        let store = try await Store.ofSensors()
        let clock = TestClock()
        var options = EventOptions()
        options.clock = clock
        options.heartbeat = nil
        options.retryDelay = .milliseconds(50)
        var client = Client(try store.serverSentEvents(of: Self.hot, options))
        _ = try await client.readStep()
        #expect(client.buffers[0].hasPrefix("retry: 50\n\n"))
        try await store.heat(to: 40)
        _ = try await client.readStep()
        #expect(clock.sleeperCount == 0)
    }
}
#endif
