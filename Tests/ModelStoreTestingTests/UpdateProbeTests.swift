import ModelStore
import TestSupport
@testable import ModelStoreTesting
import Synchronization
import Testing

@Suite("Update probes", .timeLimit(.minutes(TestLength.waitMinutes))) struct UpdateProbeTests {
    private let store: Store

    init() throws {
        store = try Store.temporary(records: Lamp.self, options: .deterministic(seed: 1))
        try store.write { tx in
            for id in ["a", "b", "c"] { try tx.insert(Lamp(id: id, watts: 10)) }
        }
    }

    /// Returns the messages of probes while `body` runs, instead of failing the test.
    private func issues(_ body: () async throws -> Void) async rethrows -> [String] {
        let messages = Mutex<[String]>([])
        let log = ProbeLog { message in messages.withLock { $0.append(message) } }
        try await ProbeLog.$current.withValue(log) { try await body() }
        return messages.withLock { $0 }
    }

    private var byWatts: FetchRequest<Lamp> { Lamp.where { $0.watts > 0 }.order { $0.watts.ascending } }

    // MARK: Order

    @Test(.exhaustive) func `A probe takes each update in its order`() async throws {
        let probe = UpdateProbe(store.updates(of: byWatts))
        await probe.expect { update in #expect(update.results.map(\.id) == ["a", "b", "c"]) }
        try await store.write { tx in try tx.insert(Lamp(id: "d", watts: 20)) }
        await probe.expect { update in #expect(update.changes.inserts.map(\.record.id) == ["d"]) }
        try await store.write { tx in try tx.delete(Lamp.self, id: "a") }
        let update = try await probe.next()
        #expect(update.changes.deletes.map(\.record.id) == ["a"])
        #expect(update.position == (try store.position))
    }

    @Test(.exhaustive) func `Writes without an expectation between them come as one update`() async throws {
        let probe = UpdateProbe(store.updates(of: byWatts))
        await probe.expect(marbles: "(abc)") { $0.id }
        for id in ["d", "e"] { try await store.write { tx in try tx.insert(Lamp(id: id, watts: 20)) } }
        await probe.expect(marbles: "+d@3,+e@4") { $0.id }
    }

    @Test(.exhaustive) func `A probe need not tell of a store that goes with the test`() async throws {
        let store = try Store.temporary(records: Lamp.self)
        let query = try store.liveQuery(byWatts)
        let probe = UpdateProbe(query.updates)
        await probe.expect { update in #expect(update.results.isEmpty) }
    }

    // MARK: No updates

    @Test(.exhaustive) func `Nothing comes of a write that a request is not concerned with`() async throws {
        let probe = UpdateProbe(store.updates(of: byWatts))
        await probe.expect(marbles: "(abc)") { $0.id }
        await probe.expectNothing()
        try await store.write { tx in try tx.insert(Lamp(id: "dark", watts: 0)) }
        await probe.expectNothing()
        try await probe.expectNothing(until: store.position, in: store)
    }

    @Test func `Nothing fails where there is something, every time`() async throws {
        for round in 0..<50 {
            let probe = UpdateProbe(store.updates(of: byWatts))
            await probe.expect { _ in }
            try await store.write { tx in try tx.insert(Lamp(id: "n\(round)", watts: 30)) }
            let messages = await issues { await probe.expectNothing() }
            #expect(messages.count == 1 && messages[0].hasPrefix("no element was expected, but there is +n\(round)@"))
        }
    }

    @Test(.exhaustive) func `Counts are probed as updates are`() async throws {
        let probe = UpdateProbe(store.counts(of: byWatts))
        await probe.expect { #expect($0.value == 3) }
        try await store.write { tx in try tx.update(Lamp.self, id: "a") { $0.watts = 11 } }
        await probe.expectNothing()
        try await store.write { tx in try tx.delete(Lamp.self, id: "a") }
        await probe.expect { #expect($0.value == 2) }
    }

    // MARK: Missing and remaining updates

    @Test func `An element that does not come fails the test once, and is not waited for again`() async throws {
        let probe = UpdateProbe(store.updates(of: byWatts), limit: .milliseconds(20))
        await probe.expect(marbles: "(abc)") { $0.id }
        let messages = await issues {
            for _ in 0..<100 { await probe.expect { _ in Issue.record("nothing came that could be checked") } }
        }
        #expect(messages.count == 100)
        #expect(messages.first?.hasPrefix("element 1 was expected, but did not arrive") == true)
        let last = await issues {
            await #expect(throws: MissingElement.self) { try await probe.next() }
        }
        #expect(last.count == 1)
    }

    @Test func `What nobody has expected is told at the end`() async throws {
        let probe = UpdateProbe(store.updates(of: byWatts))
        await probe.expect(marbles: "(abc)") { $0.id }
        try await store.write { tx in try tx.update(Lamp.self, id: "b") { $0.watts = 12 } }
        let messages = await issues { await probe.finish() }
        #expect(messages.count == 1)
        #expect(
            messages.first?.hasPrefix(
                "unexpected elements at the probe's end:\n  b>2,~b at 3") == true)
        #expect(await issues { await probe.finish() } == [])
    }

    // MARK: Other sequences

    @Test(.exhaustive) func `Any sequence is probed, to its end`() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let probe = UpdateProbe(stream)
        for number in 1...3 { continuation.yield(number) }
        await probe.expect(1)
        await probe.expect(2)
        await probe.expect(3)
        continuation.finish()
        await probe.expectEnd()
    }

    @Test func `A sequence that ends with elements that nobody expected fails the test with them`() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let probe = UpdateProbe(stream)
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
        await probe.expect(1)
        let messages = await issues { await probe.finish() }
        #expect(
            messages.first?.hasPrefix("unexpected elements at the probe's end:\n  2\n  3")
                == true)
    }

    @Test func `A sequence that cannot say that it has nothing is not asked for that`() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let probe = UpdateProbe(stream)
        let messages = await issues { await probe.expectNothing() }
        #expect(messages.first?.hasPrefix("a sequence of this kind cannot report that it has no element") == true)
        continuation.finish()
    }

    @Test func `An element that comes too late is received by a later expectation`() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let probe = UpdateProbe(stream, limit: .milliseconds(20))
        #expect(await issues { await probe.expect(1) }.count == 1)
        continuation.yield(1)
        continuation.yield(2)
        // The probe does not wait again for the element, so it is asked until it has it.
        while await issues({ await probe.expect(1) }).count > 0 { await Task.yield() }
        continuation.finish()
    }

    @Test func `A sequence that fails says so`() async {
        struct Broken: Error {}
        let probe = UpdateProbe(AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Broken()) })
        let messages = await issues { await probe.expect(1) }
        #expect(messages.first?.hasPrefix("element 1 was expected, but the sequence failed: Broken()") == true)
    }

    // MARK: Failed sequences

    @Test func `A live query that has failed has not nothing, and its probe does not end well`() async throws {
        for isTold in [true, false] {
            let store = try Store.temporary(records: Lamp.self, options: .deterministic(seed: 1))
            let updates = UpdateProbe(store.updates(of: FetchRequest<Lamp>()))
            let counts = UpdateProbe(store.counts(of: FetchRequest<Lamp>()))
            await updates.expect { _ in }
            await counts.expect { _ in }
            store.close()
            let messages = await issues {
                guard isTold else { return }
                await updates.expectNothing()
                await counts.expectNothing()
            }
            #expect(messages.count == (isTold ? 2 : 0))
            #expect(
                messages.allSatisfy { $0.hasPrefix("no element was expected, but the sequence failed") }, "\(messages)")
            // The probe reports the failure only once.
            let last = await issues {
                await updates.finish()
                await counts.finish()
            }
            #expect(last.count == (isTold ? 0 : 2))
            #expect(last.allSatisfy { $0.hasPrefix("the sequence failed, and the test did not expect it") }, "\(last)")
        }
    }

    @Test func `Any sequence that fails behind what was expected fails the test at the end`() async {
        struct Broken: Error {}
        let probe = UpdateProbe(
            AsyncThrowingStream<Int, any Error> { continuation in
                continuation.yield(1)
                continuation.finish(throwing: Broken())
            })
        await probe.expect(1)
        let messages = await issues { await probe.finish() }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("the sequence failed, and the test did not expect it: Broken()") == true)
    }

    // MARK: Marbles

    @Test(.exhaustive) func `Marbles tell inserts, deletes, moves and updates`() async throws {
        let probe = UpdateProbe(store.updates(of: byWatts))
        await probe.expect(marbles: "(abc)") { $0.id }
        try await store.write { tx in
            try tx.insert(Lamp(id: "d", watts: 40))
            try tx.delete(Lamp.self, id: "a")
        }
        await probe.expect(marbles: "+d,-a") { $0.id }
        try await store.write { tx in try tx.update(Lamp.self, id: "d") { $0.watts = 1 } }
        await probe.expect(marbles: "~d,d>0") { $0.id }
        try await store.write { tx in try tx.delete(Lamp.self, id: "b") }
        try await store.write { tx in try tx.insert(Lamp(id: "b", watts: 10)) }
        await probe.expect(marbles: "~b!") { $0.id }
    }

    @Test(.exhaustive) func `Labels may be long`() async throws {
        let store = try Store.temporary(records: Lamp.self, options: .deterministic(seed: 1))
        let probe = UpdateProbe(store.updates(of: FetchRequest<Lamp>()))
        await probe.expect(marbles: "()") { $0.id }
        try await store.write { tx in try tx.insert(Lamp(id: "s-1")) }
        await probe.expect(marbles: "+s-1@0") { $0.id }
        let other = UpdateProbe(store.updates(of: FetchRequest<Lamp>()))
        await other.expect(marbles: "(s-1,)") { $0.id }
        try await store.write { tx in try tx.insert(Lamp(id: "s-2")) }
        await other.expect(marbles: "+s-2") { $0.id }
        let third = UpdateProbe(store.updates(of: FetchRequest<Lamp>()))
        await third.expect(marbles: "(s-1, s-2)") { $0.id }
        await probe.expect(marbles: "+s-2") { $0.id }
    }

    @Test func `Marbles that differ are shown with a mark at the first difference`() async throws {
        let probe = UpdateProbe(store.updates(of: byWatts), limit: .milliseconds(20))
        await probe.expect(marbles: "(abc)") { $0.id }
        try await store.write { tx in
            try tx.delete(Lamp.self, id: "a")
            try tx.insert(Lamp(id: "x", watts: 9))
        }
        let messages = await issues { await probe.expect(marbles: "-a,+d ~b") { $0.id } }
        let text = try #require(messages.first)
        #expect(
            text.hasPrefix(
                """
                the updates differ:
                expected  -a,+d ~b
                found     -a,+x
                              ^
                The next update did not arrive.
                """), "\(text)")
    }

    @Test(arguments: [
        ("(ab", "its parentheses do not match"), ("a)", "its parentheses do not match"),
        ("+d@", "no index follows the @"),
        ("a", "it is not one of"), (">1", "it is not one of"), ("+", "it is not one of"), ("-a,", "it is not one of"),
    ]) func `A line that cannot be read says where`(line: String, reason: String) async {
        let probe = UpdateProbe(store.updates(of: byWatts))
        let messages = await issues { await probe.expect(marbles: line) { $0.id } }
        #expect(messages.first?.contains(reason) == true, "\(messages)")
    }
}
