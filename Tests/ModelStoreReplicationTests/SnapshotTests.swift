import Foundation
import ModelStore
import ModelStoreTesting
import Synchronization
import TestSupport
import Testing

@testable import ModelStoreReplication
@testable import StoreRuntime

/// Snapshots of replicas: nodes that join by them, and the entries that the log then needs no more.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) final class SnapshotTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "snapshots-\(UUID())")
    private var snapshots: DirectorySnapshots { .directory(path("snapshots")) }

    init() throws {
        try FileManager.default.createDirectory(atPath: path("snapshots"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    private func open(
        _ name: String, _ log: MemoryLog, retainedSeconds: Double = 0, entriesPerSnapshot: UInt64 = 1_000
    ) async throws -> Store {
        var replication = Replication.shared(log, node: name, snapshots: snapshots)
        replication.followsByItself = false
        replication.retainedSeconds = retainedSeconds
        replication.entriesPerSnapshot = entriesPerSnapshot
        return try await Store.open(at: path(name), records: Account.self, replication: replication)
    }

    private func fill(_ store: Store, _ numbers: Range<Int>) async throws {
        for number in numbers {
            try await store.write { tx in try tx.insert(Account(email: "\(number)@b", balance: number)) }
        }
    }

    /// Opens two nodes. The second one has told the log its position, and lacks the 20 entries after it, more than a snapshot is
    /// due for.
    private func openWithOneBehind(_ log: MemoryLog) async throws -> (Store, Store, LogPosition) {
        let one = try await open("one", log, entriesPerSnapshot: 10)
        let two = try await open("two", log.connection(), entriesPerSnapshot: 10)
        await two.replicator?.keepUp()
        let behind = try #require(two.replication).applied
        try await fill(one, 0..<20)
        return (one, two, behind)
    }

    private func expectEqual(_ one: Store, _ two: Store) async throws {
        for store in [one, two] { _ = try await store.read(.linearizable) { _ in } }
        #expect(try one.position == two.position)
        let content = try one.read { try $0._reading.contentHash() }
        #expect(try two.read { try $0._reading.contentHash() } == content)
        #expect(one.replication?.applied == two.replication?.applied)
    }

    @Test func `a node joins by a snapshot after the log has removed its first entries`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await fill(one, 0..<20)
        let taken = try await one.takeReplicaSnapshot()
        try await fill(one, 20..<25)
        await one.replicator?.keepUp()
        #expect(log.allEntries.first?.previous == taken)
        let two = try await open("two", log.connection())
        #expect(try two.read { try $0.fetch(Account.self).count } == 25)
        try await expectEqual(one, two)
        try await fill(two, 25..<30)
        try await expectEqual(one, two)
        // The next opening needs no snapshot.
        try FileManager.default.removeItem(atPath: path("snapshots"))
        two.close()
        let again = try await open("two", log.connection())
        try await fill(again, 30..<31)
        try await expectEqual(one, again)
        var findings: [VerifyFinding] = []
        _ = try again.verify { findings.append($0) }
        #expect(findings.isEmpty)
    }

    @Test func `the positions of the feed and the assigned ids go on after a snapshot`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await fill(one, 0..<5)
        let position = try one.position
        try await one.takeReplicaSnapshot()
        let two = try await open("two", log.connection())
        #expect(try two.position == position)
        let id = try await two.write { tx in try tx.insert(Account(email: "new", balance: 1)).id }
        #expect(id == 6)
        #expect(try two.position.sequence == position.sequence + 1)
        try await expectEqual(one, two)
    }

    @Test func `a node that was away for too long joins again, and keeps nothing of before`() async throws {
        let log = MemoryLog()
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        try await fill(one, 0..<5)
        _ = try await two.read(.linearizable) { _ in }
        two.close()
        try await fill(one, 5..<10)
        try await one.takeReplicaSnapshot()
        // The node's hold of the entries ends.
        log.advance(by: LogMember.lifetime)
        await one.replicator?.keepUp()
        #expect(log.allEntries.isEmpty)
        let again = try await open("two", log.connection())
        try await expectEqual(one, again)
        let kept = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(kept == ["one", "snapshots", "two"])
    }

    @Test func `a running node that the log has left behind stops with the way back`() async throws {
        let log = MemoryLog()
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        try await fill(one, 0..<10)
        try await one.takeReplicaSnapshot()
        await one.replicator?.keepUp()
        await two.replicator?.follow()
        guard case .stopped(let error)? = two.replication?.state else {
            Issue.record("\(two.replication as Any)")
            return
        }
        #expect(error.code == .replicaDiverged && error.remedy?.contains("snapshots") == true)
        #expect(try two.read { try $0.fetch(Account.self).count } == 0)
        two.close()
        try await expectEqual(one, try await open("two", log.connection()))
    }

    @Test func `a due snapshot is taken once, and entries stay while a node needs them`() async throws {
        let log = MemoryLog()
        let (one, two, behind) = try await openWithOneBehind(log)
        await one.replicator?.keepUp()
        #expect(one.replication?.upkeepError == nil)
        #expect(one.replication?.snapshot == one.replication?.applied)
        #expect(log.allEntries.first?.previous == behind)
        await two.replicator?.follow()
        await two.replicator?.keepUp()
        #expect(log.allEntries.isEmpty)
        #expect(two.replication?.snapshot == one.replication?.snapshot)
        #expect(try await snapshots.names().count == 1)
    }

    @Test func `an engine that fills up is reported at each rise`() async throws {
        let log = MemoryLog()
        let events = Mutex<[Int]>([])
        var options = StoreOptions()
        options.onEvent = { event in
            if case .logFilling(let byteCount, let limit) = event {
                events.withLock { $0.append(byteCount * 10 / limit) }
            }
        }
        var replication = Replication.shared(log, node: "one")
        replication.followsByItself = false
        let one = try await Store.open(
            at: path("one"), records: Account.self, options: options, replication: replication)
        try await fill(one, 0..<20)
        let byteCount = try await log.usage().byteCount
        var seen: [[Int]] = []
        for limit in [3, 2, 2, 3, 2].map({ byteCount * $0 }) + [byteCount * 10 / 8, byteCount * 10 / 9, byteCount * 3] {
            log.byteLimit = limit
            await one.replicator?.keepUp()
            seen.append(events.withLock { $0 })
        }
        #expect(seen == [[], [5], [5], [5], [5, 5], [5, 5, 8], [5, 5, 8], [5, 5, 8]])
        #expect(one.replication?.logUsage == LogUsage(byteCount: byteCount, limit: byteCount * 3))
        log.byteLimit = byteCount
        let error = await #expect(throws: StoreError.self) { try await fill(one, 20..<21) }
        #expect(error?.code == .logFull)
        #expect(try one.read { try $0.fetch(Account.self).count } == 20)
        log.byteLimit = nil
        try await fill(one, 20..<21)
    }

    @Test func `an engine that fills up gets a snapshot before it is due`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await fill(one, 0..<20)
        await one.replicator?.keepUp()
        #expect(one.replication?.snapshot == nil)
        log.byteLimit = try await log.usage().byteCount * 2
        await one.replicator?.keepUp()
        #expect(one.replication?.snapshot == one.replication?.applied)
        #expect(log.allEntries.isEmpty)
    }

    @Test func `a node that does not run keeps no entries while the engine is nearly full`() async throws {
        let log = MemoryLog()
        let (one, two, behind) = try await openWithOneBehind(log)
        log.byteLimit = try await log.usage().byteCount * 10 / 9
        // The program of the second node runs.
        await one.replicator?.keepUp()
        #expect(log.allEntries.first?.previous == behind)
        log.byteLimit = try await log.usage().byteCount * 10 / 9
        two.close()
        log.advance(by: RunningProgram.lifetime)
        await one.replicator?.keepUp()
        #expect(log.allEntries.isEmpty)
        try await expectEqual(one, try await open("two", log.connection()))
    }

    @Test func `a snapshot is due a day after the last one if the log has grown`() throws {
        let upkeep = Replication.shared(MemoryLog(), node: "one", snapshots: snapshots).upkeep
        let now = Date()
        func isDue(_ index: UInt64, ageInHours: Double, _ usage: LogUsage = LogUsage(byteCount: 1)) -> Bool {
            let manifest = SnapshotManifest(
                SnapshotManifest.Mark(
                    position: LogPosition(generation: 1, index: 10, hash: .zero),
                    time: now.addingTimeInterval(-ageInHours * 3_600)),
                byteCount: 7, checksum: .zero, file: "snapshot", replacing: nil)
            return upkeep.isSnapshotDue(
                LogPosition(generation: 1, index: index, hash: .zero), manifest, usage, now: now)
        }
        #expect(!isDue(11, ageInHours: 23) && isDue(11, ageInHours: 24) && !isDue(10, ageInHours: 48))
        #expect(isDue(100_010, ageInHours: 0) && !isDue(100_009, ageInHours: 0))
        let half = LogUsage(byteCount: 1, limit: 2)
        #expect(isDue(11, ageInHours: 1, half) && !isDue(11, ageInHours: 0.9, half) && !isDue(10, ageInHours: 2, half))
    }

    @Test func `entries stay for the time that appends are repeated`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log, retainedSeconds: 3_600)
        try await fill(one, 0..<5)
        let count = log.allEntries.count
        try await one.takeReplicaSnapshot()
        await one.replicator?.keepUp()
        #expect(log.allEntries.count == count)
    }

    @Test func `a newer snapshot replaces the one before the last`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        for number in 0..<4 {
            try await fill(one, number..<number + 1)
            try await one.takeReplicaSnapshot()
        }
        #expect(try await snapshots.names().count == 2)
        // A snapshot of the same entry changes nothing.
        let applied = try #require(one.replication).applied
        #expect(try await one.takeReplicaSnapshot() == applied)
        #expect(try await snapshots.names().count == 2)
    }

    @Test func `only one node takes a snapshot, and a dead one keeps the others off for some time only`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        _ = try await log.setRegister("snapshot", to: [1], from: 0, lifetime: .seconds(600))
        await #expect(throws: StoreError.self) { try await one.takeReplicaSnapshot() }
        log.advance(by: .seconds(600))
        try await one.takeReplicaSnapshot()
        #expect(try await log.registers(prefix: "snapshot").isEmpty)
    }

    @Test func `a damaged snapshot is refused, and nothing is left of it`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await fill(one, 0..<5)
        try await one.takeReplicaSnapshot()
        let file = path("snapshots") + "/" + (try await snapshots.names()[0])
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        bytes[bytes.count - 1] ^= 1
        try Data(bytes).write(to: URL(filePath: file))
        let error = await #expect(throws: StoreError.self) { _ = try await open("two", log.connection()) }
        #expect(error?.code == .damaged && error?.message.contains("another content than the log says") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["one", "snapshots"])
    }

    @Test func `a snapshot that is replaced while a node joins is fetched again`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await fill(one, 0..<5)
        try await one.takeReplicaSnapshot()
        let replacing = ReplacedSnapshots(snapshots) {
            for number in 5..<7 {
                try await one.write { tx in try tx.insert(Account(email: "\(number)@b", balance: number)) }
                try await one.takeReplicaSnapshot()
            }
        }
        var replication = Replication.shared(log.connection(), node: "two", snapshots: replacing)
        replication.followsByItself = false
        let two = try await Store.open(at: path("two"), records: Account.self, replication: replication)
        try await expectEqual(one, two)
    }

    @Test func `without a place for snapshots, the error names it`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await fill(one, 0..<5)
        try await one.takeReplicaSnapshot()
        await one.replicator?.keepUp()
        let error = await #expect(throws: StoreError.self) {
            _ = try await Store.open(
                at: path("two"), records: Account.self, replication: .shared(log.connection(), node: "two"))
        }
        #expect(error?.code == .logUnavailable && error?.remedy?.contains("snapshots") == true)
        let plain = try await Store.open(
            at: path("three"), records: Account.self, replication: .shared(MemoryLog(), node: "three"))
        await #expect(throws: StoreError.self) { try await plain.takeReplicaSnapshot() }
    }

    @Test func `a copy that is no replica is not installed`() async throws {
        let plain = try Store(at: path("plain"), records: Account.self)
        plain.close()
        let error = #expect(throws: StoreError.self) {
            try Store.installReplica(from: path("plain"), to: path("copy"))
        }
        #expect(error?.code == .replicaDiverged)
        #expect(!FileManager.default.fileExists(atPath: path("copy")))
    }
}

/// Snapshots of which newer ones are taken before the first is fetched.
private final class ReplacedSnapshots: SnapshotStore {
    private let base: DirectorySnapshots
    private let replace: @Sendable () async throws -> Void
    private let counter = Counter()

    init(_ base: DirectorySnapshots, _ replace: @escaping @Sendable () async throws -> Void) {
        self.base = base
        self.replace = replace
    }

    func store(_ file: String, as name: String) async throws { try await base.store(file, as: name) }

    func fetch(_ name: String, to file: String) async throws {
        if await counter.next() == 1 { try await replace() }
        try await base.fetch(name, to: file)
    }

    func names() async throws -> [String] { try await base.names() }

    func remove(_ name: String) async throws { try await base.remove(name) }
}

private actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
