import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
import TestSupport
import Testing

/// Change sets from before a migration, whose records do not fit the type any more.
@Suite("Change sets from before a migration", .timeLimit(.minutes(TestLength.waitMinutes))) struct OldChangeSetTests {
    enum Before {
        @Record("Job") struct Job {
            @ID var id: Int
            var due: Int?
            var size: Int = 0
            var state: String = "new"
        }
    }

    enum After {
        enum State: String, FieldValue, CaseIterable { case new, done }
        @Record("Job") struct Job {
            @ID var id: Int
            var due: Int
            var size: Int8
            var state: State
        }
    }

    /// The ways in which an old record does not fit the new type.
    enum Misfit: CaseIterable {
        case null, number, enumCase

        var job: Before.Job {
            switch self {
            case .null: Before.Job(id: 1, due: nil)
            case .number: Before.Job(id: 1, due: 1, size: 1_000)
            case .enumCase: Before.Job(id: 1, due: 1, state: "lost")
            }
        }

        /// A part of the message about the field.
        var reason: String {
            switch self {
            case .null: "due: it is null"
            case .number: "size: 1000 does not fit"
            case .enumCase: "state: lost is not one of the cases"
            }
        }
    }

    /// A store whose change sets 2 and 3 have a record that does not fit since the migration in change set 5. Change set 3 also
    /// has a record that fits.
    private static func migrated(_ misfit: Misfit) throws -> (directory: TestDirectory, store: Store) {
        let directory = try TestDirectory()
        do {
            let store = try Store(at: directory.path, records: Before.Job.self)
            _ = try store.blockingWrite { try $0.insert(misfit.job) }
            _ = try store.blockingWrite { tx in
                try tx.update(Before.Job.self, id: 1) { ($0.due, $0.size, $0.state) = (7, 7, "done") }
                _ = try tx.insert(Before.Job(id: 2, due: 2))
            }
            _ = try store.blockingWrite { try $0.insert(Before.Job(id: 3, due: 3)) }
            store.close()
            // As `store-cli migrate` does it.
            let tool = try Store(at: directory.path, records: [])
            let migrations = try tool.migrate(to: [After.Job.recordSchema], isTrial: false)
            #expect(migrations.map(\.misfitCount) == [0])
            tool.close()
        }
        return (directory, try Store(at: directory.path, records: After.Job.self))
    }

    @Test(arguments: Misfit.allCases)
    func `a change that does not fit says so and keeps its bytes, and all others are delivered`(
        _ misfit: Misfit
    ) async throws {
        let (directory, store) = try Self.migrated(misfit)
        defer { withExtendedLifetime(directory) {} }
        let first = try store.changeSet(sequence: 2)
        let inserted = try #require(try first.changes(of: After.Job.self).first)
        #expect(inserted.kind == .insert && inserted.id == 1 && inserted.after == nil)
        guard case .doesNotFit(let written) = inserted.fit else {
            Issue.record("it fits")
            return
        }
        #expect(written.reason.contains(misfit.reason), "\(written.reason)")
        #expect(written.afterBytes != nil && written.beforeBytes == nil && written.beforeJSON == nil)
        #expect(written.afterJSON?.contains(#""id":1"#) == true)

        let changes = try store.changeSet(sequence: 3).changes(of: After.Job.self)
        #expect(changes.map(\.id) == [1, 2])
        #expect(changes[0].before == nil && changes[0].after == After.Job(id: 1, due: 7, size: 7, state: .done))
        #expect(changes[0].fit != .fits && changes[1].fit == .fits)
        #expect(changes[1].after == After.Job(id: 2, due: 2, size: 0, state: .new))
    }

    @Test(arguments: Misfit.allCases)
    func `the records of old change sets are shown as they were written`(_ misfit: Misfit) throws {
        let (directory, store) = try Self.migrated(misfit)
        defer { withExtendedLifetime(directory) {} }
        let insert = try store.changeSet(sequence: 2).changes[0]
        let json = try #require(try insert.afterJSON())
        let old = misfit.job
        #expect(
            json.contains(#""due":\#(old.due.map(String.init) ?? "null"),"size":\#(old.size),"state":"\#(old.state)""#),
            "\(json)")
        let update = try store.changeSet(sequence: 3).changes[0]
        #expect(try update.beforeJSON() == json)
        #expect(try update.idJSON() == "1")
        #expect(try !update.fieldChanges().isEmpty)
        // The whole history can be combined, and exported as events.
        let difference = try store.difference(from: store.changeSet(sequence: 2).positionBefore, to: store.position)
        #expect(try difference.changes(of: After.Job.self).map(\.id).sorted() == [1, 2, 3])
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test(arguments: Misfit.allCases, [UnfitRecords.deliver, .skip, .stop])
    func `a consumer chooses what happens to records that do not fit`(
        _ misfit: Misfit, _ rule: UnfitRecords
    ) async throws {
        let (directory, store) = try Self.migrated(misfit)
        defer { withExtendedLifetime(directory) {} }
        var options = ConsumerOptions(only: FeedFilter(After.Job.self) { $0.due > 0 })
        options.feed.unfitRecords = rule
        options.retry.attempts = 1
        let seen = Seen()
        let end = try store.position
        let worker = Task { [options] in
            try await store.consume("worker", options) { set, _ in
                for change in try set.changes(of: After.Job.self) { seen.add(change.id) }
            }
        }
        if rule == .stop {
            let error = await #expect(throws: StoreError.self) { try await worker.value }
            let cause = try #require(error?.cause as? StoreError)
            #expect(cause.code == .valueDoesNotFit && cause.message.contains("Job 1"), "\(cause)")
            return
        }
        try await store.wait(forConsumer: "worker", toPass: end)
        worker.cancel()
        try? await worker.value
        #expect(seen.ids == (rule == .deliver ? [1, 1, 2, 3] : [2, 3]))
    }

    @Test(arguments: Misfit.allCases)
    func `a reader that merges change sets keeps its rule`(_ misfit: Misfit) async throws {
        let (directory, store) = try Self.migrated(misfit)
        defer { withExtendedLifetime(directory) {} }
        var options = FeedOptions(only: FeedFilter(After.Job.self))
        options.mergesPending = true
        options.unfitRecords = .stop
        var feed = store.changes(from: .after(try store.changeSet(sequence: 2).position), options).makeAsyncIterator()
        let merged = try #require(try await feed.next())
        #expect(merged.firstSequence < merged.sequence)
        let error = #expect(throws: StoreError.self) { try merged.changes(of: After.Job.self) }
        #expect(error?.code == .valueDoesNotFit, "\(error!)")
    }

    @Test(arguments: Misfit.allCases)
    func `undoing a change to a record that does not fit is a conflict, which can be skipped`(
        _ misfit: Misfit
    ) async throws {
        let (directory, store) = try Self.migrated(misfit)
        defer { withExtendedLifetime(directory) {} }
        let error = await #expect(throws: StoreError.self) { try await store.undo(sequence: 3) }
        #expect(error?.code == .changeConflict && error?.message.contains(misfit.reason) == true, "\(error!)")
        let conflicts = try await store.undo(sequence: 3, conflicts: .skip)
        #expect(conflicts.map(\.id) == ["1"])
        guard case .refused(.valueDoesNotFit, _) = conflicts[0].reason else {
            Issue.record("\(conflicts)")
            return
        }
        #expect(try store.read { try $0.all(After.Job.self) }.map(\.id) == [1, 3])
    }

    @Test(arguments: Misfit.allCases)
    func `a trial of the migration counts the change sets that will not fit`(_ misfit: Misfit) throws {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Before.Job.self)
        _ = try store.blockingWrite { try $0.insert(misfit.job) }
        _ = try store.blockingWrite {
            try $0.update(Before.Job.self, id: 1) { ($0.due, $0.size, $0.state) = (7, 7, "done") }
        }
        _ = try store.blockingWrite { try $0.insert(Before.Job(id: 2, due: 2)) }
        let trial = try store.migrate(to: [After.Job.recordSchema], isTrial: true)[0]
        let unfit = try #require(trial.unfitHistory)
        #expect(unfit == (2, 2, 3))
    }

    private final class Seen: Sendable {
        private let all = Mutex<[Int]>([])
        var ids: [Int] { all.withLock { $0 } }
        func add(_ id: Int) { all.withLock { $0.append(id) } }
    }
}

/// Sound records that a type of the program cannot hold.
@Suite("Values that do not fit") struct UnfitValueTests {
    struct Old: Codable, Sendable, Hashable { var name: String }
    struct New: Codable, Sendable, Hashable { var first: String }
    enum V1 {
        @Record("Person") struct Person {
            @ID var id: Int
            var info: Old
        }
    }
    enum V2 {
        @Record("Person") struct Person {
            @ID var id: Int
            var info: New
        }
    }

    @Test func `every way of reading names the record, the field and what was found, and says that nothing is damaged`()
        throws
    {
        let directory = try TestDirectory()
        do {
            let old = try Store(at: directory.path, records: V1.Person.self)
            _ = try old.blockingWrite { try $0.insert(V1.Person(id: 41, info: Old(name: "Ada"))) }
            old.close()
        }
        let store = try Store(at: directory.path, records: V2.Person.self)
        let ways: [(String, () throws -> Void)] = [
            ("get", { _ = try store.get(V2.Person.self, id: 41) }),
            ("fetch", { _ = try store.fetch(FetchRequest(V2.Person.self)) }),
            ("first", { _ = try store.read { try $0.first(FetchRequest(V2.Person.self)) } }),
            ("live", { _ = try store.liveQuery(FetchRequest(V2.Person.self)).results }),
            ("lazy", { _ = try store.liveQuery(FetchRequest(V2.Person.self)).lazyResults[0].info }),
            ("model", { _ = try store.model(V2.Person.self, id: 41) }),
            ("field", { _ = try store.fetch(FetchRequest(V2.Person.self).fields(\.info)) }),
            ("fields", { _ = try store.fetch(FetchRequest(V2.Person.self).fields { ($0.id, $0.info) }) }),
            (
                "five fields",
                {
                    _ = try store.fetch(FetchRequest(V2.Person.self).fields { ($0.id, $0.id, $0.id, $0.id, $0.info) })
                }
            ),
            ("page", { _ = try store.read { try $0.page(FetchRequest(V2.Person.self).limit(5)) } }),
            (
                "update",
                { _ = try store.blockingWrite { try $0.update(V2.Person.self, id: 41) { $0.info.first = "x" } } }
            ),
        ]
        for (name, way) in ways {
            let error = #expect(throws: StoreError.self, "\(name)") { try way() }
            #expect(error?.code == .valueDoesNotFit, "\(name): \(error!)")
            #expect(error?.message.contains("Person 41") == true, "\(name): \(error!)")
            #expect(error?.message.contains("info: ") == true, "\(name): \(error!)")
            #expect(error?.message.contains("Ada") == true, "\(name): \(error!)")
            #expect(error?.remedy?.contains("backup") == false, "\(name): \(error!)")
        }
    }
    enum V3 {
        enum Grade: String, Codable { case a, b }
        enum Level: String, IndexableValue { case low, high }
        @Record("Owner") struct Owner { @ID var id: Grade }
        @Record("Item") struct Item {
            @ID var id: Int
            @Indexed var grade: Grade
            @Indexed var spare: Grade?
            @Indexed var level: Level
            @Reference(onDelete: .nullify) var owner: Reference<Owner>?
        }
        @Record("Box") struct Box {
            @ID var id: Int
            var item: Reference<Item>
        }
    }
    enum V4 {
        enum Grade: String, Codable { case a }
        enum Level: String, IndexableValue { case low }
        @Record("Owner") struct Owner { @ID var id: Grade }
        @Record("Item") struct Item {
            @ID var id: Int
            @Indexed var grade: Grade
            @Indexed var spare: Grade?
            @Indexed var level: Level
            @Reference(onDelete: .nullify) var owner: Reference<Owner>?
        }
        @Record("Box") struct Box {
            @ID var id: Int
            var item: Reference<Item>
        }
    }

    @Test func `a field that an index gives without the record is named with the record, and is not damaged`() throws {
        let directory = try TestDirectory()
        do {
            let old = try Store(at: directory.path, records: V3.Item.self, V3.Owner.self, V3.Box.self)
            _ = try old.blockingWrite { tx in
                _ = try tx.insert(V3.Owner(id: .b))
                _ = try tx.insert(V3.Item(id: 41, grade: .b, spare: .b, level: .high, owner: Reference(.b)))
                _ = try tx.insert(V3.Box(id: 1, item: Reference(41)))
            }
            old.close()
        }
        let store = try Store(at: directory.path, records: V4.Item.self, V4.Owner.self, V4.Box.self)
        let position = try store.position
        let grades = V4.Item.order { $0.grade.ascending }.fields { $0.grade }
        let ways: [(field: String, value: String, read: () throws -> Void)] = [
            ("grade", "b", { _ = try store.fetch(grades) }),
            ("grade", "b", { try store.read { try $0.forEach(grades) { _ in true } } }),
            ("grade", "b", { _ = try store.read(at: position) { try $0.fetch(grades) } }),
            ("spare", "b", { _ = try store.fetch(V4.Item.order { $0.spare.ascending }.fields { ($0.spare, $0.id) }) }),
            ("level", "high", { _ = try store.fetch(V4.Item.order { $0.level.ascending }.fields { $0.level }) }),
            ("owner", "b", { _ = try store.fetch(V4.Item.order { $0.owner.ascending }.fields { $0.owner }) }),
        ]
        #expect(try store.explain(grades).contains("without the records"))
        for (field, value, read) in ways {
            let error = #expect(throws: StoreError.self, "\(field)") { try read() }
            #expect(error?.code == .valueDoesNotFit, "\(field): \(error!)")
            #expect(error?.message.contains("Item 41 does not fit its type: \(field): ") == true, "\(error!)")
            #expect(error?.message.hasSuffix("has no case with the raw value \(value)") == true, "\(field): \(error!)")
        }
        let greatest: [() throws -> Void] = [
            { _ = try store.fetch(V4.Item.all.grouped(by: { $0.id }) { $0.level.max }) },
            { _ = try store.read { try $0.max(V4.Box.all, \.item.level) } },
        ]
        for read in greatest {
            let error = #expect(throws: StoreError.self) { try read() }
            #expect(error?.code == .valueDoesNotFit, "\(error!)")
        }
    }
}
