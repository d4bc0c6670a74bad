import Dispatch
import Foundation
import LMDB
import ModelStore
import ModelStoreTesting
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import ModelStoreReplication
@testable import StoreRuntime

@Record
struct Account {
    @ID(.assigned) var id: Int = 0
    @Unique var email: String
    @Indexed var balance: Int
}

@Record
struct Note {
    @ID var id: Int
    @Indexed var text: String
}

/// Refers to a type that refers to it.
@Record
struct Player {
    @ID var name: String
    @Reference(onDelete: .nullify) var team: Reference<Team>?
}

@Record
struct Team {
    @ID var name: String
    @Reference(onDelete: .nullify) var leader: Reference<Player>?
}

/// Stores that a log in memory keeps equal.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) final class ReplicaTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "replicas-\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    private func open(_ name: String, _ log: MemoryLog) async throws -> Store {
        try await Store.open(at: path(name), records: Account.self, replication: .shared(log, node: name))
    }

    @Test func `a write on one node arrives on the other, with the same feed`() async throws {
        let log = MemoryLog()
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        let position = try await one.write(returning: .position) { tx in
            try tx.insert(Account(email: "a@b", balance: 10))
            try tx.insert(Account(email: "c@d", balance: 20))
        }.position
        let sum = try await two.read(.atLeast(position)) { tx in
            try tx.fetch(Account.self).reduce(0) { $0 + $1.balance }
        }
        #expect(sum == 30)
        try await two.write { tx in
            try tx.update(Account.self, id: 1) { $0.balance += 5 }
            try tx.insert(Account(email: "e@f", balance: 1))
        }
        let found = try await one.read(.linearizable) { tx in
            try tx.fetch(Account.order { $0.id.ascending }).map { [$0.id, $0.balance] }
        }
        #expect(found == [[1, 15], [2, 20], [3, 1]])
        #expect(try one.position == two.position)
        #expect(one.replication?.lag == 0)
    }

    @Test func `types that refer to each other arrive on a node that declares none of them`() async throws {
        let log = MemoryLog()
        let two = try await open("two", log.connection())
        let one = try await Store.open(
            at: path("one"), records: Player.self, Team.self, replication: .shared(log, node: "one"))
        let position = try await one.write(returning: .position) { tx in
            try tx.insert(Player(name: "a"))
            try tx.insert(Team(name: "t", leader: Reference("a")))
        }.position
        let names = try await two.read(.atLeast(position)) { _ in two.recordTypes.map(\.name) }
        #expect(names.suffix(2) == ["Player", "Team"])
        #expect(try one.position == two.position)
    }

    @Test func `a live query of one node receives the writes of the other`() async throws {
        let log = MemoryLog()
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        var updates = two.updates(of: Account.where { $0.balance > 5 }).makeAsyncIterator()
        #expect(try await updates.next()?.results.count == 0)
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        let update = try await updates.next()
        #expect(update?.results.map(\.email) == ["a@b"])
    }

    @Test func `writes of several nodes at once are all there, once`() async throws {
        let log = MemoryLog()
        var stores: [Store] = []
        for number in 0..<3 { stores.append(try await open("node\(number)", log.connection())) }
        try await stores[0].write { tx in try tx.insert(Account(email: "total", balance: 0)) }
        for store in stores { _ = try await store.read(.linearizable) { _ in } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                for round in 0..<20 {
                    group.addTask {
                        try await store.write { tx in
                            try tx.update(Account.self, id: 1) { $0.balance += 1 }
                            try tx.insert(Account(email: "\(number).\(round)", balance: 0))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for store in stores {
            let (total, count) = try await store.read(.linearizable) { tx in
                (try tx.get(Account.self, id: 1)?.balance, try tx.fetch(Account.self).count)
            }
            #expect(total == 60 && count == 61)
        }
        #expect(Set(try stores.map { try $0.position }).count == 1)
    }

    @Test func `a node that lost several appends in a row holds back before each further one`() async throws {
        let log = MemoryLog()
        let two = try await open("two", log.connection())
        let windows = Mutex<[Duration]>([])
        var replication = Replication.shared(log, node: "one")
        replication.followsByItself = false
        replication.choosePause = { window in
            windows.withLock { $0.append(window) }
            return .zero
        }
        let one = try await Store.open(at: path("one"), records: Account.self, replication: replication)
        for round in 0..<2 {
            let lost = Mutex(0)
            try await one.write { tx in
                try tx.insert(Account(email: "one \(round)", balance: 0))
                let number = lost.withLock { lost in
                    lost += 1
                    return lost
                }
                guard number <= 5 else { return }
                // The other node writes first.
                let isWritten = DispatchSemaphore(value: 0)
                Task.detached {
                    try await two.write { tx in try tx.insert(Account(email: "two \(round) \(number)", balance: 0)) }
                    isWritten.signal()
                }
                isWritten.wait()
            }
        }
        let expected: [Duration] = [50, 100, 200, 400].map { .milliseconds($0) }
        #expect(windows.withLock { $0 } == expected + expected)
        #expect(try one.read { try $0.fetch(Account.self).count } == 12)
    }

    @Test func `a node that comes later applies the whole log, also types that it does not declare`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        let two = try await Store.open(
            at: path("two"), records: Note.self, replication: .shared(log.connection(), node: "two"))
        try await two.write { tx in try tx.insert(Note(id: 1, text: "x")) }
        _ = try await one.read(.linearizable) { _ in }
        #expect(try one.position == two.position)
        let content = try two.read { try $0._reading.contentHash() }
        #expect(try one.read { try $0._reading.contentHash() } == content)
        let three = try await open("three", log.connection())
        #expect(try three.position == two.position)
        #expect(try three.read { try $0._reading.contentHash() } == content)
    }

    @Test func `a change set of several fragments arrives whole`() async throws {
        let log = MemoryLog()
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        let note = String(repeating: "long ", count: 40_000)
        let three = try await Store.open(at: path("one"), records: Note.self, replication: .shared(log, node: "one"))
        try await three.write { tx in try tx.insert(Note(id: 1, text: note)) }
        _ = try await two.read(.linearizable) { _ in }
        let all = try await Store.open(at: path("two"), records: Note.self, replication: .shared(log, node: "two"))
        #expect(try all.read { try $0.get(Note.self, id: 1)?.text } == note)
        #expect(try one.position == two.position)
        // The first of two stores on one directory may be closed before the other.
        one.close()
        try await two.write { tx in try tx.insert(Account(email: "a@b", balance: 1)) }
        try await three.write { tx in try tx.insert(Note(id: 2, text: "")) }
        #expect(try await all.read(.linearizable) { try $0.fetch(Note.self).count } == 2)
    }

    @Test func `a wait for an entry ends with the task, and with a replica that stops`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        let replicator = try #require(one.replicator)
        let waiting = Task { try await replicator.wait(forIndex: 1_000) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let stopped = Task { try await replicator.wait(forIndex: 1_000) }
        let kept = try #require(log.allEntries.last?.position.index)
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 1)) }
        log.restore(to: kept)
        await #expect(throws: StoreError.self) {
            try await one.write { tx in try tx.insert(Account(email: "c@d", balance: 1)) }
        }
        let error = await #expect(throws: StoreError.self) { try await stopped.value }
        #expect(error?.code == .replicaDiverged)
        let later = await #expect(throws: StoreError.self) { _ = try await one.read(.linearizable) { _ in } }
        #expect(later?.code == .replicaDiverged)
    }

    @Test func `a node that was closed goes on where it was`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        let two = try await open("two", log.connection())
        let position = try two.position
        two.close()
        for number in 0..<30 { try await one.write { tx in try tx.insert(Account(email: "\(number)", balance: 0)) } }
        let again = try await open("two", log.connection())
        #expect(try again.position == one.position && again.position.sequence == position.sequence + 30)
    }

    @Test func `without the log a node reads and refuses writes, and goes on when the log is back`() async throws {
        let log = MemoryLog()
        let cut = log.connection()
        let (one, two) = (try await open("one", log), try await open("two", cut))
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        _ = try await two.read(.linearizable) { _ in }
        _ = try await two.read(.noOlderThan(.seconds(60))) { _ in }
        cut.isCut = true
        let error = await #expect(throws: StoreError.self) {
            try await two.write { tx in try tx.insert(Account(email: "c@d", balance: 1)) }
        }
        #expect(error?.code == .logUnavailable)
        #expect(try two.read { try $0.fetch(Account.self).count } == 1)
        let stale = await #expect(throws: StoreError.self) { try await two.read(.noOlderThan(.zero)) { _ in } }
        #expect(stale?.code == .replicaStale)
        let refused = await #expect(throws: StoreError.self) { try await two.read(.linearizable) { _ in } }
        #expect(refused?.code == .logUnavailable)
        guard case .disconnected = two.replication?.state else { throw Mismatch("it is in another state") }
        // A replica opens without its log too.
        two.close()
        let reopened = try await open("two", cut)
        #expect(try reopened.read { try $0.fetch(Account.self).count } == 1)
        cut.isCut = false
        try await reopened.write { tx in try tx.insert(Account(email: "c@d", balance: 1)) }
        #expect(try await one.read(.linearizable) { try $0.fetch(Account.self).count } == 2)
    }

    @Test func `closures that are too large together commit alone, and one that is too large fails`() async throws {
        let log = MemoryLog(maximumEntryByteCount: 20_000)
        let one = try await open("one", log)
        let results = await withTaskGroup(of: Result<Int, any Error>.self) { group in
            for number in 0..<12 {
                group.addTask {
                    do {
                        try await one.write { tx in
                            let text = String(repeating: "x", count: number == 5 ? 30_000 : 9_000)
                            try tx.insert(Account(email: "\(number)\(text)", balance: 0))
                        }
                        return .success(number)
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let failures = results.compactMap { result -> StoreError? in
            if case .failure(let error) = result { return error as? StoreError }
            return nil
        }
        #expect(failures.map(\.code) == [.tooLarge])
        #expect(try one.read { try $0.fetch(Account.self).count } == 11)
    }

    // MARK: Outcomes

    private struct Refusal: Error {}

    @Test func `a closure that throws keeps its error when the log refuses the others of its batch`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        log.isCut = true
        let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // Keeps the writer busy, so that the next closures share a batch.
        async let busy: Void? = try? one.write { _ in
            isRunning.signal()
            mayEnd.wait()
        }
        // One of them in the batch of the first would leave the wait below without an end.
        await BlockingWork.run { isRunning.wait() }
        async let codes = withTaskGroup(of: String.self) { group in
            for number in 0..<6 {
                group.addTask {
                    do {
                        try await one.write { tx in
                            try tx.insert(Account(email: "\(number)", balance: 0))
                            if number == 3 { throw Refusal() }
                        }
                        return "none"
                    } catch {
                        return (error as? StoreError)?.code.description ?? "\(type(of: error))"
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        while one.core.waitingCount < 6 { try await nextTurn() }
        mayEnd.signal()
        #expect(await codes == ["Refusal"] + Array(repeating: "logUnavailable", count: 5))
        _ = await busy
    }

    @Test func `a write that never was has no known outcome, and the replica goes on`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        let applied = try #require(one.replication?.applied)
        for previous in [
            LogPosition(generation: applied.generation, index: applied.index, hash: .zero),
            LogPosition(generation: applied.generation + 1, index: 0, hash: .zero),
        ] {
            let error = await #expect(throws: StoreError.self) {
                try await one.outcome(of: UnknownWrite(id: WriteID(), previous: previous))
            }
            #expect(error?.code == .outcomeUnknown)
        }
        // Its place is free, and then taken.
        #expect(try await one.outcome(of: UnknownWrite(id: WriteID(), previous: applied)) == .notCommitted)
        try await one.write { tx in try tx.insert(Account(email: "c@d", balance: 10)) }
        let entry = try #require(log.allEntries.last)
        #expect(try await one.outcome(of: UnknownWrite(id: entry.writeID, previous: entry.previous)) == .committed)
    }

    // MARK: Status

    @Test func `an answer to a call from before a failure does not end the disconnection`() {
        let start = LogPosition.start(generation: 1)
        var status = ReplicationStatus(node: "one", applied: start, head: start, state: .following)
        let early = ContinuousClock.now
        status.noteFailure(SharedLogError(.unavailable, "it is cut off"))
        status.noteAnswer(calledAt: early)
        guard case .disconnected = status.state else {
            Issue.record("it is in the state \(status.state)")
            return
        }
        status.noteAnswer(calledAt: .now)
        guard case .following = status.state else {
            Issue.record("it is in the state \(status.state)")
            return
        }
    }

    @Test func `the sequence of the status shows what happens to the log, and ends with the store`() async throws {
        let log = MemoryLog()
        var replication = Replication.shared(log, node: "one")
        replication.followsByItself = false
        let one = try await Store.open(at: path("one"), records: Account.self, replication: replication)
        var updates = try #require(one.replicationUpdates).makeAsyncIterator()
        let first = await updates.next()?.applied.index
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        #expect(await updates.next()?.applied.index == first.map { $0 + 1 })
        log.isCut = true
        _ = try? await one.write { tx in try tx.insert(Account(email: "c@d", balance: 10)) }
        guard case .disconnected? = await updates.next()?.state else {
            Issue.record("the sequence does not say that the log is away")
            return
        }
        log.isCut = false
        await one.replicator?.follow()
        guard case .following? = await updates.next()?.state else {
            Issue.record("the sequence does not say that the log is back")
            return
        }
        one.close()
        #expect(await updates.next() == nil)
        #expect(await one.replicationUpdates?.first { _ in true } == nil)
        #expect(try Store(at: path("plain"), records: Account.self).replicationUpdates == nil)
    }

    // MARK: Refusals

    @Test func `a replica is not written without its log`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        one.close()
        let error = #expect(throws: StoreError.self) { try Store(at: path("one"), records: Account.self) }
        #expect(error?.code == .isReplica)
        var options = StoreOptions()
        options.isReadOnly = true
        let reading = try Store(at: path("one"), records: Account.self, options: options)
        #expect(try reading.read { try $0.fetch(Account.self).count } == 1)
        reading.close()
        // A copy in another directory is no replica of its own.
        try FileManager.default.copyItem(atPath: path("one"), toPath: path("copy"))
        let copied = await #expect(throws: StoreError.self) { _ = try await open("copy", log) }
        #expect(copied?.code == .replicaDiverged)
    }

    @Test func `a store that is no replica does not become one`() async throws {
        let plain = try Store(at: path("plain"), records: Account.self)
        plain.close()
        let error = await #expect(throws: StoreError.self) { _ = try await open("plain", MemoryLog()) }
        #expect(error?.code == .storeExists)
    }

    @Test func `operations that the log does not order are refused`() async throws {
        let one = try await open("one", MemoryLog())
        let types = #expect(throws: StoreError.self) { try one.write(addingTypes: []) { _ in } }
        let replay = #expect(throws: StoreError.self) { _ = try one.replay([]) }
        #expect([types, replay].map { $0?.code } == [.isReplica, .isReplica])
        var options = StoreOptions()
        options.migrations = MigrationPlan([])
        let plan = await #expect(throws: StoreError.self) {
            _ = try await Store.open(
                at: path("two"), records: Account.self, options: options, replication: .shared(MemoryLog(), node: "two")
            )
        }
        #expect(plan?.code == .invalidValue)
    }

    // MARK: Divergence

    @Test func `a log that was restored from an old backup stops the nodes that are ahead of it`() async throws {
        let log = MemoryLog()
        let connections = [log.connection(), log.connection()]
        let (one, two) = (try await open("one", connections[0]), try await open("two", connections[1]))
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        _ = try await two.read(.linearizable) { _ in }
        connections[1].isCut = true
        let kept = try #require(log.allEntries.last?.position.index)
        try await one.write { tx in try tx.insert(Account(email: "lost", balance: 10)) }
        log.restore(to: kept)
        let error = await #expect(throws: StoreError.self) {
            try await one.write { tx in try tx.insert(Account(email: "c@d", balance: 1)) }
        }
        #expect(error?.code == .replicaDiverged)
        guard case .stopped = one.replication?.state else { throw Mismatch("it is in another state") }
        // The other node is not ahead, and goes on. The stopped one still serves reads, and never gets the other history.
        connections[1].isCut = false
        try await two.write { tx in try tx.insert(Account(email: "e@f", balance: 1)) }
        try await two.write { tx in try tx.insert(Account(email: "g@h", balance: 1)) }
        #expect(try one.read { try $0.fetch(Account.self).map(\.email) } == ["a@b", "lost"])
        one.close()
        let again = await #expect(throws: StoreError.self) { _ = try await open("one", log.connection()) }
        #expect(again?.code == .replicaDiverged)
    }

    @Test func `a replica whose records differ stops at the entry that shows it`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        let connection = log.connection()
        let two = try await open("two", connection)
        connection.isCut = true
        try await one.write { tx in try tx.update(Account.self, id: 1) { $0.balance = 11 } }
        // The same changes, but the log says that they gave another hash.
        let entry = try #require(log.allEntries.last)
        log.restore(to: entry.previous.index)
        let other = LoggedEntry(
            changeSets: entry.content.changeSets.map {
                LoggedEntry.ChangeSet(sequence: $0.sequence, hash: $0.hash &+ 1, stream: $0.stream)
            })
        let outcome = try await log.append(LogEntry(after: entry.previous, node: "three", other))
        #expect(outcome == .appended)
        connection.isCut = false
        let error = await #expect(throws: StoreError.self) {
            try await two.write { tx in try tx.insert(Account(email: "c@d", balance: 1)) }
        }
        #expect(error?.code == .replicaDiverged)
        #expect(try two.read { try $0.get(Account.self, id: 1)?.balance } == 10)
    }

    @Test func `an entry that cannot be applied stops the replica`() async throws {
        let (log, theirLog) = (MemoryLog(), MemoryLog())
        let (one, stranger) = (try await open("one", log), try await open("stranger", theirLog))
        try await stranger.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        try await stranger.write { tx in try tx.delete(Account.self, id: 1) }
        // It deletes a record that this replica does not have.
        let theirs = try #require(theirLog.allEntries.last?.content.changeSets.first)
        let set = LoggedEntry.ChangeSet(
            sequence: try one.position.sequence + 1, hash: theirs.hash, stream: theirs.stream)
        let entry = LogEntry(after: try await log.head(), node: "two", LoggedEntry(changeSets: [set]))
        #expect(try await log.append(entry) == .appended)
        let error = await #expect(throws: StoreError.self) {
            try await one.write { tx in try tx.insert(Account(email: "c@d", balance: 1)) }
        }
        #expect(error?.code == .replicaDiverged)
        guard case .stopped = one.replication?.state else { throw Mismatch("it is in another state") }
    }

    @Test func `a write by another program stops the replica`() async throws {
        let log = MemoryLog()
        let one = try await open("one", log)
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        try one.replicaAccess.perform { [core = one.core] in
            var raw = try core.environment.beginWrite()
            let theirs = try #require(try raw.openDatabase(named: "theirs", create: true))
            let key: [UInt8] = [1]
            unsafe try raw.put(theirs, key: key.span.bytes, value: key.span.bytes)
            if let failure = raw.commitFailure() { throw failure }
        }
        let error = await #expect(throws: StoreError.self) {
            try await one.write { tx in try tx.insert(Account(email: "c@d", balance: 1)) }
        }
        #expect(error?.code == .replicaDiverged)
    }

    /// As a program does that does not know replicas.
    private final class NoLog: CommitLog {
        func append(_ entry: LoggedEntry, after replica: [UInt8]?) throws -> [UInt8] { replica ?? [] }
        func requirePrograms(using types: [RecordType]) {}
        func catchUp() {}
        func holdBack() {}
        func committed() {}
        func stop() {}
        func takeTurn(ofConsumer name: String) -> (any ConsumerTurn)? { nil }
        func isOutage(_ error: StoreError) -> Bool { false }
    }

    @Test func `change sets that were written without the log stop the replica, and reach no other`() async throws {
        let log = MemoryLog()
        let (one, two) = (try await open("one", log), try await open("two", log.connection()))
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 10)) }
        one.close()
        var options = StoreOptions()
        options.commitLog = NoLog()
        let rogue = try Store(at: path("one"), records: Account.self, options: options)
        try await rogue.write { tx in try tx.insert(Account(email: "rogue", balance: 1)) }
        rogue.close()
        let again = try await open("one", log.connection())
        let error = await #expect(throws: StoreError.self) {
            try await again.write { tx in try tx.insert(Account(email: "c@d", balance: 1)) }
        }
        #expect(error?.code == .replicaDiverged)
        try await two.write { tx in try tx.insert(Account(email: "e@f", balance: 1)) }
        #expect(try two.read { try $0.fetch(Account.self).map(\.email) } == ["a@b", "e@f"])
    }
}
