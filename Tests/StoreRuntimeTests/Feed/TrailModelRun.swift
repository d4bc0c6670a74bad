import Foundation
import LMDB
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

/// Runs a random history of a store with a trail. Readers return with the rows of a random earlier position. The run checks each
/// element that they receive against the complete history.
final class TrailModelRun {
    /// One incarnation of a record: the change set that inserted it, and the one that deleted it.
    private struct Life {
        let birth: UInt64
        var death = UInt64.max
    }

    private let seed: UInt64
    private var random: TestRandom
    private let folder: StoreFolder
    private var copies = 0
    private var store: Store
    private var changedRecordLimit = 1_000

    /// All rows after each change set.
    private var states: [UInt64: [String: Sensor]] = [:]
    private var lives: [String: [Life]] = [:]
    private var positions: [Position] = []
    private var rows: [String: Sensor] = [:]
    /// Whether reads run without concurrent writes and trims.
    private var isQuiet = false

    /// The number of differences that were read to their end.
    private(set) var endedDifferences = 0
    /// The number of records in all differences, by change kind.
    private(set) var told: [ChangeKind?: Int] = [:]

    init(seed: UInt64) throws {
        self.seed = seed
        random = TestRandom(seed: seed)
        folder = try StoreFolder()
        store = try Store(
            at: folder.path + "/0", records: [Sensor.self], options: Self.options(retained: 8, trail: 1_000))
        note(try store.position)
    }

    private static func options(retained: Int, trail: Int?) -> StoreOptions {
        var options = StoreOptions()
        options.durability = .relaxed
        options.addressSpaceByteCount = 1 << 28
        options.limits.retainedChangeSets = retained
        options.limits.changedRecordLimit = trail
        return options
    }

    private func note(_ position: Position) {
        states[position.sequence] = rows
        positions.append(position)
    }

    func run(_ steps: Int) async throws {
        for _ in 0..<steps {
            switch random.below(12) {
            case 0: try reopen()
            case 1: try copy()
            case 2, 3: try trim(random.below(3) + 1)
            case 4, 5, 6: try await read(since: random.pick(positions))
            default: try write()
            }
        }
        isQuiet = true
        for _ in 0..<8 { try await read(since: random.pick(positions)) }
    }

    func verify() throws {
        var findings: [String] = []
        try store.verify { findings.append("\($0)") }
        #expect(findings == [], "seed \(seed)")
    }

    // MARK: Operations on the store

    private func reopen() throws {
        store.close()
        // A small limit makes the trail forget records. Without a limit, the program does not ask for a trail.
        let trail = random.pick([1_000, 1_000, 5, nil])
        if let trail { changedRecordLimit = trail }
        try open(trail)
    }

    private func open(_ trail: Int?) throws {
        let options = Self.options(retained: random.pick([1, 4, 8, 1_000]), trail: trail)
        store = try Store(at: folder.path + "/\(copies)", records: [Sensor.self], options: options)
        // A copy has its own position for the same change set.
        positions.append(try store.position)
    }

    private func copy() throws {
        try store.backup(to: folder.path + "/\(copies + 1)", compacting: random.oneIn(2))
        store.close()
        copies += 1
        try open(nil)
    }

    private func trim(_ count: Int) throws {
        let core = store.core
        for _ in 0..<count where try !core.perform({ try core.retention.step() }) { return }
    }

    private func write() throws {
        let ids = ["a", "b", "c", "d", "e", String(repeating: "long ", count: 70)]
        let operations = (0..<random.below(3) + 1).map { _ in
            (id: random.pick(ids), value: random.oneIn(3) ? nil : Double(random.below(4)))
        }
        let (before, old) = (try store.position.sequence, rows)
        let position = try store.write(returning: .position) { tx in
            for step in operations {
                if let value = step.value {
                    try tx.upsert(Sensor(id: step.id, room: "r", serial: "A-" + step.id, celsius: value))
                } else {
                    try tx.delete(Sensor.self, id: step.id)
                }
            }
        }.position
        for step in operations {
            rows[step.id] = step.value.map { Sensor(id: step.id, room: "r", serial: "A-" + step.id, celsius: $0) }
        }
        #expect(position.sequence == before + (rows == old ? 0 : 1), "seed \(seed)")
        guard position.sequence > before else { return }
        for id in ids {
            if old[id] == nil, rows[id] != nil { lives[id, default: []].append(Life(birth: position.sequence)) }
            if old[id] != nil, rows[id] == nil, var life = lives[id]?.popLast() {
                life.death = position.sequence
                lives[id]?.append(life)
            }
        }
        note(position)
    }

    /// Changes the store while a reader is running.
    private func disturb() throws {
        guard !isQuiet, random.oneIn(4) else { return }
        try write()
        if random.oneIn(2) { try trim(1) }
    }

    // MARK: Reading

    /// The rows of a reader that keeps only rows that are warm enough.
    private struct Replica {
        var rows: [String: Sensor]
        var reached: UInt64
        let warmth: Double?

        func keeps(_ sensor: Sensor?) -> Bool { sensor.map { warmth == nil || $0.celsius >= warmth ?? 0 } ?? false }

        func kept(_ all: [String: Sensor]) -> [String: Sensor] { all.filter { keeps($0.value) } }
    }

    private func read(since position: Position) async throws {
        let warmth = random.oneIn(2) ? nil : Double(random.below(4))
        var replica = Replica(rows: [:], reached: position.sequence, warmth: warmth)
        replica.rows = replica.kept(try #require(states[position.sequence]))
        var options = FeedOptions()
        if let warmth { options.filters = [FeedFilter(Sensor.self) { $0.celsius >= warmth }] }
        options.changesPerPart = random.below(4) + 1
        options.reportsProgress = true
        var reader = store.catchUp(since: position, options).makeAsyncIterator()
        let end = try store.position.sequence
        var (isReady, differenceSince) = (false, position.sequence)
        do {
            while !isReady || replica.reached < end, let element = try await reader.next() {
                switch element {
                case .difference(let part):
                    if isReady { differenceSince = replica.reached }
                    isReady = false
                    #expect(part.since.sequence == differenceSince, "seed \(seed)")
                    try take(part, &replica)
                case .ready(let now):
                    if !isReady { endedDifferences += 1 }
                    isReady = true
                    replica.reached = now.sequence
                    try requireEqual(replica)
                case .commit(let set):
                    let next = replica.reached + 1
                    #expect(isReady, "seed \(seed)")
                    #expect(warmth == nil ? set.sequence == next : set.sequence >= next, "seed \(seed)")
                    for change in try set.changes(of: Sensor.self) {
                        replica.rows[change.id] = replica.keeps(change.after) ? change.after : nil
                    }
                    guard set.isLastPart else { break }
                    replica.reached = set.sequence
                    try requireEqual(replica)
                }
                try disturb()
            }
        } catch let error as StoreError where error.code == .positionCompacted {
            let floor = try #require(error.oldestComparablePosition, "seed \(seed)")
            #expect(floor > replica.reached || floor > position.sequence, "seed \(seed): \(error)")
        }
    }

    private func take(_ part: FeedDifference, _ replica: inout Replica) throws {
        #expect(part.reached <= part.newest, "seed \(seed)")
        let since = part.since.sequence
        for record in try part.records(of: Sensor.self) {
            told[record.kind, default: 0] += 1
            let known = lives[record.id, default: []]
            let then = known.first { $0.birth <= since && since < $0.death }
            let ended = known.filter { $0.death > since && $0.death != .max }.count
            switch record.before {
            case .nothing: #expect(then == nil, "seed \(seed)")
            case .same: #expect(then != nil && (record.state == .absent || ended == 0), "seed \(seed)")
            case .another: #expect(then != nil && ended > 0, "seed \(seed)")
            // Allowed only where more than one incarnation has ended since then.
            case .unknown: #expect(ended > 1, "seed \(seed): \(record), \(known), since \(since)")
            }
            #expect((record.row != nil) == (record.state == .present), "seed \(seed)")
            #expect(record.row.map { replica.keeps($0) } ?? true, "seed \(seed)")
            replica.rows[record.id] = record.row
        }
    }

    private func requireEqual(_ replica: Replica) throws {
        let expected = states[replica.reached].map { replica.kept($0) }
        try requireSame(replica.rows, expected, "seed \(seed), change set \(replica.reached)")
    }
}
