import ChildPrograms
import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
import Testing

/// A random history of a store, with a list of everything that it did.
///
/// Several versions of a program write to the store, and optionally a program that does not know ModelStore. The store is
/// reopened, copied, and trimmed by count, age or size. Readers resume from any position with any options, one reader runs for
/// the whole history, and consumers start and end. The run compares each change set with the list.
final class FeedModelRun {
    /// The kind of a change set in the list.
    enum Entry {
        case changes([PlainChange], Position)
        /// The first change set after foreign writes.
        case reset
        case schema
        /// A count that a consumer wrote.
        case tally
    }

    /// A change set in the list.
    struct Noted {
        let entry: Entry
        /// The name of the program that wrote it.
        let origin: String
        let time: Date
        /// All records after it, and their incarnations.
        let state: [String: PlainSensor]
        let lives: [String: Int]
    }

    /// The bytes of a record, kept by the foreign program.
    struct Kept {
        let name: String
        let id: String
        let value: PlainSensor
        /// The record's incarnation.
        let life: Int
    }

    let seed: UInt64
    var random: TransactionRandom
    private let directory: TestDirectory
    private var copies = 0
    var store: Store
    /// Stores that were opened before a schema change. Readers that started on them continue.
    private var olderStores: [Store] = []
    var version = SensorVersion.first
    var retention = ModelRetention()
    let clock = ModelClock()
    /// The name of this program while the store is open.
    var originName = "one"
    var follower: Follower?
    var consumers = ModelConsumer.all
    /// Writes to the store as a program that does not know ModelStore; nil for a history without foreign writes.
    let foreign: ForeignWriter?
    /// Whether threads wait for commits, so that the store notes a foreign write at once and not with the next write.
    var isWatched = false

    var sensors: [String: PlainSensor] = [:]
    var lives: [String: Int] = [:]
    var entries: [UInt64: Noted] = [:]
    var newest: UInt64
    var positions: [Position]
    /// The last change set that retention may have removed.
    private var removable: UInt64 = 0
    /// Whether a foreign program has written without a reset in the feed yet.
    var isForeignPending = false
    var kept: [Kept] = []
    /// The number of marks that the history has written for all consumers.
    var markCount = 0

    init(seed: UInt64, foreign: ForeignWriter? = nil) throws {
        self.seed = seed
        self.foreign = foreign
        random = TransactionRandom(seed: seed)
        directory = try TestDirectory()
        store = try Store(
            at: directory.path + "/0", records: Self.records(version),
            options: Self.options(retention, clock, originName))
        positions = [try store.position]
        newest = positions[0].sequence
        for sequence in 1...newest {
            entries[sequence] = Noted(entry: .schema, origin: originName, time: clock.now, state: [:], lives: [:])
        }
    }

    private static func records(_ version: SensorVersion) -> [any Record.Type] { version.records + [Tally.self] }

    private static func options(_ retention: ModelRetention, _ clock: ModelClock, _ originName: String) -> StoreOptions
    {
        var options = ChangeFeedTests.small()
        options.durability = .relaxed
        options.clock = { clock.now }
        options.originName = originName
        options.limits.retainedChangeSets = retention.changeSets
        options.limits.retainedAge = retention.seconds.map { .seconds($0) }
        options.limits.retainedFeedByteCount = retention.byteCount
        return options
    }

    var path: String { directory.path + "/\(copies)" }

    func step() async throws {
        clock.pass(Double.random(in: 0...10, using: &random))
        switch Int.random(in: 0..<34, using: &random) {
        case 0: try reopen()
        case 1: try copy()
        case 2: try changeSchema()
        case 3...5: try await foreignWrite()
        case 6...11: try await resume(from: try #require(positions.randomElement(using: &random)))
        case 12...15: try await follow()
        case 16...18: try await consume()
        case 19 where seed % 4 == 0 && newest < 60: try await writeMany()
        case 20...21: try await undo()
        default: try await write()
        }
        try checkRetention()
    }

    func readEverything() async throws {
        for position in positions { try await resume(from: position) }
    }

    /// Checks the consistency of the whole store, including the feed.
    func verify() throws {
        if isForeignPending { try reopen() }
        var findings: [String] = []
        try store.verify { findings.append("\($0)") }
        // The foreign program's own database does not belong to the store.
        findings.removeAll { $0.hasPrefix("database foreign:") }
        #expect(findings == [], "seed \(seed)")
    }

    // MARK: Opening

    private func reopen() throws {
        close()
        retention = .any(&random)
        originName = Bool.random(using: &random) ? "one" : "two"
        let isNewer = Int.random(in: 0..<3, using: &random) == 0
        try open(isNewer ? SensorVersion(rawValue: version.rawValue + 1) : nil)
    }

    /// Continues with a copy, which has the same history and its own epoch.
    private func copy() throws {
        let next = directory.path + "/\(copies + 1)"
        try store.backup(to: next, compacting: Bool.random(using: &random))
        close()
        copies += 1
        try open(nil)
    }

    /// Starts a newer version of the program while the older one continues.
    private func changeSchema() throws {
        guard let next = SensorVersion(rawValue: version.rawValue + 1) else { return }
        olderStores.append(store)
        try open(next)
    }

    private func open(_ next: SensorVersion?) throws {
        version = next ?? version
        store = try Store(
            at: path, records: Self.records(version), options: Self.options(retention, clock, originName))
        try noteHousekeeping(changesSchema: next != nil)
    }

    private func close() {
        noteRemovable()
        store.close()
        for store in olderStores { store.close() }
        olderStores = []
        follower = nil
        isWatched = false
    }

    /// Adds the change sets of opening the store to the list.
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

    // MARK: The list

    /// Adds the next change set to the list. `sensors` must already contain its changes.
    func note(_ entry: Entry, origin: String? = nil) {
        newest += 1
        entries[newest] = Noted(
            entry: entry, origin: origin ?? originName, time: clock.now, state: sensors, lives: lives)
    }

    func noteReset() {
        note(.reset)
        isForeignPending = false
    }

    /// Sets the state of a record in the list.
    func set(_ id: String, to value: PlainSensor?) {
        if (sensors[id] == nil) != (value == nil) { lives[id, default: 0] += 1 }
        sensors[id] = value
    }

    /// Returns all records after a change set.
    func state(at sequence: UInt64) -> [String: PlainSensor] { entries[sequence]?.state ?? [:] }

    // MARK: Retention

    /// Updates the number of the last change set that retention may have removed.
    private func noteRemovable() {
        var end = newest > UInt64(retention.changeSets) ? newest - UInt64(retention.changeSets) : 0
        if let seconds = retention.seconds {
            let limit = clock.now.addingTimeInterval(-seconds)
            while end < newest - 1, let next = entries[end + 1], next.time < limit { end += 1 }
        }
        if retention.byteCount != nil { end = newest - 1 }
        removable = max(removable, min(end, newest - 1))
    }

    /// Returns whether retention may have removed all change sets up to this one.
    func isRemovable(_ sequence: UInt64) -> Bool {
        noteRemovable()
        return sequence <= removable
    }

    /// Checks that retention has removed nothing that a limit or a lease retains.
    func checkRetention() throws {
        let oldest = try store.feedRange.lowerBound
        #expect(isRemovable(oldest), "seed \(seed): change sets up to \(oldest) have left, \(retention)")
        for consumer in consumers {
            guard let position = consumer.position, consumer.lease == RetentionLease() else { continue }
            #expect(oldest <= position, "seed \(seed): \(consumer.name) is at \(position)")
        }
    }
}

/// The retention limits of a history.
struct ModelRetention {
    var changeSets = 10_000
    var seconds: Double?
    var byteCount: Int?

    /// Returns a random limit by count, age or size, or none.
    static func any(_ random: inout TransactionRandom) -> ModelRetention {
        var retention = ModelRetention()
        switch Int.random(in: 0..<6, using: &random) {
        case 0: retention.changeSets = 5
        case 1: retention.changeSets = 20
        case 2: retention.seconds = 60
        case 3: retention.byteCount = 150_000
        default: break
        }
        return retention
    }
}

/// The clock of a history.
final class ModelClock: Sendable {
    private let seconds = Mutex(0.0)

    var now: Date { Date(timeIntervalSinceReferenceDate: seconds.withLock { $0 }) }

    func pass(_ more: Double) { seconds.withLock { $0 += more } }
}
