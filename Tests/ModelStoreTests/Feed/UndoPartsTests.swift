import ModelStore
import TestSupport
import Testing

@testable import StoreEngine

/// Undoing change sets that readers receive in parts.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct UndoPartsTests {
    private static let count = 20_000

    private static func store(_ count: Int = Self.count) async throws -> Store {
        let store = try Store.temporary(records: Reading.self, Account.self, options: ChangeFeedTests.small())
        try await store.write { tx in for id in 0..<count { try tx.insert(Reading(id: id, value: id)) } }
        return store
    }

    /// Writes a wrong value to every record, in one write.
    private static func spoil(_ store: Store, _ count: Int = Self.count) async throws -> Position {
        try await store.write(returning: .position) { tx in
            for id in 0..<count { try tx.update(Reading.self, id: id) { $0.value = -1 } }
        }.position
    }

    private static func wrongCount(_ store: Store) throws -> Int {
        try store.read { try $0.count(Reading.where { $0.value == -1 }) }
    }

    @Test func `a write of 20,000 records is undone whole by its position`() async throws {
        let store = try await Self.store()
        let bad = try await Self.spoil(store)
        let undone = try await store.undo(bad)
        #expect(undone.isEmpty)
        #expect(try store.position.sequence == bad.sequence + 1)
        let values = try store.read { try $0.all(Reading.self).map(\.value) }
        #expect(values == Array(0..<Self.count))
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `a part is refused by an error that names the call for the whole`() async throws {
        let store = try await Self.store()
        let bad = try await Self.spoil(store)
        var parts: [ChangeSet] = []
        for try await set in store.changes(from: .after(sequence: bad.sequence - 1)) {
            parts.append(set)
            if set.isLastPart { break }
        }
        #expect(parts.map(\.changes.count) == [10_000, 10_000])
        for part in parts {
            #expect(!part.isWhole)
            let error = await #expect(throws: StoreError.self) { try await store.undo(part) }
            #expect(error?.code == .changeSetIncomplete)
            #expect(
                error?.message
                    == "change set \(bad.sequence) has 20000 changes, but undo received only 10000 of them")
            #expect(error?.remedy?.contains("undo(sequence: \(bad.sequence))") == true)
        }
        #expect(try Self.wrongCount(store) == Self.count)
        // The first part has the position of the previous change set and the number of its own.
        #expect(parts[0].position.sequence == bad.sequence - 1)
        try await store.undo(sequence: parts[0].sequence)
        #expect(try Self.wrongCount(store) == 0)
    }

    @Test func `a part is undone alone where the caller says so`() async throws {
        let store = try await Self.store()
        let bad = try await Self.spoil(store)
        var feed = store.changes(from: .after(sequence: bad.sequence - 1)).makeAsyncIterator()
        let part = try #require(try await feed.next())
        try await store.undo(part, partially: true)
        #expect(try Self.wrongCount(store) == 10_000)
    }

    @Test func `what a filter has thinned is refused, also where nothing is left of it`() async throws {
        let store = try await Self.store(10)
        let position = try await store.write(returning: .position) { tx in
            try tx.update(Reading.self, id: 1) { $0.value = -1 }
            try tx.insert(Account(email: "a", balance: 1))
        }.position
        var options = FeedOptions(only: FeedFilter(Account.self))
        options.reportsProgress = true
        let start = FeedStart.after(sequence: position.sequence - 1)
        var feed = store.changes(from: start, options).makeAsyncIterator()
        let thinned = try #require(try await feed.next())
        #expect(thinned.changes.count == 1 && !thinned.isWhole)
        var error = await #expect(throws: StoreError.self) { try await store.undo(thinned) }
        #expect(error?.code == .changeSetIncomplete)
        try await store.write { try $0.update(Reading.self, id: 2) { $0.value = -1 } }
        let empty = try #require(try await feed.next())
        #expect(empty.changes.isEmpty && !empty.isWhole)
        error = await #expect(throws: StoreError.self) { try await store.undo(empty) }
        #expect(error?.code == .changeSetIncomplete)
        #expect(try Self.wrongCount(store) == 2)
        try await store.undo(thinned, partially: true)
        #expect(try store.read { try $0.count(Account.self) } == 0)
        #expect(try Self.wrongCount(store) == 2)
        // A filter that passes every change leaves the change set whole.
        var all = store.changes(from: start, FeedOptions(only: FeedFilter(Account.self), FeedFilter(Reading.self)))
            .makeAsyncIterator()
        #expect(try await all.next()?.isWhole == true)
    }

    @Test func `change sets that were put together are undone where none is missing between them`() async throws {
        for leavesOut in [false, true] {
            let store = try await Self.store(10)
            let before = try store.read { try $0.all(Reading.self) }
            let start = try store.position
            for id in 1...3 { try await store.write { try $0.update(Reading.self, id: id) { $0.value = -1 } } }
            if leavesOut { try await store.write { try $0.insert(Account(email: "a", balance: 1)) } }
            try await store.write { try $0.update(Reading.self, id: 4) { $0.value = -1 } }
            var options = FeedOptions(only: FeedFilter(Reading.self))
            options.mergesPending = true
            var feed = store.changes(since: start, options).makeAsyncIterator()
            let squashed = try #require(try await feed.next())
            #expect(squashed.changes.count == 4 && squashed.isWhole == !leavesOut)
            if leavesOut {
                let error = await #expect(throws: StoreError.self) { try await store.undo(squashed) }
                #expect(error?.code == .changeSetIncomplete)
                try await store.undo(squashed, partially: true)
            } else {
                try await store.undo(squashed)
            }
            #expect(try store.read { try $0.all(Reading.self) } == before)
        }
    }

    @Test func `conflicts of all parts are listed, and the error tells their number`() async throws {
        let store = try await Self.store()
        let bad = try await Self.spoil(store)
        let changed = [3, 9_999, 10_000, 19_999] + Array(500..<510)
        try await store.write { tx in
            for id in changed { try tx.update(Reading.self, id: id) { $0.value = 7 } }
        }
        let error = await #expect(throws: StoreError.self) { try await store.undo(bad) }
        #expect(error?.code == .changeConflict)
        #expect(error?.message.contains("because of 14 conflicts: Reading 3 has other values in value;") == true)
        #expect(error?.message.hasSuffix("; …") == true)
        #expect(try Self.wrongCount(store) == Self.count - changed.count)
        let conflicts = try await store.undo(bad, conflicts: .skip)
        #expect(conflicts.map(\.id) == changed.sorted().map(String.init))
        let values = try store.read { try $0.all(Reading.self).map(\.value) }
        #expect(values == (0..<Self.count).map { changed.contains($0) ? 7 : $0 })
    }

    @Test func `inserts and deletes of several parts are undone`() async throws {
        let store = try await Self.store(3_000)
        let before = try store.read { try $0.all(Reading.self) }
        let mixed = try await store.write(returning: .position) { tx in
            for id in 0..<1_500 { try tx.delete(Reading.self, id: id) }
            for id in 3_000..<5_000 { try tx.insert(Reading(id: id, value: id)) }
            for id in 1_500..<3_000 { try tx.update(Reading.self, id: id) { $0.value = -1 } }
        }.position
        try await store.undo(mixed)
        #expect(try store.read { try $0.all(Reading.self) } == before)
        try await store.undo(try store.position)
        #expect(try store.read { try $0.count(Reading.self) } == 3_500)
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `a failure after the first part leaves nothing of the undoing`() async throws {
        let store = try ChangeFeedTests.store()
        let count = 3_000
        try await store.write { tx in for id in 0..<count { try tx.insert(ChangeFeedTests.sensor(id)) } }
        let bad = try await store.write(returning: .position) { tx in
            for id in 0..<count { try tx.update(Sensor.self, id: "s\(id)") { $0.serial = "B-\(id)" } }
        }.position
        // Another record now has the serial that one of the last records would get back.
        try await store.write { tx in
            try tx.insert(Sensor(id: "z", room: "hall", serial: "A-\(count - 1)", celsius: 1))
        }
        let before = try store.read { try $0.all(Sensor.self) }
        let error = await #expect(throws: StoreError.self) { try await store.undo(bad) }
        #expect(error?.code == .uniqueViolation)
        let caught = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                do { try tx.undo(bad) } catch {}
            }
        }
        #expect(caught?.code == .uniqueViolation)
        #expect(try store.read { try $0.all(Sensor.self) } == before)
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `unique values that records of several parts gave each other are given back`() async throws {
        let store = try ChangeFeedTests.store()
        let count = 2_000
        try await store.write { tx in for id in 0..<count { try tx.insert(ChangeFeedTests.sensor(id)) } }
        let before = try store.read { try $0.all(Sensor.self) }
        let rotated = try await store.write(returning: .position) { tx in
            for id in 0..<count { try tx.update(Sensor.self, id: "s\(id)") { $0.serial = "x\(id)" } }
            for id in 0..<count { try tx.update(Sensor.self, id: "s\(id)") { $0.serial = "A-\((id + 700) % count)" } }
        }.position
        try await store.undo(rotated)
        #expect(try store.read { try $0.all(Sensor.self) } == before)
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `reverting goes through change sets of several parts`() async throws {
        let store = try await Self.store(3_000)
        let before = try store.read { try $0.all(Reading.self) }
        let position = try store.position
        _ = try await Self.spoil(store, 3_000)
        try await store.write { tx in for id in 0..<1_500 { try tx.delete(Reading.self, id: id) } }
        #expect(try await store.revert(to: position) == 2)
        #expect(try store.read { try $0.all(Reading.self) } == before)
    }

    @Test func `the changes in memory are those of one part`() async throws {
        let store = try await Self.store(2_000)
        let bad = try await Self.spoil(store, 2_000)
        let sizes = try store.read { tx in
            let changes = UndoneChanges(
                after: try tx._reading.position(before: bad.sequence), changesPerPart: 300)
            var pass = changes.makePass()
            var sizes: [Int] = []
            while let part = try pass.next(tx._reading) { sizes.append(part.changes.count) }
            return sizes
        }
        #expect(sizes == [300, 300, 300, 300, 300, 300, 200])
    }
}
