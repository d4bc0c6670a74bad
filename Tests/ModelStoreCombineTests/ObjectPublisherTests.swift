#if OpenCombine
import LMDB
import ModelStoreCombine
import ModelStoreComponents
import TestSupport
@unsafe @preconcurrency import OpenCombine
import Testing
import protocol ModelStoreComponents.ObservableObject

/// An object in a file that imports both modules. One import chooses the protocol, and none is needed for `@Published`.
private final class Both: ObservableObject, Sendable {
    @Published var count = 0
    let unit = subject("celsius")
}

/// An object of OpenCombine's own.
private final class Other: OpenCombine.ObservableObject {
    @OpenCombine.Published var count = 0
}

// Code that knows only OpenCombine can observe the object.
extension Counter: OpenCombine.ObservableObject {}

/// Classes that a program defines, and subjects, as publishers.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ObjectPublisherTests {
    private static func observe<Object: OpenCombine.ObservableObject>(
        _ object: Object, _ body: @escaping @Sendable () -> Void
    ) -> AnyCancellable {
        object.objectWillChange.sink { _ in body() }
    }

    @Test func `a published property's value comes before sink returns, then each other one`() async {
        let session = Session()
        let received = Received<String>()
        let token = session.$user.publisher.sink { received.note($0) }
        #expect(received.values == ["nobody"])
        for name in ["ann", "bob", "bob", "cid"] {
            session.user = name
            await until { received.values.last == name }
        }
        #expect(received.values == ["nobody", "ann", "bob", "cid"])
        token.cancel()
        session.user = "dan"
        #expect(received.values.count == 4)
    }

    @Test func `a published property is assigned to a property of an object, and a set of tokens cancels together`()
        async
    {
        /// Only one thread at a time writes it, because the subscription calls it.
        final class Label: @unchecked Sendable {
            let shown = Received<String>()
            var text = "" { didSet { shown.note(text) } }
        }
        let (session, label) = (Session(), Label())
        var tokens: Set<AnyCancellable> = []
        session.$user.publisher.assign(to: \.text, on: label).store(in: &tokens)
        session.$count.publisher.map { "\($0)" }.assign(to: \.text, on: label).store(in: &tokens)
        session.user = "ann"
        await until { label.shown.values == ["nobody", "0", "ann"] }
        tokens = []
        session.user = "bob"
        session.count = 1
        #expect(label.shown.values == ["nobody", "0", "ann"])
    }

    @Test func `one import lets a file use the objects of both modules`() {
        let (both, other, received) = (Both(), Other(), Received<Int>())
        let tokens = [
            both.$count.publisher.sink { received.note($0) },
            both.unit.publisher.map(\.count).sink { received.note($0) },
            other.$count.sink { received.note($0) },
        ]
        both.count = 1
        other.count = 2
        #expect(received.values == [0, 7, 0, 1, 2])
        for token in tokens { token.cancel() }
    }

    @Test func `an object without a published property finishes when it is gone`() async {
        let received = Received<Int>()
        var object: Manual? = Manual()
        let token = object?.objectWillChange.sink {
            received.note($0)
        } receiveValue: {
            received.note(1)
        }
        object?.set(1)
        object = nil
        await until { received.ends == ["finished"] }
        #expect(received.values == [1])
        token?.cancel()
    }

    @Test func `demand is honoured, and what comes without merges to the newest`() async {
        let session = Session()
        let asking = Asking<Int, Never>()
        session.$count.publisher.subscribe(asking)
        #expect(asking.received.values == [])
        asking.ask(for: 1)
        for number in 1...3 { session.count = number }
        #expect(asking.received.values == [0])
        asking.ask(for: 2)
        #expect(asking.received.values == [0, 3])
        session.count = 4
        await until { asking.received.values == [0, 3, 4] }
        session.count = 5
        #expect(asking.received.values == [0, 3, 4])
        asking.cancel()
    }

    @Test func `publishers of an object finish when it goes away, and do not keep it`() async {
        let (values, changes, own) = (Received<Int>(), Received<Int>(), Received<Int>())
        var tokens: Set<AnyCancellable> = []
        weak var session: Session?
        do {
            let (made, counter) = (Session(), Counter())
            session = made
            made.$count.publisher.sink {
                values.note($0)
            } receiveValue: {
                values.note($0)
            }.store(in: &tokens)
            made.objectWillChange.sink {
                changes.note($0)
            } receiveValue: {
                changes.note(1)
            }.store(in: &tokens)
            counter.objectWillChange.sink {
                own.note($0)
            } receiveValue: {
                own.note(1)
            }.store(in: &tokens)
            made.count = 1
            await until { values.values == [0, 1] }
            #expect(values.ends + changes.ends + own.ends == [])
        }
        #expect(session == nil)
        #expect(changes.ends == ["finished"] && own.ends == ["finished"])
        await until { values.ends == ["finished"] }
        #expect(values.values == [0, 1] && changes.values == [1] && own.values == [])
    }

    @Test func `objectWillChange is sent before the value changes, once for each set of another value`() {
        let (session, counter) = (Session(), Counter())
        let received = Received<String>()
        let tokens = [
            session.objectWillChange.sink { received.note("\(session.user) \(session.count)") },
            Self.observe(counter) { received.note("counter \(counter.count)") },
        ]
        #expect(received.values == [])
        session.user = "ann"
        session.user = "ann"
        session.count += 1
        counter.count = 5
        counter.count = 5
        session.objectWillChange.send()
        #expect(received.values == ["nobody 0", "ann 0", "counter 0", "ann 1"])
        for token in tokens { token.cancel() }
        session.count = 7
        counter.count = 7
        #expect(received.values.count == 4)
    }

    @Test func `objectWillChange without demand is left out`() {
        let session = Session()
        let asking = Asking<Void, Never>()
        session.objectWillChange.subscribe(asking)
        session.count = 1
        asking.ask(for: 2)
        for number in 2...5 { session.count = number }
        #expect(asking.received.values.count == 2)
        asking.cancel()
        asking.ask(for: 1)
        session.count = 6
        #expect(asking.received.values.count == 2 && asking.received.ends == [])
    }

    @Test func `subscribing and cancelling in a callback is harmless`() {
        let session = Session()
        let received = Received<String>()
        let inner = Received<AnyCancellable>()
        let outer = session.objectWillChange.sink {
            received.note("outer")
            inner.values.last?.cancel()
            inner.note(session.objectWillChange.sink { received.note("inner") })
        }
        session.count = 1
        #expect(received.values == ["outer"])
        outer.cancel()
        session.count = 2
        #expect(received.values == ["outer", "inner"])
    }

    @Test func `a subject is a publisher that finishes when it is gone`() async {
        let received = Received<Int>()
        var token: AnyCancellable?
        do {
            let number = subject(1)
            token = number.publisher.sink {
                received.note($0)
            } receiveValue: {
                received.note($0)
            }
            #expect(received.values == [1])
            number.send(2)
            await until { received.values == [1, 2] }
            number.send(3)
        }
        await until { received.ends == ["finished"] }
        // The last value arrives before the end.
        #expect(received.values == [1, 2, 3])
        _ = token
    }

    @Test func `subscribing, cancelling and setting at the same time loses nothing`() async {
        let session = Session()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<200 {
                        let values = Received<Int>()
                        let tokens = [
                            session.$count.publisher.sink { values.note($0) },
                            session.objectWillChange.sink {},
                        ]
                        await Task.yield()
                        for token in tokens { token.cancel() }
                        #expect(!values.values.isEmpty && values.values == values.values.sorted())
                    }
                }
            }
            group.addTask { for number in 1...2_000 { session.count = number } }
        }
        let received = Received<Int>()
        let token = session.objectWillChange.sink { received.note(session.count) }
        session.count = 9_999
        #expect(received.values == [2_000])
        token.cancel()
    }
}
#endif
