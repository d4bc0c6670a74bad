import ModelStore
import StoreEngine
import Synchronization
import TestSupport
import Testing

@testable import StoreRuntime

/// Changes of records whose id is a value of its stored type, but none of the program's id type any more.
@Suite("Ids that do not fit", .timeLimit(.minutes(TestLength.waitMinutes))) struct UnfitIDTests {
    enum Before {
        enum Letter: String, Codable { case a, b }
        struct Number: RawRepresentable, Codable, Hashable, Sendable { let rawValue: Int }
        @Record("Unit") struct Unit {
            @ID var id: Letter
            var size: Int = 0
        }
        @Record("Pair") struct Pair {
            @ID var letter: Letter
            @ID var place: Int
        }
        @Record("Part") struct Part { @ID var id: Number }
    }

    enum After {
        enum Letter: String, Codable { case a }
        struct Number: RawRepresentable, Codable, Hashable, Sendable {
            let rawValue: Int
            init?(rawValue: Int) {
                guard rawValue < 10 else { return nil }
                self.rawValue = rawValue
            }
        }
        @Record("Unit") struct Unit {
            @ID var id: Letter
            var size: Int = 0
        }
        @Record("Pair") struct Pair {
            @ID var letter: Letter
            @ID var place: Int
        }
        @Record("Part") struct Part { @ID var id: Number }
    }

    /// A store in which another program has written ids that do not fit. Change set `inserted` has two records of each type, one
    /// with such an id. The next change set updates one of them.
    private static func reopened(
        _ options: StoreOptions = StoreOptions()
    ) throws -> (directory: TestDirectory, store: Store, inserted: UInt64) {
        let directory = try TestDirectory()
        let old = try Store(
            at: directory.path, records: Before.Unit.self, Before.Pair.self, Before.Part.self, options: options)
        _ = try old.blockingWrite { tx in
            for letter in [Before.Letter.a, .b] {
                _ = try tx.insert(Before.Unit(id: letter))
                _ = try tx.insert(Before.Pair(letter: letter, place: 1))
            }
            for number in [1, 70] { _ = try tx.insert(Before.Part(id: Before.Number(rawValue: number))) }
        }
        let inserted = try old.position.sequence
        _ = try old.blockingWrite { try $0.update(Before.Unit.self, id: .b) { $0.size = 3 } }
        old.close()
        let store = try Store(
            at: directory.path, records: After.Unit.self, After.Pair.self, After.Part.self, options: options)
        return (directory, store, inserted)
    }

    private static func expectApart<R: Record>(
        _ type: R.Type, id: String, _ reason: String, in set: ChangeSet
    ) throws {
        #expect(try set.changes(of: type).map(\.fit) == [.fits])
        let unfit = try set.changesOfUnfitIDs(of: type)
        #expect(unfit.count == 1)
        let (change, written) = try #require(unfit.first)
        #expect(change.kind == .insert)
        #expect(try change.idJSON() == id)
        #expect(written.reason.contains(reason), "\(written.reason)")
        #expect(written.afterBytes != nil && written.afterJSON != nil && written.beforeBytes == nil)
    }

    @Test func `a change is apart from the others and keeps its bytes, and all others are delivered`() throws {
        let (directory, store, inserted) = try Self.reopened()
        defer { withExtendedLifetime(directory) {} }
        let set = try store.changeSet(sequence: inserted)
        try Self.expectApart(After.Unit.self, id: #""b""#, "id: Letter has no case with the raw value b", in: set)
        try Self.expectApart(After.Pair.self, id: #"["b",1]"#, "Letter has no case with the raw value b", in: set)
        try Self.expectApart(After.Part.self, id: "70", "id: Number has no case with the raw value 70", in: set)

        let difference = try store.difference(from: set.positionBefore, to: store.position)
        #expect(try difference.changes(of: After.Unit.self).map(\.id) == [.a])
        let unfit = try difference.changesOfUnfitIDs(of: After.Unit.self)
        #expect(unfit.map(\.written.afterJSON) == [#"{"id":"b","size":3}"#])
    }

    @Test(arguments: [UnfitRecords.deliver, .skip, .stop])
    func `a consumer chooses what happens to them`(_ rule: UnfitRecords) async throws {
        let (directory, store, _) = try Self.reopened()
        defer { withExtendedLifetime(directory) {} }
        var options = ConsumerOptions(only: FeedFilter(After.Unit.self))
        options.feed.unfitRecords = rule
        options.retry.attempts = 1
        let seen = Mutex<[String]>([])
        let end = try store.position
        let worker = Task { [options] in
            try await store.consume("worker", options) { set, _ in
                let fit = try set.changes(of: After.Unit.self).map(\.id.rawValue)
                let unfit = try set.changesOfUnfitIDs(of: After.Unit.self).compactMap { try $0.change.idJSON() }
                seen.withLock { $0 += fit + unfit }
            }
        }
        if rule == .stop {
            let error = await #expect(throws: StoreError.self) { try await worker.value }
            let cause = try #require(error?.cause as? StoreError)
            #expect(cause.code == .valueDoesNotFit && cause.message.contains(#"Unit "b""#), "\(cause)")
            return
        }
        try await store.wait(forConsumer: "worker", toPass: end)
        worker.cancel()
        try? await worker.value
        #expect(seen.withLock { $0 } == (rule == .deliver ? ["a", #""b""#, #""b""#] : ["a"]))
    }

    @Test func `a reader of records and changes receives the change set that has only such a change`() async throws {
        let store = try Store.temporary(records: After.Unit.self)
        try await store.write { try $0.insert(After.Unit(id: .a)) }
        var reader = store.recordsAndChanges(of: After.Unit.self).makeAsyncIterator()
        while let element = try await reader.next() { if case .ready = element { break } }
        // As a program with another type does it.
        try await store.write { tx in
            let index = try tx._reading.catalog.requireTypeIndex(named: "Unit")
            guard var record = try tx._reading.dynamicRecord(id: [.string("a")], typeIndex: index) else { return }
            record.values[0] = .string("b")
            _ = try tx.put(record, typeIndex: index, mode: .insert)
        }
        try await store.write { _ = try $0.update(After.Unit.self, id: .a) { $0.size = 1 } }
        guard case .commit(let changes, let set) = try await reader.next() else {
            Issue.record("no change set")
            return
        }
        #expect(changes.isEmpty)
        #expect(try set.changesOfUnfitIDs(of: After.Unit.self).count == 1)
    }

    @Test func `a difference by record does not call the id of a deleted record damaged`() async throws {
        var options = StoreOptions()
        options.limits.retainedChangeSets = 1
        options.limits.changedRecordLimit = 100
        let (directory, store, _) = try Self.reopened(options)
        defer { withExtendedLifetime(directory) {} }
        let start = try store.position
        _ = try store.blockingWrite { try $0.delete(After.Unit.where { $0.size == 3 }) }
        for size in 1...5 { _ = try store.blockingWrite { try $0.update(After.Unit.self, id: .a) { $0.size = size } } }
        let core = store.core
        while try core.perform({ try core.retention.step() }) {}
        var reader = store.catchUp(since: start).makeAsyncIterator()
        guard case .difference(let part) = try await reader.next() else {
            Issue.record("no difference")
            return
        }
        let error = #expect(throws: StoreError.self) { try part.records(of: After.Unit.self) }
        #expect(error?.code == .valueDoesNotFit, "\(error!)")
        #expect(error?.message.contains(#"Unit "b" does not fit"#) == true, "\(error!)")
        #expect(error?.message.contains("raw value b") == true, "\(error!)")
    }
}
