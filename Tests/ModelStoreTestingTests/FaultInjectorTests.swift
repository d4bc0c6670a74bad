import ModelStore
import ModelStoreTesting
import TestSupport
import Testing

@Suite("Fault injector", .timeLimit(.minutes(TestLength.waitMinutes))) struct FaultInjectorTests {
    private let store: Store
    private let faults: FaultInjector

    init() throws {
        store = try Store.temporary(records: Lamp.self, options: .deterministic(seed: 1))
        faults = FaultInjector(store)
    }

    private func write(_ id: String) throws { try store.write { tx in try tx.insert(Lamp(id: id)) } }

    private var count: Int { get throws { try store.read { try $0.count(Lamp.self) } } }

    /// Returns the code of the error that `body` throws.
    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `A commit fails as on a full disk, and nothing of the write is there`() throws {
        #expect(code { try faults.failing(.commit, with: .diskFull) { try write("a") } } == .diskFull)
        #expect(try count == 0)
        try write("a")
        #expect(try count == 1)
        #expect(faults.failureCount == 1)
    }

    @Test func `So many calls succeed before, and so many fail`() throws {
        let codes = faults.failing(.commit, with: .ioError, after: 2, times: 3) {
            (0..<7).map { number in code { try write("\(number)") } }
        }
        #expect(codes == [nil, nil, .ioError, .ioError, .ioError, nil, nil])
        #expect(try count == 4)
    }

    @Test func `A full map is made larger, and the write is made`() throws {
        let counts = try faults.counting {
            try faults.failing(.put, with: .mapFull, after: 1) { try write("a") }
        }
        #expect(counts[.growth] == 1)
        #expect(counts[.begin] == 2)
        #expect(try count == 1)
        #expect(faults.failureCount == 1)
    }

    @Test func `A map that cannot grow fails the write, and the store until it is opened anew`() throws {
        let directory = try TestDirectory()
        let faults = FaultInjector(path: directory.path)
        let store = try Store(at: directory.path, records: Lamp.self)
        let found = faults.failing(.growth, with: .outOfMemory) {
            faults.failing(.put, with: .mapFull) {
                code { _ = try store.write { tx in try tx.insert(Lamp(id: "a")) } }
            }
        }
        #expect(found == .other)
        #expect(faults.failureCount == 2)
        #expect(code { _ = try store.write { tx in try tx.insert(Lamp(id: "b")) } } == .ioError)
        #expect(code { _ = try store.read { try $0.count(Lamp.self) } } == .ioError)
        store.close()
        let again = try Store(at: directory.path, records: Lamp.self)
        defer { again.close() }
        try again.write { tx in try tx.insert(Lamp(id: "c")) }
        #expect(try again.read { try $0.fetch(FetchRequest<Lamp>()).map(\.id) } == ["c"])
    }

    @Test func `Reads meet faults too`() throws {
        try write("a")
        #expect(
            code {
                try faults.failing(.moveCursor, with: .damaged) {
                    _ = try store.read { try $0.fetch(FetchRequest<Lamp>()) }
                }
            } == .damaged)
        #expect(try count == 1)
    }

    @Test func `A full reader table is searched for dead readers once, and the call fails if there are none`() throws {
        var found: StoreError.Code?
        let counts = faults.counting {
            found = faults.failing(.begin, with: .readersFull) { code { try write("a") } }
        }
        #expect(found == .tooManyReaders)
        #expect(counts[.checkReaders] == 1)
        #expect(faults.failureCount == 1)
        try write("b")
        #expect(try count == 1)
    }

    @Test(arguments: [true, false]) func `A commit of unknown outcome gives the environment up until it is opened anew`(
        isMade: Bool
    ) throws {
        let directory = try TestDirectory()
        let faults = FaultInjector(path: directory.path)
        let store = try Store(at: directory.path, records: Lamp.self)
        let found = code {
            _ = try faults.failing(.commit, with: .outcomeUnknown(isMade: isMade)) {
                try store.write { tx in try tx.insert(Lamp(id: "a")) }
            }
        }
        #expect(found == .outcomeUnknown)
        #expect(code { _ = try store.write { tx in try tx.insert(Lamp(id: "b")) } } == .ioError)
        store.close()
        let again = try Store(at: directory.path, records: Lamp.self)
        defer { again.close() }
        #expect(try again.read { try $0.fetch(FetchRequest<Lamp>()).map(\.id) } == (isMade ? ["a"] : []))
        try again.write { tx in try tx.insert(Lamp(id: "c")) }
    }

    @Test func `Calls are counted by kind`() throws {
        let counts = try faults.counting { try write("a") }
        #expect(counts[.commit] == 1)
        #expect(counts[.begin] == 1)
        #expect(counts[.put, default: 0] > 1)
        #expect(counts[.copy] == nil)
    }

    @Test func `Other stores are not touched`() throws {
        let other = try Store.temporary(records: Lamp.self, options: .deterministic(seed: 2))
        defer { other.close() }
        try faults.failing(nil, with: .damaged, times: .max) {
            try other.write { tx in try tx.insert(Lamp(id: "a")) }
            #expect(try other.read { try $0.count(Lamp.self) } == 1)
            #expect(code { try write("a") } == .damaged)
        }
    }

    @Test func `A live query goes on after a step that could not be made`() async throws {
        let probe = UpdateProbe(store.updates(of: FetchRequest<Lamp>()))
        await probe.expect(marbles: "()") { $0.id }
        await faults.failing(.moveCursor, with: .ioError, after: 0, times: 3) {
            _ = try? await store.write { tx in try tx.insert(Lamp(id: "a")) }
        }
        try await store.write { tx in try tx.upsert(Lamp(id: "a", watts: 1)) }
        try await store.write { tx in try tx.insert(Lamp(id: "b")) }
        await probe.expect { update in #expect(update.results.map(\.id) == ["a", "b"]) }
        await probe.expectNothing()
    }

    @Test func `A count within a count has only its own calls`() throws {
        let outer = try faults.counting {
            try write("a")
            let inner = try faults.counting { try write("b") }
            #expect(inner[.commit] == 1)
        }
        #expect(outer[.commit] == 2)
    }
}
