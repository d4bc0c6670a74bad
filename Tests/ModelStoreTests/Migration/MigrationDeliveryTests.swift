import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
import TestSupport
import Testing

/// The delivery of a migration that transforms records to readers of the feed.
@Suite("Delivery of migrations", .timeLimit(.minutes(TestLength.waitMinutes))) struct MigrationDeliveryTests {
    enum V1 {
        @Record struct Job {
            @ID(.assigned) var id: Int = 0
            var text: String
        }
    }
    enum V2 {
        @Record struct Job {
            @ID(.assigned) var id: Int = 0
            var words: [String]
        }
    }

    private static var options: StoreOptions {
        var options = StoreOptions()
        options.migrations = MigrationPlan(
            MigrationVersion("1", V1.Job.self),
            MigrationVersion(
                "2", V2.Job.self,
                steps: .transform(V1.Job.self, to: V2.Job.self) { old in
                    old.text == "drop"
                        ? nil : V2.Job(id: old.id, words: old.text.split(separator: " ").map(String.init))
                }))
        return options
    }

    /// A store that was migrated with these jobs in it.
    private static func migrated(_ texts: [String]) throws -> (directory: TestDirectory, store: Store) {
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: V1.Job.self)
        _ = try old.blockingWrite { tx in for text in texts { _ = try tx.insert(V1.Job(text: text)) } }
        old.close()
        return (directory, try Store(at: directory.path, records: V2.Job.self, options: options))
    }

    @Test func `a consumer receives no job twice, unless it asks for migrations`() async throws {
        for includesMigrations in [false, true] {
            let (directory, store) = try Self.migrated(["a b", "c d"])
            defer { withExtendedLifetime(directory) {} }
            var options = ConsumerOptions(only: FeedFilter(V2.Job.self))
            options.includesMigrations = includesMigrations
            let counts = Mutex<[ChangeSetKind: Int]>([:])
            _ = try await store.write { try $0.insert(V2.Job(words: ["new"])) }
            let end = try store.position
            let worker = Task { [options] in
                try await store.consume("worker", options) { set, _ in
                    let inserts = try set.changes(of: V2.Job.self).filter { $0.kind == .insert }.count
                    counts.withLock { $0[set.kind, default: 0] += inserts }
                }
            }
            try await store.wait(forConsumer: "worker", toPass: end)
            worker.cancel()
            try? await worker.value
            let migration = ChangeSetKind.migration(from: nil, to: "2")
            let expected: [ChangeSetKind: Int] = includesMigrations ? [.user: 1, migration: 2] : [.user: 1]
            #expect(counts.withLock { $0.filter { $0.value > 0 } } == expected)
        }
    }

    @Test(arguments: [1, 2, 3, 7])
    func `an insert of a migration says which record it replaces, in parts of any size`(_ partSize: Int) async throws {
        let texts = (1...40).map { $0 % 3 == 0 ? "drop" : "job \($0)" }
        let (directory, store) = try Self.migrated(texts)
        defer { withExtendedLifetime(directory) {} }
        var options = FeedOptions()
        options.changesPerPart = partSize
        let end = try store.position
        var replaced: [Int: String] = [:]
        var ended = 0
        for try await set in store.changes(from: .oldest, options) {
            if case .migration = set.kind {
                for change in try set.changes(of: V2.Job.self) { replaced[change.id] = change.replaced?.json }
                ended += set.changes.filter { $0.kind == .delete && $0.typeName == "Job" }.count
            } else {
                #expect(try set.changes(of: V2.Job.self).allSatisfy { $0.replaced == nil })
            }
            if set.position == end { break }
        }
        let kept = texts.enumerated().filter { $0.element != "drop" }
        #expect(
            replaced
                == Dictionary(
                    uniqueKeysWithValues: kept.map {
                        ($0.offset + 1, #"{"id":\#($0.offset + 1),"text":"\#($0.element)"}"#)
                    }))
        #expect(ended == texts.count)
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `the lag of a consumer counts migrations only if it wants them`() async throws {
        for includesMigrations in [false, true] {
            let directory = try TestDirectory()
            let old = try Store(at: directory.path, records: V1.Job.self)
            _ = try old.blockingWrite { tx in _ = try tx.insert(V1.Job(text: "a b")) }
            var options = ConsumerOptions()
            options.start = .newest
            options.includesMigrations = includesMigrations
            _ = try await old.holdConsumer("worker", options)
            old.close()
            let store = try Store(at: directory.path, records: V2.Job.self, options: Self.options)
            let worker = try #require(try store.consumers().first)
            #expect(worker.lag == (includesMigrations ? 3 : 0) && worker.isLagExact, "\(worker)")
        }
    }

    @Test func `verify counts the types that the store has, and no replaced ones`() throws {
        let (directory, store) = try Self.migrated(["a b"])
        store.close()
        #expect(try Store.verify(at: directory.path) { Issue.record("\($0)") }.typeCount == 1)
    }

    @Test func `a program cannot take a name that ends like a kind`() throws {
        var options = StoreOptions()
        options.originName = "thermo!undo(12)"
        let error = #expect(throws: StoreError.self) { try Store.temporary(records: V2.Job.self, options: options) }
        #expect(error?.code == .invalidValue)
    }

    @Test func `a change set knows its kind`() async throws {
        let store = try Store.temporary(records: V2.Job.self)
        let job = try await store.write { try $0.insert(V2.Job(words: ["a"])) }
        let start = try store.position
        _ = try await store.write { try $0.delete(V2.Job.self, id: job.id) }
        let deleted = try store.position.sequence
        try await store.undo(sequence: deleted)
        #expect(try store.changeSet(at: store.position).kind == .undo(of: deleted))
        _ = try await store.write { try $0.insert(V2.Job(words: ["b"])) }
        #expect(try store.changeSet(at: store.position).kind == .user)
        try await store.revert(to: start)
        let last = try store.changeSet(at: store.position)
        #expect(last.kind == .restore(to: start.sequence))
        #expect(try last.origin == store.changeSet(at: start).origin)
    }

    @Test(arguments: ["1", "", "2.0 (beta)", "a>b!c#d%e", "größer"])
    func `the names of versions come back as they were`(
        _ name: String
    ) throws {
        let kind = ChangeSetKind.migration(from: name.isEmpty ? nil : name, to: "x")
        let origin = StoreEngine.Origin(name: "program!undo#consumer", processID: 1).writing(kind)
        let read = StoreEngine.Origin(name: origin.storedName, processID: 1)
        #expect(read.kind == kind && read.name == "program!undo#consumer" && read.consumerName == "consumer")
    }
}
