import Foundation
@_spi(Measuring) import ModelStore
import ModelStoreTesting
import TestSupport
import Testing

@testable import ModelStoreReplication
@testable import StoreEngine
@testable import StoreRuntime

@Record
struct Named {
    @ID var id: String
    @Unique var mark: String
}

/// The sum of the records, which all replicas of a log have.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) final class ReplicatedContentTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "contents-\(UUID())")
    private let log = MemoryLog()

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func path(_ name: String) -> String { directory.appending(path: name).path }

    private func open(_ name: String, _ options: StoreOptions = StoreOptions()) async throws -> Store {
        var replication = Replication.shared(log.connection(), node: name)
        replication.followsByItself = false
        return try await Store.open(at: path(name), records: Account.self, options: options, replication: replication)
    }

    private func sums(_ store: Store) throws -> (stored: ContentSum?, counted: ContentSum) {
        let transaction = try store.beginRead()
        return (try transaction._reading.storedContentSum(), try transaction._reading.contentSum())
    }

    @Test func `the sum follows inserts, updates and deletes on every node`() async throws {
        let (one, two) = (try await open("one"), try await open("two"))
        try await one.write { tx in
            for number in 0..<20 { try tx.insert(Account(email: "\(number)", balance: number)) }
        }
        let first = try sums(one)
        try await one.write { tx in
            try tx.update(Account.self, id: 3) { $0.balance = 100 }
            try tx.delete(Account.self, id: 4)
            try tx.delete(Account.self, id: 5)
            try tx.insert(Account(email: "x", balance: 1))
        }
        // A closure that throws, alone and beside others, changes nothing.
        _ = try? await one.write { tx throws in
            try tx.delete(Account.self, id: 1)
            throw CancellationError()
        }
        try two.replicator?.followNow()
        for store in [one, two] {
            let found = try sums(store)
            #expect(found.stored == found.counted && found.counted != first.counted)
        }
        #expect(try sums(one).counted == sums(two).counted)
    }

    @Test func `after a change of the records' form the next write counts all records again`() async throws {
        let (one, two) = (try await open("one"), try await open("two"))
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 1)) }
        // A new type changes no record.
        try await add(Note.self)
        try two.replicator?.followNow()
        for store in [one, two] {
            let found = try sums(store)
            #expect(found.stored == found.counted)
        }
        one.close()
        try await add(Later.Account.self)
        try two.replicator?.followNow()
        #expect(try sums(two).stored == nil)
        try await two.write { tx in try tx.insert(Account(email: "c@d", balance: 2)) }
        let again = try await open("one")
        for store in [again, two] {
            let found = try sums(store)
            #expect(found.stored == found.counted)
        }
        #expect(try sums(again).counted == sums(two).counted)
    }

    /// Opens the first replica with a type that it lacks, or in another form.
    private func add(_ type: (some Record).Type) async throws {
        var replication = Replication.shared(log.connection(), node: "one")
        replication.followsByItself = false
        let more = try await Store.open(at: path("one"), records: type, replication: replication)
        more.close()
    }

    /// The type of a later program.
    enum Later {
        @Record
        struct Account {
            @ID(.assigned) var id: Int = 0
            @Unique var email: String
            @Indexed var balance: Int
            var remark: String?
        }
    }

    @Test func `nodes with other secrets apply the changes of records with long ids`() async throws {
        let one = try await open("one")
        // The format of the nodes that a cluster had before, in a directory without records.
        var options = StoreOptions()
        options.usesRedoLog = false
        try await open("two", options).close()
        try OlderFormat.give(3, toStoreAt: path("two"))
        let old = try await open("two")
        try await add(Named.self)
        let ids = (0..<10).map { String(repeating: "a", count: 300) + "\($0)" }
        for store in [one, old] { try store.replicator?.followNow() }
        let (first, second) = (try await reopen("one", one), try await reopen("two", old))
        try await first.write { tx in
            for id in ids { try tx.insert(Named(id: id, mark: id)) }
        }
        try second.replicator?.followNow()
        try await second.write { tx in
            try tx.update(Named.self, id: ids[3]) { $0.mark = "x" }
            try tx.delete(Named.self, id: ids[4])
        }
        try first.replicator?.followNow()
        try await first.write { tx in
            try tx.delete(Named.self, id: ids[5])
            try tx.update(Named.self, id: ids[6]) { $0.mark = ids[4] }
        }
        let late = try await reopen("three", nil)
        var found: [[String]] = []
        for store in [first, second, late] {
            try store.replicator?.followNow()
            let sums = try sums(store)
            #expect(sums.stored == sums.counted)
            found.append(try store.fetch(Named.order { $0.id.ascending }).map { "\($0.id) \($0.mark)" })
            var findings: [String] = []
            try store.verify { findings.append("\($0)") }
            #expect(findings == [])
        }
        #expect(found[0].count == 8 && found[0] == found[1] && found[0] == found[2])
        #expect(try first.position.sequence == late.position.sequence)
    }

    private func reopen(_ name: String, _ store: Store?) async throws -> Store {
        store?.close()
        var replication = Replication.shared(log.connection(), node: name)
        replication.followsByItself = false
        return try await Store.open(at: path(name), records: Named.self, replication: replication)
    }

    @Test func `a record that differs on one node is found there`() async throws {
        var options = StoreOptions()
        options.limits.retainedChangeSets = 10
        let (one, two) = (try await open("one"), try await open("two", options))
        try await one.write { tx in
            try tx.insert(Account(email: "a@b", balance: 1))
            try tx.insert(Account(email: "c@d", balance: 1))
        }
        // The feed then no longer shows how the first record must be.
        for _ in 0..<200 { try await one.write { tx in try tx.update(Account.self, id: 2) { $0.balance += 1 } } }
        try two.replicator?.followNow()
        let administration = LogAdministration(log)
        await one.replicator?.keepUp()
        await two.replicator?.keepUp()
        let sound = try await administration.verify(replicaAt: path("two"))
        #expect(sound.isSound && sound.equalNodes == ["one", "two"] && sound.otherNodes.isEmpty)

        // Neither the feed nor the sum hears of this.
        try await two.write { tx in
            tx.leaveOutOfFeed()
            try tx.update(Account.self, id: 1) { $0.balance = 2 }
        }
        let broken = try await administration.verify(replicaAt: path("two"))
        #expect(!broken.isSound && broken.otherNodes.contains("one"))
        var findings: [VerifyFinding] = []
        _ = try two.verify { findings.append($0) }
        #expect(findings.contains { "\($0)".contains("let it rejoin") })
        #expect(try await administration.verify(replicaAt: path("one")).isSound)
    }

    @Test func `an entry after which the records differ stops a replica`() async throws {
        let one = try await open("one")
        try await one.write { tx in try tx.insert(Account(email: "a@b", balance: 1)) }
        let applied = try #require(one.replication?.applied)
        var content = LoggedEntry(changeSets: [], assigned: [1: 50])
        content.contentSum = ContentSum()
        _ = try await log.append(LogEntry(after: applied, node: "two", content))
        let error = #expect(throws: StoreError.self) { try one.replicator?.followNow() }
        #expect(error?.code == .replicaDiverged)
        guard case .stopped? = one.replication?.state else {
            Issue.record("the replica goes on")
            return
        }
        #expect(one.replication?.applied == applied)
    }

    @Test func `the sum does not depend on the order of writes, and tells records, types and versions apart`() throws {
        let records: [[UInt8]] = [
            Array(repeating: 1, count: 40), Array(repeating: 1, count: 39) + [2], Array(repeating: 3, count: 24),
        ]
        func sum(_ parts: [(Int, UInt32)]) -> ContentSum {
            var sum = ContentSum()
            for (number, type) in parts {
                let record = records[number]
                unsafe sum.add(record.span.bytes, type: type)
            }
            return sum
        }
        #expect(sum([(0, 1), (1, 1), (2, 2)]) == sum([(2, 2), (0, 1), (1, 1)]))
        #expect(sum([(0, 1)]) != sum([(1, 1)]))
        #expect(sum([(0, 1)]) != sum([(0, 2)]))
        #expect(sum([(0, 1)]) != sum([(0, 1), (0, 1)]))
        var back = sum([(0, 1), (1, 1)])
        let removed = records[1]
        unsafe back.subtract(removed.span.bytes, type: 1)
        #expect(back == sum([(0, 1)]))
        let bytes = back.bytes
        let read = unsafe try ContentSum(bytes.span.bytes)
        #expect(read == back)
        #expect(back.description.count == 32)
    }
}
