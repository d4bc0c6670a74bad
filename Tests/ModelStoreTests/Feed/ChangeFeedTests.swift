import Foundation
import ModelStore
import TestSupport
import Testing

/// Reading the feed in the writing process.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct ChangeFeedTests {
    static func sensor(_ number: Int, celsius: Double = 20, room: String = "hall") -> Sensor {
        Sensor(id: "s\(number)", room: room, serial: "A-\(number)", celsius: celsius)
    }

    static func store(_ options: StoreOptions = StoreOptions()) throws -> Store {
        try Store.temporary(records: Sensor.self, Account.self, options: small(options))
    }

    /// Returns options with a small map. Tests run concurrently while others wait, and a hundred maps of the default size fill
    /// the address space.
    static func small(_ options: StoreOptions = StoreOptions()) -> StoreOptions {
        var options = options
        options.addressSpaceByteCount = 1 << 30
        return options
    }

    /// Returns the next `count` elements of the feed.
    static func take(_ count: Int, _ iterator: inout ChangeFeed.Iterator) async throws -> [ChangeSet] {
        var sets: [ChangeSet] = []
        while sets.count < count, let set = try await iterator.next() { sets.append(set) }
        return sets
    }

    @Test func `each write closure is one change set, with the records before and after`() async throws {
        let store = try Self.store()
        var feed = store.changes(from: .newest).makeAsyncIterator()
        let written = try await store.write(returning: .position) { try $0.insert(Self.sensor(1)) }.position
        try await store.write { tx in
            try tx.update(Sensor.self, id: "s1") {
                $0.celsius = 25
                $0.note = "warm"
            }
        }
        try await store.write { try $0.delete(Sensor.self, id: "s1") }
        let sets = try await Self.take(3, &feed)
        #expect(sets.map(\.sequence) == [written.sequence, written.sequence + 1, written.sequence + 2])
        #expect(sets[0].position == written)
        let changes = try sets.flatMap { try $0.changes(of: Sensor.self) }
        #expect(changes.map(\.kind) == [.insert, .update, .delete])
        #expect(changes.map(\.id) == ["s1", "s1", "s1"])
        #expect(changes.map(\.before?.celsius) == [nil, 20, 25])
        #expect(changes.map(\.after?.celsius) == [20, 25, nil])
        #expect(changes.map(\.before?.note) == [nil, .some(nil), "warm"])
        #expect(changes[1].changedFields.names == ["celsius", "note"])
        #expect(changes[1].didChange(\.celsius) && !changes[1].didChange(\.room))
        #expect(Set(changes.map(\.idempotencyKey)).count == 3)
    }

    @Test func `a position resumes after the change set that it was taken from, also by its text`() async throws {
        let store = try Self.store()
        let positions = try await (0..<5).asyncMap { number in
            try await store.write(returning: .position) { try $0.insert(Self.sensor(number)) }.position
        }
        let position = try #require(Position(positions[1].description))
        var feed = store.changes(since: position).makeAsyncIterator()
        #expect(try await Self.take(3, &feed).map(\.position) == Array(positions[2...]))
        var whole = store.changes(from: .oldest).makeAsyncIterator()
        let all = try await Self.take(7, &whole)
        #expect(all.map(\.sequence) == Array(1...7))
        #expect(all.suffix(5).map(\.position) == positions)
    }

    @Test func `a position that does not fit is told apart`() async throws {
        let directory = try TestDirectory()
        var options = StoreOptions()
        options.limits.retainedChangeSets = 3
        let store = try Store(at: directory.path + "/a", records: Sensor.self, options: Self.small(options))
        let old = try await store.write(returning: .position) { try $0.insert(Self.sensor(0)) }.position
        for number in 1..<6 { try await store.write { try $0.insert(Self.sensor(number)) } }
        try store.backup(to: directory.path + "/b")
        let copy = try Store(at: directory.path + "/b", records: Sensor.self, options: Self.small())
        let same = try store.position
        let ours = try await store.write(returning: .position) { try $0.insert(Self.sensor(6)) }.position
        let theirs = try await copy.write(returning: .position) { try $0.insert(Self.sensor(7)) }.position
        #expect(ours.sequence == theirs.sequence)

        func code(_ store: Store, _ position: Position) async -> StoreError.Code? {
            var feed = store.changes(since: position).makeAsyncIterator()
            do {
                _ = try await feed.next()
                return nil
            } catch {
                return (error as? StoreError)?.code
            }
        }
        #expect(await code(store, old) == .positionCompacted)
        #expect(await code(copy, ours) == .positionDiverged)
        #expect(await code(store, theirs) == .positionDiverged)
        #expect(await code(copy, same) == nil, "the histories part after it")
        #expect(await code(try Self.store(), ours) == .positionOfAnotherStore)
        let ahead = try await store.write(returning: .position) { try $0.insert(Self.sensor(8)) }.position
        #expect(await code(copy, ahead) == .positionInFuture)

        // The error names the oldest position from which the feed can be read.
        var feed = store.changes(since: old).makeAsyncIterator()
        do {
            _ = try await feed.next()
        } catch let error as StoreError {
            let oldest = try #require(error.oldestPosition)
            var resumed = store.changes(since: oldest).makeAsyncIterator()
            #expect(try await Self.take(3, &resumed).last?.position == ahead)
        }
    }

    @Test func `only what passes a filter comes, before or after the change, and progress when asked for`() async throws
    {
        let store = try Self.store()
        var options = FeedOptions(only: FeedFilter(Sensor.self, where: { $0.celsius > 30 }))
        var feed = store.changes(from: .newest, options).makeAsyncIterator()
        options.reportsProgress = true
        var informed = store.changes(from: .newest, options).makeAsyncIterator()
        try await store.write { tx in
            try tx.insert(Self.sensor(1, celsius: 20))
            try tx.insert(Self.sensor(2, celsius: 40))
            try tx.insert(Account(email: "a", balance: 1))
        }
        for celsius in [35.0, 36, 10, 5] {
            try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.celsius = celsius } }
        }
        let sets = try await Self.take(4, &feed)
        let changes = try sets.flatMap { try $0.changes(of: Sensor.self) }
        #expect(changes.map(\.id) == ["s2", "s1", "s1", "s1"])
        #expect(changes.map(\.after?.celsius) == [40, 35, 36, 10])
        let all = try await Self.take(5, &informed)
        #expect(all.map(\.changes.isEmpty) == [false, false, false, false, true])
        #expect(all.last?.position == (try store.position))
    }

    @Test func `a filter by fields lets updates of others out`() async throws {
        let store = try Self.store()
        let options = FeedOptions(only: FeedFilter(Sensor.self, touching: \.celsius, \.room))
        var feed = store.changes(from: .newest, options).makeAsyncIterator()
        try await store.write { try $0.insert(Self.sensor(1)) }
        try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.note = "x" } }
        try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.room = "bath" } }
        let sets = try await Self.take(2, &feed)
        #expect(try sets.flatMap { try $0.changes(of: Sensor.self) }.map(\.kind) == [.insert, .update])
        #expect(try sets[1].changes(of: Sensor.self).map(\.changedFields.names) == [["room"]])
    }

    @Test func `what waits together is put together when asked for`() async throws {
        let store = try Self.store()
        let start = try store.position
        try await store.write { tx in for number in 1...4 { try tx.insert(Self.sensor(number)) } }
        try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.celsius = 30 } }
        try await store.write { tx in try tx.delete(Sensor.self, id: "s2") }
        let middle = try store.position
        try await store.write { tx in
            try tx.update(Sensor.self, id: "s1") { $0.note = "n" }
            try tx.delete(Sensor.self, id: "s3")
        }
        try await store.write { tx in
            try tx.update(Sensor.self, id: "s4") { $0.celsius = 1 }
            try tx.insert(Self.sensor(3, celsius: 7))
        }
        try await store.write { tx in
            try tx.update(Sensor.self, id: "s1") { $0.celsius = 31 }
            try tx.update(Sensor.self, id: "s4") { $0.celsius = 20 }
        }
        var options = FeedOptions()
        options.mergesPending = true
        var feed = store.changes(since: start, options).makeAsyncIterator()
        let whole = try #require(try await feed.next())
        #expect(whole.position == (try store.position) && whole.firstSequence == start.sequence + 1)
        let net = try whole.changes(of: Sensor.self)
        #expect(net.map(\.id) == ["s1", "s3", "s4"])
        #expect(net.allSatisfy { $0.kind == .insert })
        #expect(net.map(\.after?.celsius) == [31, 7, 20])

        var later = store.changes(since: middle, options).makeAsyncIterator()
        let changes = try #require(try await later.next()).changes(of: Sensor.self)
        #expect(changes.map(\.id) == ["s1", "s3"], "s4 is as it was")
        #expect(changes.map(\.kind) == [.update, .replace])
        #expect(changes[0].changedFields.names == ["celsius", "note"])
        #expect(changes[0].before?.celsius == 30 && changes[0].after?.celsius == 31)
        #expect(changes[1].before?.celsius == 20 && changes[1].after?.celsius == 7)
    }

    @Test func `a large change set comes in parts, and resumes as a whole`() async throws {
        let store = try Self.store()
        let start = try store.position
        try await store.write { tx in
            for number in 0..<5_000 { try tx.insert(Self.sensor(number, room: String(repeating: "r", count: 100))) }
        }
        try await store.write { try $0.insert(Account(email: "a", balance: 1)) }
        var options = FeedOptions()
        options.changesPerPart = 999
        var feed = store.changes(since: start, options).makeAsyncIterator()
        let parts = try await Self.take(7, &feed)
        #expect(parts.map(\.part) == [0, 1, 2, 3, 4, 5, 0])
        #expect(parts.map(\.isLastPart) == [false, false, false, false, false, true, true])
        #expect(parts.map(\.changes.count) == [999, 999, 999, 999, 999, 5, 1])
        #expect(parts[..<5].allSatisfy { $0.position == start })
        let changes = try parts.flatMap { try $0.changes(of: Sensor.self) }
        #expect(changes.map(\.id) == (0..<5_000).map { "s\($0)" })
        #expect(Set(changes.map(\.idempotencyKey)).count == 5_000)
    }

    @Test func `the sequence ends with its task, and fails with its store`() async throws {
        let store = try Self.store()
        let waiting = Task {
            var count = 0
            for try await _ in store.changes(from: .newest) { count += 1 }
            return count
        }
        waiting.cancel()
        #expect(try await waiting.value == 0)
        let feed = store.changes(from: .newest)
        let orphan = Task { for try await _ in feed {} }
        await store.shutdown()
        await #expect(throws: StoreError.self) { try await orphan.value }
    }

    @Test func `waiting for a position that is there returns at once, and another store's is refused`() async throws {
        let store = try Self.store()
        let position = try await store.write(returning: .position) { try $0.insert(Self.sensor(1)) }.position
        try await store.wait(for: position)
        let other = try Self.store()
        await #expect(throws: StoreError.self) { try await other.wait(for: position) }
    }

    @Test func `many readers of one store each see every change set once and in order`() async throws {
        let store = try Self.store()
        let start = try store.position
        let count = 300
        try await withThrowingTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<20 {
                group.addTask {
                    var sequences: [UInt64] = []
                    for try await set in store.changes(since: start) {
                        sequences.append(set.sequence)
                        if sequences.count == count { break }
                    }
                    return sequences
                }
            }
            for number in 0..<count { try await store.write { try $0.insert(Self.sensor(number)) } }
            let expected = (1...UInt64(count)).map { start.sequence + $0 }
            for try await sequences in group { #expect(sequences == expected) }
        }
    }

    @Test func `a reader that falls behind what is retained is told so`() async throws {
        var options = StoreOptions()
        options.limits.retainedChangeSets = 10
        let store = try Self.store(options)
        // Change sets in parts are read from the store, not from the memory of this process.
        var inParts = FeedOptions()
        inParts.changesPerPart = 1
        var feed = store.changes(from: .newest, inParts).makeAsyncIterator()
        func write(_ numbers: Range<Int>) async throws {
            for number in numbers {
                try await store.write { tx in
                    for part in 0..<2 { try tx.insert(Self.sensor(2 * number + part)) }
                }
            }
        }
        try await write(0..<5)
        _ = try await Self.take(10, &feed)
        try await write(5..<100)
        do {
            _ = try await feed.next()
            Issue.record("the reader skipped change sets")
        } catch {
            #expect((error as? StoreError)?.code == .positionCompacted)
        }
    }
}

extension Sequence {
    /// Returns the results of an asynchronous closure for each element, run in sequence.
    fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
        var results: [T] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
