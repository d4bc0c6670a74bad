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

    private static var options: StoreOptions { options(newest: "2") }

    private static func options(newest: String) -> StoreOptions {
        var options = StoreOptions()
        options.migrations = MigrationPlan(
            MigrationVersion("1", V1.Job.self),
            MigrationVersion(
                newest, V2.Job.self,
                steps: .transform(V1.Job.self, to: V2.Job.self) { old in
                    old.text == "drop"
                        ? nil : V2.Job(id: old.id, words: old.text.split(separator: " ").map(String.init))
                }))
        return options
    }

    /// A store that was migrated with these jobs in it.
    private static func migrated(
        _ texts: [String], to newest: String = "2"
    ) throws -> (directory: TestDirectory, store: Store) {
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: V1.Job.self)
        _ = try old.blockingWrite { tx in for text in texts { _ = try tx.insert(V1.Job(text: text)) } }
        old.close()
        return (directory, try Store(at: directory.path, records: V2.Job.self, options: options(newest: newest)))
    }

    @Test func `a printed change set does not control the terminal`() throws {
        let (directory, store) = try Self.migrated(["a\u{7F}"], to: "2\u{1B}[31m\u{202E}")
        defer { withExtendedLifetime(directory) {} }
        var texts: [String] = []
        for sequence in 1...(try store.position.sequence) {
            let set = try store.changeSet(sequence: sequence)
            texts += ["\(set)"] + set.changes.map { "\($0)" }
        }
        #expect(texts.contains { $0.contains(#"2\u{1B}[31m\u{202E}"#) })
        for text in texts {
            for line in text.split(separator: "\n") { #expect(DisplayText.escaped(String(line)) == line) }
        }
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
            // The two jobs from before the migration come as they were written.
            let expected: [ChangeSetKind: Int] = includesMigrations ? [.user: 3, migration: 2] : [.user: 3]
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
                for change in try set.changes(of: V2.Job.self) where change.kind == .insert {
                    replaced[change.id] = change.replaced?.json
                }
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

    @Test func `a consumer that was behind a migration loses no work`() async throws {
        let directory = try TestDirectory()
        do {
            let old = try Store(at: directory.path, records: V1.Job.self)
            _ = try await old.write { try $0.insert(V1.Job(text: "done before")) }
            let worker = Task { try await old.consume("worker") { (_: ChangeSet) in } }
            try await old.wait(forConsumer: "worker", toPass: old.position)
            worker.cancel()
            try await worker.value
            _ = try await old.write { try $0.insert(V1.Job(text: "waits")) }
            old.close()
        }
        let store = try Store(at: directory.path, records: V2.Job.self, options: Self.options)
        let received = Mutex<[(id: Int, fit: ChangeFit, isUser: Bool)]>([])
        let worker = Task {
            try await store.consume("worker", ConsumerOptions(only: FeedFilter(V2.Job.self))) { (set: ChangeSet) in
                for change in try set.changes(of: V2.Job.self) where change.kind == .insert {
                    received.withLock { $0.append((change.id, change.fit, set.kind == .user)) }
                }
            }
        }
        try await store.wait(forConsumer: "worker", toPass: store.position)
        worker.cancel()
        try await worker.value
        let jobs = received.withLock { $0 }
        #expect(jobs.map(\.id) == [2] && jobs.allSatisfy(\.isUser))
        guard case .doesNotFit(let written) = jobs.first?.fit else {
            Issue.record("\(jobs)")
            return
        }
        #expect(written.afterJSON == #"{"id":2,"text":"waits"}"#)
        #expect(written.reason == "a migration has replaced the type that it was written with")
    }

    @Test func `a migration is not merged with other change sets, and merged ones have the same kind`() async throws {
        let (directory, store) = try Self.migrated(["a b"])
        defer { withExtendedLifetime(directory) {} }
        for number in 0..<3 { _ = try await store.write { try $0.insert(V2.Job(words: ["\(number)"])) } }
        let undone = try store.position.sequence
        try await store.undo(sequence: undone)
        _ = try await store.write { try $0.insert(V2.Job(words: ["last"])) }
        let end = try store.position
        var options = FeedOptions(only: FeedFilter(V2.Job.self))
        options.mergesPending = true
        var told: [(kind: ChangeSetKind, inserts: Int, replaced: Int)] = []
        for try await set in store.changes(from: .oldest, options) {
            let inserts = try set.changes(of: V2.Job.self).filter { $0.kind == .insert }
            if !inserts.isEmpty || set.kind == .undo(of: undone) {
                told.append((set.kind, inserts.count, inserts.count { $0.replaced != nil }))
            }
            if set.position == end { break }
        }
        let migration = ChangeSetKind.migration(from: nil, to: "2")
        #expect(told.map(\.kind) == [.user, migration, .user, .undo(of: undone), .user])
        #expect(told.map(\.inserts) == [1, 1, 3, 0, 1] && told.map(\.replaced) == [0, 1, 0, 0, 0])
    }

    @Test func `an undo of a migration with replaced records skips each record as a whole`() async throws {
        let (directory, store) = try Self.migrated(["a b", "drop", "c d"])
        defer { withExtendedLifetime(directory) {} }
        let sequence = try #require(
            try (1...store.position.sequence).last { number in
                let set = try store.changeSet(sequence: number)
                return set.kind.isMigration && set.changes.contains { $0.kind == .insert }
            })
        await #expect(throws: StoreError.self) { try await store.undo(sequence: sequence) }
        let conflicts = try await store.undo(sequence: sequence, conflicts: .skip)
        #expect(conflicts.map(\.id).sorted() == ["1", "1", "2", "3", "3"], "\(conflicts)")
        #expect(try store.fetch(V2.Job.all).map(\.words) == [["a", "b"], ["c", "d"]])
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

    @Test(arguments: ["!undo(1)", "mail!migration(1>2)", "mail!restore(7)"])
    func `a consumer cannot take such a name either`(_ name: String) async throws {
        let store = try Store.temporary(records: V2.Job.self)
        let error = await #expect(throws: StoreError.self) { try await store.createConsumer(name, at: .newest) }
        #expect(error?.code == .invalidValue && error?.message.contains("ends like the kind") == true)
        try await store.createConsumer("mail!", at: .newest)
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
