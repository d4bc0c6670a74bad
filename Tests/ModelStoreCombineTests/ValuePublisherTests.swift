#if OpenCombine
import Foundation
import ModelStore
import ModelStoreCombine
import ModelStoreComponents
import TestSupport
@unsafe @preconcurrency import OpenCombine
import Testing

/// Publishers of every value.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ValuePublisherTests {
    @Test func `a sink receives every value before its set returns, as from OpenCombine's own subjects`() {
        let (number, session, reference) = (subject(0), Session(), CurrentValueSubject<Int, Never>(0))
        let received = [Received<Int>(), Received<Int>(), Received<Int>()]
        let tokens = [
            number.publisher.sink { received[0].note($0) },
            session.$count.publisher.sink { received[1].note($0) },
            reference.sink { received[2].note($0) },
        ]
        for value in 1...100 {
            number.send(value)
            session.count = value
            reference.send(value)
            #expect(received.map(\.values.last) == [value, value, value])
        }
        #expect(received.map(\.values) == Array(repeating: Array(0...100), count: 3))
        for token in tokens { token.cancel() }
        number.send(101)
        session.count = 101
        #expect(received[0].values.count == 101 && received[1].values.count == 101)
    }

    @Test func `a sink of a model receives every published value before its write returns`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        let (fields, changes) = (Received<Double>(), Received<Double>())
        let tokens = [
            model.publisher(for: \.celsius).sink { fields.note($0) },
            model.changesPublisher.sink { changes.note($0.new?.celsius ?? -1) },
        ]
        for value in 1...100 {
            try await store.heat(to: 20 + Double(value))
            #expect(fields.values.count == value + 1 && changes.values.count == value + 1)
        }
        #expect(fields.values == (0...100).map { 20 + Double($0) })
        #expect(changes.values == fields.values)
        for token in tokens { token.cancel() }
    }

    @Test func `a slow sink receives every value, and a merged one the newest`() async {
        let number = subject(0)
        let (every, merged) = (Received<Int>(), Received<Int>())
        let gate = DispatchSemaphore(value: 0)
        let tokens = [
            number.publisher.sink {
                every.note($0)
                if $0 == 1 { gate.wait() }
            },
            number.publisher.merged.sink {
                merged.note($0)
                if $0 == 1 { gate.wait() }
            },
        ]
        // This thread delivers, and waits in the first sink.
        Thread.detachNewThread { number.send(1) }
        await until { every.values == [0, 1] && merged.values == [0, 1] }
        for value in 2...100 { number.send(value) }
        #expect(every.values == [0, 1] && merged.values == [0, 1])
        gate.signal()
        gate.signal()
        await until { every.values.last == 100 && merged.values.last == 100 }
        #expect(every.values == Array(0...100))
        #expect(merged.values == [0, 1, 100])
        for token in tokens { token.cancel() }
    }

    @Test func `a sink that is slow with its first value of a model misses none after it`() async throws {
        let store = try await Store.ofSensors()
        let model = try store.model(Sensor.self, id: "s0")
        let received = Received<Double>()
        let gate = DispatchSemaphore(value: 0)
        let tokens = Received<AnyCancellable>()
        Thread.detachNewThread {
            let token = model.publisher(for: \.celsius).sink {
                received.note($0)
                if $0 == 20 { gate.wait() }
            }
            tokens.note(token)
        }
        await until { received.values == [20] }
        for celsius in [1.0, 2, 3] { try await store.heat(to: celsius) }
        #expect(received.values == [20])
        gate.signal()
        await until { tokens.values.count == 1 }
        #expect(received.values == [20, 1, 2, 3])
        tokens.values[0].cancel()
    }

    @Test func `values of several threads arrive in order, each once`() async {
        let number = subject(0)
        let received = Received<Int>()
        let token = number.publisher.sink { received.note($0) }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<500 { number.update { $0 += 1 } } }
            }
        }
        #expect(received.values == Array(0...4_000))
        token.cancel()
    }

    @Test func `a value that a sink sends follows the one that it receives`() {
        let number = subject(0)
        let received = Received<Int>()
        let token = number.publisher.sink { value in
            if value < 5 { number.send(value + 1) }
            received.note(value)
        }
        #expect(received.values == Array(0...5))
        token.cancel()
    }

    @Test func `cancelling in a delivery drops the values that wait`() {
        let number = subject(0)
        let received = Received<Int>()
        let token = number.publisher.prefix(2).sink {
            received.note($0)
        } receiveValue: { value in
            received.note(value)
            if value == 0 { for later in 1...3 { number.send(later) } }
        }
        #expect(received.values == [0, 1] && received.ends == ["finished"])
        token.cancel()
    }

    @Test(arguments: [1, 2])
    func `without demand, a subscriber receives the newest value next, and then the end`(demand: Int) {
        let asking = Asking<Int, Never>()
        do {
            let number = subject(0)
            number.publisher.subscribe(asking)
            asking.ask(for: demand)
            for value in 1...3 { number.send(value) }
        }
        #expect(asking.received.values == Array(0..<demand) && asking.received.ends == [])
        asking.ask(for: 1)
        #expect(asking.received.values == Array(0..<demand) + [3] && asking.received.ends == ["finished"])
    }

    @Test func `the end needs no demand once the subscriber has the newest value`() async throws {
        let store = try await Store.ofSensors()
        let (asking, closing) = (Asking<Int, Never>(), Asking<Double, Never>())
        try store.model(Sensor.self, id: "s0").publisher(for: \.celsius).subscribe(closing)
        closing.ask(for: 1)
        do {
            let number = subject(0)
            number.publisher.subscribe(asking)
            asking.ask(for: 1)
        }
        #expect(asking.received.values == [0] && asking.received.ends == ["finished"])
        await store.shutdown()
        #expect(closing.received.values == [20] && closing.received.ends == ["finished"])
    }

    @Test func `a subject that is gone finishes, without a value`() {
        let received = Received<Int>()
        let publisher = subject(0).publisher
        let token = publisher.sink {
            received.note($0)
        } receiveValue: {
            received.note($0)
        }
        #expect(received.values == [] && received.ends == ["finished"])
        token.cancel()
    }

    @Test func `a repeated value is left out if asked for`() {
        let (plain, distinct) = (Asking<Int, Never>(), Asking<Int, Never>())
        let number = subject(0)
        number.publisher.subscribe(plain)
        number.values.removeDuplicates().publisher.subscribe(distinct)
        for asking in [plain, distinct] { asking.ask(for: 1) }
        number.send(1)
        number.send(0)
        for asking in [plain, distinct] { asking.ask(for: 1) }
        number.send(2)
        #expect(plain.received.values == [0, 0])
        #expect(distinct.received.values == [0, 2])
    }

    @Test func `the newest values of two published properties combine, one pair for each value`() {
        let (pairs, sums) = (Received<String>(), Received<Int>())
        var tokens: [AnyCancellable] = []
        do {
            let session = Session()
            tokens = [
                session.$user.publisher.combineLatest(session.$count.publisher)
                    .sink {
                        pairs.note($0)
                    } receiveValue: {
                        pairs.note("\($0) \($1)")
                    },
                Publishers.CombineLatest(session.$count.publisher, session.$user.publisher).map { $0 + $1.count }
                    .sink { sums.note($0) },
                session.$count.publisher.combineLatest(session.$user.publisher) { "\($0) \($1)" }.prefix(1)
                    .sink { pairs.note($0) },
            ]
            #expect(pairs.values == ["nobody 0", "0 nobody"])
            session.user = "ann"
            session.count = 1
            session.count = 2
        }
        #expect(pairs.values == ["nobody 0", "0 nobody", "ann 0", "ann 1", "ann 2"])
        #expect(sums.values == [6, 3, 4, 5] && pairs.ends == ["finished"])
        for token in tokens { token.cancel() }
    }

    @Test func `a pair needs both values, demand and no end before`() {
        let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let (pairs, ended) = (Asking<Int, Never>(), Received<Int>())
        first.combineLatest(second) { $0 * 10 + $1 }.subscribe(pairs)
        let token = first.combineLatest(second).sink {
            ended.note($0)
        } receiveValue: { _ in
            ended.note(1)
        }
        pairs.ask(for: 1)
        first.send(1)
        first.send(2)
        #expect(pairs.received.values == [])
        second.send(3)
        second.send(4)
        first.send(5)
        #expect(pairs.received.values == [23])
        first.send(completion: .finished)
        pairs.ask(for: 2)
        #expect(pairs.received.values == [23, 54] && pairs.received.ends == [])
        second.send(6)
        second.send(completion: .finished)
        #expect(pairs.received.values == [23, 54, 56] && pairs.received.ends == ["finished"])
        #expect(ended.values == [1, 1, 1, 1] && ended.ends == ["finished"])
        token.cancel()
        let early = Received<Int>()
        let none = Empty<Int, Never>().combineLatest(second).sink {
            early.note($0)
        } receiveValue: { _ in
            early.note(1)
        }
        #expect(early.ends == ["finished"] && early.values == [])
        none.cancel()
    }

    @Test func `pairs of several threads end with both newest values, and a cancellation releases the publishers`()
        async
    {
        let (first, second) = (subject(0), subject(0))
        let received = Received<(Int, Int)>()
        let token = first.publisher.combineLatest(second.publisher).sink { received.note($0) }
        await withTaskGroup { group in
            for number in [first, second] {
                for _ in 0..<4 { group.addTask { for _ in 0..<250 { number.update { $0 += 1 } } } }
            }
        }
        #expect(received.values.count == 2_001)
        #expect(received.values.map(\.0) == received.values.map(\.0).sorted())
        #expect(received.values.map(\.1) == received.values.map(\.1).sorted())
        #expect(received.values.last.map { $0 == (1_000, 1_000) } ?? false)
        token.cancel()
        first.send(0)
        #expect(received.values.count == 2_001)
    }
}
#endif
