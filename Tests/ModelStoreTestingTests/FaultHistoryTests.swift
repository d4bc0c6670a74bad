import Foundation
import ModelStore
import ModelStoreTesting
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Random writes, each with a possible fault at any call. A write succeeds completely or not at all, and the store stays usable.
@Suite("Faults in histories", .timeLimit(.minutes(20))) struct FaultHistoryTests {
    /// The expected records, by id.
    private typealias Contents = [String: Lamp]

    private struct Lost: Error {}

    /// A store under test, and its expected content.
    private struct Subject {
        let directory: TestDirectory
        let faults: FaultInjector
        private(set) var store: Store
        var expected: Contents = [:]

        private static var options: StoreOptions {
            var options = StoreOptions.deterministic(seed: 1)
            options.durability = .relaxed
            // The store doubles a full map, which should not take all address space.
            options.addressSpaceByteCount = 16 << 20
            return options
        }

        init() throws {
            directory = try TestDirectory()
            faults = FaultInjector(path: directory.path)
            store = try Store(at: directory.path, records: Lamp.self, options: Self.options)
        }

        mutating func reopen() throws {
            store.close()
            store = try Store(at: directory.path, records: Lamp.self, options: Self.options)
        }

        func contents() throws -> Contents {
            try store.read { tx in
                try tx.fetch(FetchRequest<Lamp>()).reduce(into: [:]) { $0[$1.id] = $1 }
            }
        }

        func findings() throws -> [String] {
            var findings: [String] = []
            try store.verify { findings.append("\($0)") }
            return findings
        }
    }

    private static let failures: [FaultInjector.Failure] = [
        .diskFull, .ioError, .outOfMemory, .accessDenied, .mapFull, .mapResized, .readersFull, .transactionFull,
        .databasesFull, .damaged, .outcomeUnknown(isMade: true), .outcomeUnknown(isMade: false),
    ]

    /// The calls that writes make. Calls that end a write occur more often than the others.
    private static let calls: [FaultInjector.Call?] = [
        nil, nil, .put, .put, .delete, .get, .openCursor, .moveCursor, .begin, .commit, .commit, .growth, .info,
        .checkReaders, .listReaders, .renew, .statistics,
    ]

    /// Applies the changes of one write to the model, and returns the closure that makes them in the store.
    private static func change(
        _ random: inout TestRandom, _ contents: inout Contents
    )
        -> @Sendable (
            inout WriteTransaction
        ) throws -> Void
    {
        var steps: [@Sendable (inout WriteTransaction) throws -> Void] = []
        for _ in 0...random.below(4) {
            let id = "l\(random.below(8))"
            if random.below(3) == 0 {
                contents[id] = nil
                steps.append { tx in try tx.delete(Lamp.self, id: id) }
                continue
            }
            let room = String(repeating: "r\(random.below(3))", count: random.below(12) == 0 ? 2_000 : 1)
            let lamp = Lamp(
                id: id, room: room, watts: random.below(100),
                token: UUID(uuidString: "00000000-0000-4000-8000-000000000001") ?? UUID(),
                bought: Date(timeIntervalSinceReferenceDate: Double(random.below(1_000))))
            contents[id] = lamp
            steps.append { tx in try tx.upsert(lamp) }
        }
        return { [steps] tx in for step in steps { try step(&tx) } }
    }

    @Test(arguments: TestLength.seeds(300, long: 5_000))
    func `A write that meets a fault is made as a whole or not at all, and the next ones are made`(seed: UInt64) throws
    {
        var random = TestRandom(seed: seed)
        var subject = try Subject()
        defer { subject.store.close() }
        for number in 0..<12 {
            let before = subject.expected
            var after = before
            let change = Self.change(&random, &after)
            let sequence = try subject.store.position.sequence
            let call = Self.calls[random.below(Self.calls.count)]
            let failure = Self.failures[random.below(Self.failures.count)]
            let count = random.below(random.below(2) == 0 ? 4 : 60)
            let comment: Comment = "write \(number): \(call?.description ?? "any") \(count) \(failure)"
            do {
                try subject.faults.failing(call, with: failure, after: count) { _ = try subject.store.write(change) }
                subject.expected = after
            } catch let error as StoreError {
                if error.code == .outcomeUnknown {
                    // The open store cannot determine the outcome; only a later open can.
                    try subject.reopen()
                    let found = try subject.contents()
                    #expect(found == before || found == after, comment)
                    subject.expected = found
                } else {
                    #expect(try subject.store.position.sequence == sequence, comment)
                }
            }
            #expect(try subject.contents() == subject.expected, comment)
        }
        #expect(try subject.findings() == [])
        // The reopened store shows no state that only this process saw.
        try subject.reopen()
        #expect(try subject.contents() == subject.expected)
    }

    @Test(arguments: TestLength.seeds(60, long: 1_000))
    func `Of writes that are committed together, each that returned is there and each that threw is not`(
        seed: UInt64
    ) async throws {
        var random = TestRandom(seed: seed)
        let store = try Store.temporary(records: Lamp.self, options: .deterministic(seed: seed))
        defer { store.close() }
        let faults = FaultInjector(store)
        var expected: Set<String> = []
        for round in 0..<6 {
            let call = [FaultInjector.Call.commit, .put, .begin, .get][random.below(4)]
            let failure = Self.failures[random.below(5)]
            let count = random.below(12)
            let made = await faults.failing(call, with: failure, after: count) {
                await withTaskGroup(of: String?.self) { group in
                    for number in 0..<6 {
                        let id = "\(round)-\(number)"
                        group.addTask {
                            do {
                                try await store.write { tx in try tx.insert(Lamp(id: id)) }
                                return id
                            } catch {
                                return nil
                            }
                        }
                    }
                    return await group.reduce(into: Set()) { set, id in if let id { set.insert(id) } }
                }
            }
            expected.formUnion(made)
            let found = try store.read { tx in Set(try tx.fetch(FetchRequest<Lamp>()).map(\.id)) }
            #expect(found == expected, "round \(round): \(call) \(count) \(failure)")
        }
        var findings: [String] = []
        try store.verify { findings.append("\($0)") }
        #expect(findings == [])
    }

    @Test(arguments: TestLength.seeds(100, long: 2_000))
    func `A store whose opening meets a fault opens afterwards as if nothing had been`(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let directory = try TestDirectory()
        let faults = FaultInjector(path: directory.path)
        func open() throws -> Store {
            var options = StoreOptions.deterministic(seed: seed)
            options.addressSpaceByteCount = 16 << 20
            return try Store(at: directory.path, records: Lamp.self, options: options)
        }
        for _ in 0..<6 {
            let call: FaultInjector.Call? =
                [nil, .open, .sync, .begin, .openDatabase, .put, .get, .commit, .moveCursor][random.below(9)]
            let failure = Self.failures[random.below(Self.failures.count)]
            let store = try? faults.failing(call, with: failure, after: random.below(20)) { try open() }
            store?.close()
        }
        let store = try open()
        defer { store.close() }
        try store.write { tx in try tx.insert(Lamp(id: "a")) }
        var findings: [String] = []
        try store.verify { findings.append("\($0)") }
        #expect(findings == [])
    }
}
