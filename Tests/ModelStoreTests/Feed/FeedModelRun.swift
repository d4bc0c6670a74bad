import ChildPrograms
import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// A random history of a store, with a list of all that it did.
///
/// The store is written by several versions of a program and by one that knows nothing of ModelStore, opened anew, copied, and
/// cut at its end; readers go on from any position, and one goes on all the time. Each change set is held against the list.
final class FeedModelRun {
    /// What a change set is, by the list.
    private enum Entry {
        case changes([PlainChange], Position)
        /// The first after foreign writes.
        case reset
        case schema
    }

    /// A record's bytes that the foreign program has kept.
    private struct Kept {
        let name: String
        let id: String
        let value: PlainSensor
        /// Of which of its lives it is.
        let life: Int
    }

    /// The reader that goes on all the time.
    private struct Follower {
        var feed: ChangeFeed.Iterator
        let version: SensorVersion
        var reached: UInt64
        /// What it has of a change set of which parts are missing.
        var pending: [PlainChange] = []
    }

    private let seed: UInt64
    private var random: TransactionRandom
    private let directory: TestDirectory
    private var copies = 0
    private var store: Store
    /// Opened before the schema last changed under them; readers that began with them go on.
    private var olderStores: [Store] = []
    private var version = SensorVersion.first
    private var retained = 10_000
    private var follower: Follower?
    /// Whether threads wait for writes, so that a foreign one is noted by itself and not with the next write.
    private var isWatched = false

    private var sensors: [String: PlainSensor] = [:]
    private var lives: [String: Int] = [:]
    private var entries: [UInt64: Entry] = [:]
    private var newest: UInt64
    private var positions: [Position]
    /// Whether a foreign program has written and no change set says so.
    private var isForeignPending = false
    private var kept: [Kept] = []

    init(seed: UInt64) throws {
        self.seed = seed
        random = TransactionRandom(seed: seed)
        directory = try TestDirectory()
        store = try Store(at: directory.path + "/0", records: [Sensor.self], options: Self.options(retained))
        positions = [try store.position]
        newest = positions[0].sequence
    }

    private static func options(_ retained: Int) -> StoreOptions {
        var options = ChangeFeedTests.small()
        options.durability = .relaxed
        options.limits.retainedChangeSets = retained
        return options
    }

    private var path: String { directory.path + "/\(copies)" }

    func step() async throws {
        switch Int.random(in: 0..<30, using: &random) {
        case 0: try reopen()
        case 1: try copy()
        case 2: try changeSchema()
        case 3...5: try await foreignWrite()
        case 6...11: try await resume(from: try #require(positions.randomElement(using: &random)))
        case 12...15: try await follow()
        default: try await write()
        }
    }

    func readEverything() async throws {
        for position in positions { try await resume(from: position) }
    }

    /// The whole store fits together, feed included.
    func verify() throws {
        if isForeignPending { try reopen() }
        var findings: [String] = []
        try store.verify { findings.append("\($0)") }
        // What the foreign program calls its own is none of the store's.
        findings.removeAll { $0.hasPrefix("database foreign:") }
        #expect(findings == [], "seed \(seed)")
    }

    // MARK: Opening

    private func reopen() throws {
        close()
        retained = [5, 20, 10_000].randomElement(using: &random) ?? 5
        let isNewer = Int.random(in: 0..<3, using: &random) == 0
        try open(isNewer ? SensorVersion(rawValue: version.rawValue + 1) : nil)
    }

    /// Goes on with a copy, which has the history so far and an epoch of its own.
    private func copy() throws {
        let next = directory.path + "/\(copies + 1)"
        try store.backup(to: next, compacting: Bool.random(using: &random))
        close()
        copies += 1
        try open(nil)
    }

    /// A newer version of the program begins while the older one goes on.
    private func changeSchema() throws {
        guard let next = SensorVersion(rawValue: version.rawValue + 1) else { return }
        olderStores.append(store)
        try open(next)
    }

    private func open(_ next: SensorVersion?) throws {
        version = next ?? version
        store = try Store(at: path, records: version.records, options: Self.options(retained))
        try noteHousekeeping(changesSchema: next != nil)
    }

    private func close() {
        store.close()
        for store in olderStores { store.close() }
        olderStores = []
        follower = nil
        isWatched = false
    }

    /// Lists what opening the store has added to the feed.
    private func noteHousekeeping(changesSchema: Bool) throws {
        let position = try store.position
        var added = position.sequence - newest
        if isForeignPending {
            try #require(added > 0, "seed \(seed): nothing tells of a foreign write")
            noteReset()
            added -= 1
        }
        #expect((added > 0) == changesSchema, "seed \(seed): \(added) changes of the schema")
        for _ in 0..<added { note(.schema) }
        positions.append(position)
    }

    private func note(_ entry: Entry) {
        newest += 1
        entries[newest] = entry
    }

    private func noteReset() {
        note(.reset)
        isForeignPending = false
    }

    // MARK: Writing

    private struct Operation {
        let id: String
        /// Nil deletes.
        let value: PlainSensor?
    }

    private func write() async throws {
        let operations = (0..<Int.random(in: 1...5, using: &random)).map { _ in randomOperation() }
        let writer = SensorVersion.allCases[Int.random(in: 0...version.rawValue, using: &random)]
        let position = try await store.write { tx in
            for step in operations {
                if let value = step.value {
                    try writer.put(value, id: step.id, &tx)
                } else {
                    try writer.delete(id: step.id, &tx)
                }
            }
        }.position
        // It stands before what is written, also where that is nothing.
        if isForeignPending { noteReset() }
        let changes = apply(operations, writer)
        if !changes.isEmpty { note(.changes(changes, position)) }
        #expect(position.sequence == newest, "seed \(seed)")
        positions.append(position)
    }

    private func randomOperation() -> Operation {
        let id = "s\(Int.random(in: 0..<8, using: &random))"
        if Int.random(in: 0..<4, using: &random) == 0 { return Operation(id: id, value: nil) }
        // Some records take a fragment of the feed and more.
        let lengths = [1, 1, 1, 1, 1, 1, 1, 70_000]
        let length = lengths.randomElement(using: &random) ?? 1
        let value = PlainSensor(
            celsius: Double(Int.random(in: 0..<3, using: &random)),
            note: Bool.random(using: &random) ? String(repeating: "n", count: length) : nil,
            level: Int.random(in: 0..<3, using: &random), tag: Bool.random(using: &random) ? "t" : "u")
        return Operation(id: id, value: value)
    }

    /// Does in the list what a write has done.
    ///
    /// - Returns: the net changes.
    private func apply(_ operations: [Operation], _ writer: SensorVersion) -> [PlainChange] {
        var order: [String] = []
        var before: [String: PlainSensor?] = [:]
        for step in operations {
            let old = sensors[step.id]
            var new = step.value?.known(to: writer)
            // An older program keeps what it does not know.
            if let old, writer == .first { new?.level = old.level }
            if let old, writer != .widest { new?.tag = old.tag }
            if new != old, before[step.id] == nil {
                order.append(step.id)
                before[step.id] = .some(old)
            }
            sensors[step.id] = new
        }
        return order.compactMap { id in
            let old = before[id] ?? nil
            guard old != sensors[id] else { return nil }
            if old == nil || sensors[id] == nil { lives[id, default: 0] += 1 }
            return PlainChange(id: id, before: old, after: sensors[id])
        }
    }

    // MARK: Foreign writes

    private func foreignWrite() async throws {
        guard let writer = ForeignWriter.shared else { return }
        if !sensors.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
            return try keep(writer)
        }
        // Sometimes somebody waits when it is written, and for all that is written later.
        isWatched = isWatched || !isForeignPending && Int.random(in: 0..<3, using: &random) == 0
        let waiting = isWatched ? try await waitingReader() : nil
        if let old = kept.randomElement(using: &random), lives[old.id, default: 0] == old.life,
            sensors[old.id] != nil
        {
            try writer.putBack(old.name, to: path)
            sensors[old.id] = old.value
        } else {
            try writer.write(to: path)
        }
        isForeignPending = true
        guard let waiting else { return }
        let sequence = try await waiting.value
        #expect(sequence == newest + 1, "seed \(seed)")
        noteReset()
        positions.append(try store.position)
    }

    private func keep(_ writer: ForeignWriter) throws {
        guard let (id, value) = sensors.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else { return }
        let old = Kept(name: "\(seed).\(kept.count)", id: id, value: value, life: lives[id, default: 0])
        try writer.keep(old.name, from: path, "records.1", keyPrefix: id)
        kept.append(old)
    }

    /// A reader that waits for the next reset.
    private func waitingReader() async throws -> Task<UInt64, any Error> {
        let feed = store.changes(from: .newest)
        return Task {
            for try await set in feed where set.resets(Sensor.self) { return set.sequence }
            return 0
        }
    }

    // MARK: Reading

    private func resume(from position: Position) async throws {
        let range = try store.feedRange
        let reader = SensorVersion.allCases[Int.random(in: 0...version.rawValue, using: &random)]
        var feed = store.changes(since: position, readingOptions()).makeAsyncIterator()
        do {
            var reached = position.sequence
            var pending: [PlainChange] = []
            while reached < range.upperBound, let set = try await feed.next() {
                check(set, reader, &reached, &pending)
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

    /// Lets the reader that goes on all the time read some more.
    private func follow() async throws {
        var follower = self.follower ?? makeFollower()
        do {
            for _ in 0..<Int.random(in: 1...8, using: &random) where follower.reached < newest {
                guard let set = try await follower.feed.next() else { return }
                check(set, follower.version, &follower.reached, &follower.pending)
            }
            self.follower = follower
        } catch let error as StoreError where error.code == .positionCompacted {
            #expect(try follower.reached < store.feedRange.lowerBound, "seed \(seed): \(error)")
            self.follower = nil
        }
    }

    private func makeFollower() -> Follower {
        let feed = store.changes(from: .newest, readingOptions())
        return Follower(feed: feed.makeAsyncIterator(), version: version, reached: newest)
    }

    private func readingOptions() -> FeedOptions {
        var options = FeedOptions()
        options.changesPerPart = Int.random(in: 1...4, using: &random)
        return options
    }

    /// Holds a change set, or a part of one, against the list.
    private func check(
        _ set: ChangeSet, _ reader: SensorVersion, _ reached: inout UInt64, _ pending: inout [PlainChange]
    ) {
        do {
            pending += try reader.changes(set)
        } catch {
            Issue.record("seed \(seed), change set \(set.sequence): \(error)")
        }
        guard set.isLastPart else {
            #expect(set.position.sequence == reached, "seed \(seed)")
            return
        }
        reached += 1
        #expect(set.sequence == reached, "seed \(seed)")
        switch entries[reached] {
        case .changes(let changes, let position):
            #expect(pending == changes.map { $0.known(to: reader) }, "seed \(seed), change set \(reached)")
            #expect(set.position == position, "seed \(seed)")
            #expect(!set.resets(Sensor.self), "seed \(seed)")
        case .reset:
            #expect(set.changes.map(\.kind) == [.reset] && set.resets(Sensor.self), "seed \(seed), \(reached)")
        case .schema:
            #expect(set.changes.map(\.kind) == [.schema], "seed \(seed), change set \(reached)")
            #expect(set.changes.first?.typeName == "Sensor", "seed \(seed)")
        case nil: Issue.record("seed \(seed): nothing wrote change set \(reached)")
        }
        pending = []
    }
}
