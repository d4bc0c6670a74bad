import Foundation
import ModelStore
import Testing

/// The feed of random histories, held against a plain list of what was written.
@Suite(.timeLimit(.minutes(20))) struct FeedModelTests {
    @Test(arguments: 0..<TestLength.runs(60, long: 2_000))
    func `from every position on the feed tells what was written, or says that it cannot`(seed: Int) async throws {
        let run = try FeedModelRun(seed: UInt64(seed))
        for _ in 0..<80 { try await run.step() }
        try await run.readEverything()
    }

    @Test func `a write of very many changes is read in parts, and costs a reader no more memory than one part`()
        async throws
    {
        let directory = try TestDirectory()
        var options = StoreOptions()
        options.mapByteCount = 1 << 34
        options.durability = .relaxed
        let store = try Store(at: directory.path + "/store", records: Reading.self, options: options)
        let count = TestLength.runs(100_000, long: 1_000_000)
        let start = try store.position
        try await store.write { tx in
            for number in 0..<count { try tx.insert(Reading(id: number, value: number * 3)) }
        }
        try await store.write { tx in try tx.insert(Reading(id: count, value: 0)) }
        var feedOptions = FeedOptions()
        feedOptions.changesPerPart = 2_000
        var feed = store.changes(since: start, feedOptions).makeAsyncIterator()
        var next = 0
        var parts = 0
        while next < count, let set = try await feed.next() {
            #expect(set.part == parts && set.changes.count <= 2_000)
            parts += 1
            for change in try set.changes(of: Reading.self) {
                guard change.id == next, change.after?.value == next * 3 else {
                    Issue.record("change \(next) is of \(change.id)")
                    return
                }
                next += 1
            }
            #expect(set.isLastPart == (next == count))
        }
        #expect(try await feed.next()?.changes(of: Reading.self).map(\.id) == [count])
        // Inverting it takes all away again.
        let reverted = try await store.revert(to: start).result
        #expect(reverted == 2)
        #expect(try store.read { try $0.count(Reading.self) } == 0)
    }
}

@Record
struct Reading {
    @ID var id: Int
    var value: Int
}

/// What a later version of the program calls the same records.
@Record("Sensor")
struct WiderSensor {
    @ID var id: String
    @Indexed var room: String
    @Unique var serial: String
    var celsius: Double = 0
    var note: String?
    var floor: Floor = .ground
    var level: Int = 7
}

/// How much longer some tests run when asked to.
enum TestLength {
    static func runs(_ quick: Int, long: Int) -> Int {
        ProcessInfo.processInfo.environment["MODELSTORE_LONG"] == "1" ? long : quick
    }
}

/// What both versions of the program know of a sensor.
private struct Plain: Equatable {
    var celsius: Double
    var note: String?
    var level: Int
}

/// One change as the model has it.
private struct ModelChange: Equatable {
    let id: String
    let before: Plain?
    let after: Plain?
}

/// A random history, with a list of all that it did.
private final class FeedModelRun {
    private let seed: UInt64
    private var random: TransactionRandom
    private let directory: TestDirectory
    private var copies = 0
    private var store: Store
    private var isWide = false
    private var retained = 10_000
    private var sensors: [String: Plain] = [:]
    /// The changes of each change set that has some, by sequence number, and the position after it.
    private var written: [UInt64: (changes: [ModelChange], position: Position)] = [:]
    private var positions: [Position] = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = TransactionRandom(seed: seed)
        directory = try TestDirectory()
        store = try Store(at: directory.path + "/0", records: Sensor.self, options: Self.options(retained))
        positions = [try store.position]
    }

    private static func options(_ retained: Int) -> StoreOptions {
        var options = ChangeFeedTests.small()
        options.durability = .relaxed
        options.limits.retainedChangeSets = retained
        return options
    }

    func step() async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: try reopen()
        case 1: try compact()
        case 2...7: try await resume(from: try #require(positions.randomElement(using: &random)))
        default: try await write()
        }
    }

    func readEverything() async throws {
        for position in positions { try await resume(from: position) }
    }

    private func reopen() throws {
        store.close()
        retained = [5, 20, 10_000].randomElement(using: &random) ?? 5
        isWide = isWide || Bool.random(using: &random)
        try open(copies)
    }

    /// Goes on with a compacted copy, which has the history so far and an epoch of its own.
    private func compact() throws {
        try store.backup(to: directory.path + "/\(copies + 1)", compacting: true)
        store.close()
        copies += 1
        try open(copies)
    }

    private func open(_ number: Int) throws {
        let path = directory.path + "/\(number)"
        let types: [any Record.Type] = isWide ? [WiderSensor.self] : [Sensor.self]
        store = try Store(at: path, records: types, options: Self.options(retained))
    }

    // MARK: Writing

    private struct Operation {
        let id: Int
        /// Nil deletes.
        let value: Plain?
    }

    private func write() async throws {
        var operations: [Operation] = []
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let value = Plain(
                celsius: Double(Int.random(in: 0..<3, using: &random)),
                note: Bool.random(using: &random) ? "n" : nil,
                level: isWide ? Int.random(in: 0..<3, using: &random) : 7)
            operations.append(
                Operation(
                    id: Int.random(in: 0..<8, using: &random),
                    value: Int.random(in: 0..<4, using: &random) == 0 ? nil : value))
        }
        let steps = operations
        let wide = isWide
        let position = try await store.write { tx in
            for step in steps { try Self.perform(step, wide, &tx) }
        }.position
        note(operations, position)
    }

    private static func perform(_ step: Operation, _ wide: Bool, _ tx: inout WriteTransaction) throws {
        let (id, serial) = ("s\(step.id)", "A-\(step.id)")
        switch (step.value, wide) {
        case (nil, true): _ = try tx.delete(WiderSensor.self, id: id)
        case (nil, false): _ = try tx.delete(Sensor.self, id: id)
        case (let value?, true):
            try tx.upsert(
                WiderSensor(
                    id: id, room: "r", serial: serial, celsius: value.celsius, note: value.note, level: value.level))
        case (let value?, false):
            try tx.upsert(Sensor(id: id, room: "r", serial: serial, celsius: value.celsius, note: value.note))
        }
    }

    private func note(_ operations: [Operation], _ position: Position) {
        var order: [String] = []
        var before: [String: Plain?] = [:]
        for step in operations {
            let id = "s\(step.id)"
            let old = sensors[id]
            if step.value == nil, old == nil { continue }
            var new = step.value
            // The old program keeps what it does not know.
            if !isWide, let kept = before[id] ?? old { new?.level = old == nil ? 7 : kept.level }
            if before[id] == nil, new != old {
                order.append(id)
                before[id] = .some(old)
            }
            sensors[id] = new
        }
        let changes = order.compactMap { id -> ModelChange? in
            let old = before[id] ?? nil
            return old == sensors[id] ? nil : ModelChange(id: id, before: old, after: sensors[id])
        }
        if !changes.isEmpty { written[position.sequence] = (changes, position) }
        positions.append(position)
    }

    // MARK: Reading

    private func resume(from position: Position) async throws {
        let range = try store.feedRange
        var options = FeedOptions()
        options.changesPerPart = Int.random(in: 1...4, using: &random)
        var feed = store.changes(since: position, options).makeAsyncIterator()
        do {
            var reached = position.sequence
            var pending: [ModelChange] = []
            while reached < range.upperBound, let set = try await feed.next() {
                pending += try changes(set)
                guard set.isLastPart else {
                    #expect(set.position.sequence == reached, "seed \(seed)")
                    continue
                }
                reached += 1
                #expect(set.sequence == reached, "seed \(seed)")
                #expect(pending == written[reached]?.changes ?? [], "seed \(seed), change set \(reached)")
                if let known = written[reached] { #expect(set.position == known.position, "seed \(seed)") }
                pending = []
            }
            #expect(position.sequence >= range.lowerBound, "seed \(seed)")
        } catch let error as StoreError where error.code == .positionCompacted {
            // Retention may have gone on since the range was read.
            let now = try store.feedRange
            #expect(position.sequence < now.lowerBound, "seed \(seed): \(error)")
            let oldest = try #require(error.oldestPosition?.sequence, "seed \(seed)")
            #expect((range.lowerBound...now.lowerBound).contains(oldest), "seed \(seed)")
        }
    }

    private func changes(_ set: ChangeSet) throws -> [ModelChange] {
        if isWide {
            return try set.changes(of: WiderSensor.self).map { change in
                ModelChange(id: change.id, before: change.before.map(Self.plain), after: change.after.map(Self.plain))
            }
        }
        return try set.changes(of: Sensor.self).map { change in
            ModelChange(id: change.id, before: change.before.map(Self.plain), after: change.after.map(Self.plain))
        }
    }

    private static func plain(_ sensor: Sensor) -> Plain { Plain(celsius: sensor.celsius, note: sensor.note, level: 7) }

    private static func plain(_ sensor: WiderSensor) -> Plain {
        Plain(celsius: sensor.celsius, note: sensor.note, level: sensor.level)
    }
}
