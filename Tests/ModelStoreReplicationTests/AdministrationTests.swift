import Foundation
import ModelStore
import ModelStoreTesting
import Synchronization
import TestSupport
import Testing

@testable import ModelStoreReplication

/// What is done to a log and its nodes by hand: the first node, a new generation, and nodes that come back.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) final class AdministrationTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "administration-\(UUID())")
    private let log = MemoryLog()
    private var snapshots: DirectorySnapshots { .directory(path("snapshots")) }
    private var administration: LogAdministration { LogAdministration(log, snapshots: snapshots) }

    init() throws {
        try FileManager.default.createDirectory(atPath: path("snapshots"), withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    private func open(
        _ name: String, in directory: String? = nil, retainedSeconds: Double = 3_600
    ) async throws -> Store {
        var replication = Replication.shared(log.connection(), node: name, snapshots: snapshots)
        replication.followsByItself = false
        replication.retainedSeconds = retainedSeconds
        return try await Store.open(at: path(directory ?? name), records: Account.self, replication: replication)
    }

    private func fill(_ store: Store, _ numbers: Range<Int>) async throws {
        for number in numbers {
            try await store.write { tx in try tx.insert(Account(email: "\(number)@b", balance: number)) }
        }
    }

    private func expectEqual(_ stores: Store...) async throws {
        for store in stores { _ = try await store.read(.linearizable) { _ in } }
        let (position, content) = (try stores[0].position, try stores[0].read { try $0._reading.contentHash() })
        for store in stores.dropFirst() {
            #expect(try store.position == position)
            #expect(try store.read { try $0._reading.contentHash() } == content)
        }
    }

    private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do { try await body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    // MARK: The first node

    private func makeLocalStore() async throws -> Position {
        let store = try Store(at: path("one"), records: Account.self)
        defer { store.close() }
        try await fill(store, 0..<5)
        return try store.position
    }

    @Test func `a store with records becomes the first node of a log`() async throws {
        let position = try await makeLocalStore()
        let start = try await administration.initialize(fromStoreAt: path("one"), node: "one")
        #expect(try await administration.status().snapshot == start)
        let (one, two) = (try await open("one"), try await open("two"))
        #expect(try one.position == position)
        try await fill(two, 5..<8)
        try await fill(one, 8..<9)
        try await expectEqual(one, two)
        #expect(try one.read { try $0.fetch(Account.self).count } == 9)
        #expect(try one.position.sequence == position.sequence + 4)
    }

    @Test func `a log in use, a replica and an open store are refused as the first node`() async throws {
        _ = try await makeLocalStore()
        let open = try Store(at: path("one"), records: Account.self)
        #expect(await code { _ = try await administration.initialize(fromStoreAt: path("one"), node: "one") } == .inUse)
        open.close()
        let other = try await self.open("two")
        try await fill(other, 0..<1)
        #expect(
            await code { _ = try await administration.initialize(fromStoreAt: path("one"), node: "one") }
                == .invalidValue)
        other.close()
        #expect(
            await code { _ = try await administration.initialize(fromStoreAt: path("two"), node: "two") }
                == .invalidValue)
        #expect(try Store(at: path("one"), records: Account.self).read { try $0.fetch(Account.self).count } == 5)
    }

    @Test func `the first node can be made again after an interruption`() async throws {
        _ = try await makeLocalStore()
        let start = try await administration.initialize(fromStoreAt: path("one"), node: "one")
        // As if the command had ended before the snapshot.
        let manifest = try #require(try await log.registers(prefix: "manifest").first)
        _ = try await log.setRegister("manifest", to: nil, from: manifest.version, lifetime: nil)
        #expect(try await administration.initialize(fromStoreAt: path("one"), node: "one") == start)
        try await expectEqual(try await open("one"), try await open("two"))
    }

    @Test func `the log's change comes before the node's, and is continued`() async throws {
        _ = try await makeLocalStore()
        let copy = path("copy")
        try FileManager.default.copyItem(atPath: path("one"), toPath: copy)
        let start = try await administration.initialize(fromStoreAt: path("one"), node: "one")
        // As if the command had ended between the two.
        try FileManager.default.removeItem(atPath: path("one"))
        try FileManager.default.moveItem(atPath: copy, toPath: path("one"))
        #expect(try await administration.initialize(fromStoreAt: path("one"), node: "one") == start)
        try await expectEqual(try await open("one"), try await open("two"))
    }

    // MARK: A log that lost entries

    /// Makes three nodes. The last one lacks the newest entries, and the log more.
    private func loseEntries() async throws {
        let (one, two, three) = (try await open("one"), try await open("two"), try await open("three"))
        try await fill(one, 0..<10)
        for store in [one, two, three] { _ = try await store.read(.linearizable) { _ in } }
        try await fill(one, 10..<15)
        _ = try await two.read(.linearizable) { _ in }
        for store in [one, two, three] { await store.replicator?.keepUp() }
        log.restore(to: 8)
        for store in [one, two, three] {
            #expect(await code { try await fill(store, 20..<21) } == .replicaDiverged)
            store.close()
        }
    }

    @Test func `after the loss of entries, the log goes on from the node that has most`() async throws {
        try await loseEntries()
        for name in ["one", "three"] {
            let stop = try await administration.status(ofReplicaAt: path(name)).stop
            #expect(stop?.code == .diverged && stop?.message.contains("the log ends with entry 8") == true)
            #expect(try await administration.verify(replicaAt: path(name)).stop == stop)
        }
        #expect(
            await code {
                _ = try await administration.beginGeneration(fromReplicaAt: path("three"), node: "three")
            } == .invalidValue)
        let start = try await administration.beginGeneration(fromReplicaAt: path("two"), node: "two")
        #expect(start.generation == 2)
        let two = try await open("two")
        #expect(try two.read { try $0.fetch(Account.self).count } == 15)
        try await fill(two, 15..<17)
        // The other nodes stop until they rejoin.
        for name in ["one", "three"] {
            #expect(await code { _ = try await open(name) } == .replicaDiverged)
            #expect(try await administration.status(ofReplicaAt: path(name)).stop?.code == .otherGeneration)
            let kept = try await administration.rejoin(at: path(name), node: name)
            #expect(FileManager.default.fileExists(atPath: kept + "/data.mdb"))
        }
        let (one, three) = (try await open("one"), try await open("three"))
        try await fill(three, 17..<20)
        try await expectEqual(one, two, three)
        #expect(try one.read { try $0.fetch(Account.self).count } == 20)
    }

    @Test func `a generation from a node with fewer entries needs a permission`() async throws {
        try await loseEntries()
        _ = try await administration.beginGeneration(fromReplicaAt: path("three"), node: "three", allowsLoss: true)
        let three = try await open("three")
        #expect(try three.read { try $0.fetch(Account.self).count } == 10)
    }

    @Test func `a log that continues its nodes keeps its generation`() async throws {
        let one = try await open("one")
        try await fill(one, 0..<3)
        one.close()
        #expect(
            await code {
                _ = try await administration.beginGeneration(fromReplicaAt: path("one"), node: "one")
            } == .invalidValue)
        #expect(try await log.head().generation == 1)
    }

    @Test func `a node that cannot rejoin stays as it was`() async throws {
        let one = try await open("one")
        try await fill(one, 0..<3)
        #expect(await code { _ = try await administration.rejoin(at: path("one"), node: "one") } == .inUse)
        one.close()
        #expect(await code { _ = try await administration.rejoin(at: path("one"), node: "one") } == .invalidValue)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["one", "snapshots"])
        let again = try await open("one")
        #expect(try again.read { try $0.fetch(Account.self).count } == 3)
    }

    @Test func `a rejoin goes on after an interruption, and keeps one old directory`() async throws {
        let (one, two) = (try await open("one"), try await open("two"))
        try await fill(one, 0..<3)
        try await one.takeReplicaSnapshot()
        two.close()
        // As if the command had ended before the snapshot was there.
        try FileManager.default.moveItem(atPath: path("two"), toPath: path("two.before-rejoin"))
        let kept = try await administration.rejoin(at: path("two"), node: "two")
        #expect(kept == path("two.before-rejoin"))
        #expect(await code { _ = try await administration.rejoin(at: path("two"), node: "two") } == .storeExists)
        try await expectEqual(one, try await open("two"))
    }

    @Test func `a failed rejoin does not touch a store that a program has made meanwhile`() async throws {
        let one = try await open("one")
        try await fill(one, 0..<3)
        let place = path("two")
        let two = try await open("two")
        two.close()
        let made = StoreMaker(path: place, snapshots: snapshots)
        let administration = LogAdministration(log, snapshots: made)
        try await one.takeReplicaSnapshot()
        #expect(await code { _ = try await administration.rejoin(at: place, node: "two") } == .inUse)
        // A join that is killed leaves the folder of its fetch there, and the next open removes it.
        #expect(made.fetchedFile?.hasPrefix(place + "/.modelstore-work-") == true)
        #expect(try made.store?.read { try $0.fetch(Account.self).count } == 0)
        #expect(FileManager.default.fileExists(atPath: place + ".before-rejoin/data.mdb"))
    }

    // MARK: Looking

    @Test func `the status names the log's positions and its nodes`() async throws {
        let (one, two) = (try await open("one"), try await open("two"))
        try await fill(one, 0..<4)
        for store in [one, two] { await store.replicator?.keepUp() }
        let snapshot = try await one.takeReplicaSnapshot()
        let status = try await administration.status()
        #expect(try await status.head == log.head())
        #expect(status.floor.index == 0)
        #expect(status.snapshot == snapshot)
        #expect(status.members.map(\.node) == ["one", "two"])
        #expect(status.members[0].applied == status.head)
        let place = try await administration.status(ofReplicaAt: path("two"))
        #expect(place.lag == status.head.index - place.applied.index && place.lag > 0)
        #expect(place.stop == nil)
        log.isCut = true
        #expect(await code { _ = try await administration.status() } == .logUnavailable)
    }

    @Test func `an empty log says so`() async throws {
        #expect(try await administration.status().isEmpty)
        let one = try await open("one")
        try await fill(one, 0..<1)
        #expect(try await !administration.status().isEmpty)
    }

    // MARK: Nodes

    @Test func `a node is removed once its program has ended, and the log keeps nothing for it`() async throws {
        let (one, two) = (try await open("one", retainedSeconds: 0), try await open("two"))
        for store in [one, two] { await store.replicator?.keepUp() }
        try await fill(one, 0..<4)
        try await one.takeReplicaSnapshot()
        await one.replicator?.keepUp()
        #expect(log.allEntries.count >= 4)
        two.close()
        #expect(await code { try await administration.remove(node: "two") } == .inUse)
        #expect(await code { try await administration.remove(node: "tw") } == .invalidValue)
        log.advance(by: RunningProgram.lifetime)
        await one.replicator?.keepUp()
        try await administration.remove(node: "two")
        #expect(try await administration.status().members.map(\.node) == ["one"])
        await one.replicator?.keepUp()
        #expect(log.allEntries.isEmpty)
        // It comes back after all.
        try await expectEqual(one, try await open("two"))
    }

    @Test func `two nodes with one name notice each other, and one in the place of another does not`() async throws {
        let one = try await open("one")
        try await fill(one, 0..<2)
        await one.replicator?.keepUp()
        await one.replicator?.keepUp()
        #expect(one.replication?.upkeepError == nil)
        let two = try await open("one", in: "two")
        await two.replicator?.keepUp()
        #expect(two.replication?.upkeepError == nil)
        for store in [one, two, one] {
            await store.replicator?.keepUp()
            #expect(store.replication?.upkeepError?.code == .inUse)
        }
        one.close()
        // The first time after the other's last word.
        await two.replicator?.keepUp()
        await two.replicator?.keepUp()
        #expect(two.replication?.upkeepError == nil)
    }

    // MARK: Several logs

    @Test func `logs that keep their snapshots in one place leave those of the others alone`() async throws {
        let log = MemoryLog()
        let other = LogAdministration(log, snapshots: snapshots)
        for (name, administration) in [("one", administration), ("two", other)] {
            let store = try Store(at: path(name), records: Account.self)
            try await fill(store, 0..<3)
            store.close()
            _ = try await administration.initialize(fromStoreAt: path(name), node: name)
        }
        #expect(try await snapshots.names().count == 2)
        let joined = try await open("three")
        #expect(try joined.read { try $0.fetch(Account.self).count } == 3)
    }

    @Test func `a node of another log, and a store of none, are not taken for a node`() async throws {
        let one = try await open("one")
        try await fill(one, 0..<3)
        try await one.takeReplicaSnapshot()
        let stranger = MemoryLog()
        for takesSnapshot in [false, true] {
            var replication = Replication.shared(stranger, node: "one", snapshots: snapshots)
            replication.followsByItself = false
            let theirs = try await Store.open(at: path("theirs"), records: Account.self, replication: replication)
            if takesSnapshot { try await theirs.takeReplicaSnapshot() }
            theirs.close()
            let other = LogAdministration(stranger, snapshots: snapshots)
            #expect(await code { _ = try await other.status(ofReplicaAt: path("one")) } == .invalidValue)
            #expect(await code { _ = try await other.verify(replicaAt: path("one")) } == .invalidValue)
        }
        one.close()
        let other = LogAdministration(stranger, snapshots: snapshots)
        #expect(await code { _ = try await other.rejoin(at: path("one"), node: "one") } == .invalidValue)
        let generation = await code { _ = try await other.beginGeneration(fromReplicaAt: path("one"), node: "one") }
        #expect(generation == .invalidValue)
        try Store(at: path("plain"), records: Account.self).close()
        #expect(await code { _ = try await administration.rejoin(at: path("plain"), node: "two") } == .invalidValue)
        #expect(FileManager.default.fileExists(atPath: path("plain") + "/data.mdb"))
    }

    // MARK: Leaving

    private static func next(_ store: Store, since position: Position) async throws {
        var feed = store.changes(since: position).makeAsyncIterator()
        _ = try await feed.next()
    }

    @Test func `a node that leaves is a store of its own, and the others go on`() async throws {
        let (one, two) = (try await open("one"), try await open("two"))
        try await fill(one, 0..<5)
        try await expectEqual(one, two)
        let position = try two.position
        two.close()
        try await LogAdministration.leave(replicaAt: path("two"))
        let alone = try Store(at: path("two"), records: Account.self)
        #expect(try alone.position.sequence == position.sequence)
        // Its feed no longer is that of the others.
        #expect(try alone.position.epoch != position.epoch)
        let id = try await alone.write { tx in try tx.insert(Account(email: "new", balance: 1)).id }
        #expect(id == 6)
        // The histories part here.
        #expect(await code { try await Self.next(alone, since: position) } == nil)
        var findings: [VerifyFinding] = []
        _ = try alone.verify { findings.append($0) }
        #expect(findings.isEmpty)
        try await fill(one, 5..<6)
        let later = try one.position
        #expect(later.sequence == (try alone.position.sequence))
        #expect(await code { try await Self.next(alone, since: later) } == .positionDiverged)
        #expect(try one.read { try $0.fetch(Account.self).count } == 6)
        alone.close()
        #expect(await code { try await LogAdministration.leave(replicaAt: path("two")) } == .invalidValue)
        #expect(await code { _ = try await open("two") } == .storeExists)
    }

    @Test func `a restored backup of a node begins another log after all nodes and their log are lost`() async throws {
        let one = try await open("one")
        try await fill(one, 0..<5)
        try one.backup(to: path("backup"))
        #expect(await code { try await LogAdministration.leave(replicaAt: path("one")) } == .inUse)
        one.close()
        try Store.restore(from: path("backup"), to: path("new"))
        #expect(await code { _ = try Store(at: path("new"), records: Account.self) } == .isReplica)
        try await LogAdministration.leave(replicaAt: path("new"))
        let other = LogAdministration(MemoryLog(), snapshots: snapshots)
        let start = try await other.initialize(fromStoreAt: path("new"), node: "one")
        #expect(try await other.status().snapshot == start)
    }
}

/// A place for snapshots during whose fetch a program makes a store in the node's directory, and keeps it open.
private final class StoreMaker: SnapshotStore {
    private let path: String
    private let snapshots: DirectorySnapshots
    private let made = Mutex<Store?>(nil)
    private let fetched = Mutex<String?>(nil)

    init(path: String, snapshots: DirectorySnapshots) {
        self.path = path
        self.snapshots = snapshots
    }

    var store: Store? { made.withLock { $0 } }
    /// Where the snapshot was put last.
    var fetchedFile: String? { fetched.withLock { $0 } }

    func store(_ file: String, as name: String) async throws { try await snapshots.store(file, as: name) }

    func fetch(_ name: String, to file: String) async throws {
        fetched.withLock { $0 = file }
        try made.withLock { if $0 == nil { $0 = try Store(at: path, records: Account.self) } }
        try await snapshots.fetch(name, to: file)
    }

    func names() async throws -> [String] { try await snapshots.names() }

    func remove(_ name: String) async throws { try await snapshots.remove(name) }
}
