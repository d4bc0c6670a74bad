import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Two versions of a type. Only the newer one requires a value, and unique labels.
private enum Meters {
    @Record("Meter")
    struct Loose: Equatable {
        @ID var id: Int
        var value: Int?
        var label: Int
    }

    @Record("Meter")
    struct Strict: Equatable {
        @ID var id: Int
        var value: Int
        @Unique var label: Int
    }
}

/// Undoing change sets, and returning to positions.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct UndoTests {
    private static func sensors(_ store: Store) throws -> [Sensor] { try store.read { try $0.all(Sensor.self) } }

    private static func last(_ store: Store) async throws -> ChangeSet {
        var feed = store.changes(from: .after(sequence: try store.position.sequence - 1)).makeAsyncIterator()
        return try #require(try await feed.next())
    }

    @Test func `undoing gives back what was inserted, updated and deleted, and is a change set itself`() async throws {
        let store = try ChangeFeedTests.store()
        try await store.write { tx in for number in 1...3 { try tx.insert(ChangeFeedTests.sensor(number)) } }
        let before = try Self.sensors(store)
        try await store.write { tx in
            try tx.delete(Sensor.self, id: "s1")
            try tx.update(Sensor.self, id: "s2") { $0.celsius = 99 }
            try tx.insert(ChangeFeedTests.sensor(4))
        }
        let after = try Self.sensors(store)
        let done = try await Self.last(store)
        try await store.undo(done)
        #expect(try Self.sensors(store) == before)
        // Undoing the undo restores the change.
        try await store.undo(try await Self.last(store))
        #expect(try Self.sensors(store) == after)
    }

    @Test func `a change set of another store is not undone`() async throws {
        let (store, other) = (try ChangeFeedTests.store(), try ChangeFeedTests.store())
        for store in [store, other] { try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) } }
        let done = try await Self.last(other)
        let error = await #expect(throws: StoreError.self) { try await store.undo(done) }
        #expect(error?.code == .positionOfAnotherStore)
        #expect(try Self.sensors(store).count == 1)
    }

    @Test func `what fails half-way cannot be committed, also where its error is caught`() async throws {
        let store = try ChangeFeedTests.store()
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) }
        try await store.write { tx in
            try tx.delete(Sensor.self, id: "s1")
            try tx.insert(ChangeFeedTests.sensor(2))
        }
        let done = try await Self.last(store)
        // Another record now has the serial that the deleted record would get back.
        try await store.write { tx in
            try tx.insert(Sensor(id: "s3", room: "hall", serial: "A-1", celsius: 1))
        }
        let before = try Self.sensors(store)
        let error = await #expect(throws: StoreError.self) {
            try await store.write { tx in
                do { try tx.undo(done) } catch {}
            }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(try Self.sensors(store) == before)
    }

    @Test func `fields that were not touched keep what was written since`() async throws {
        let store = try ChangeFeedTests.store()
        try await store.write { try $0.insert(ChangeFeedTests.sensor(1)) }
        try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.celsius = 50 } }
        let heating = try await Self.last(store)
        try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.note = "kept" } }
        try await store.undo(heating)
        let sensor = try #require(try Self.sensors(store).first)
        #expect(sensor.celsius == 20 && sensor.note == "kept")
    }

    @Test func `what was changed since is a conflict, by which all or that alone is left`() async throws {
        let store = try ChangeFeedTests.store()
        try await store.write { tx in for number in 1...4 { try tx.insert(ChangeFeedTests.sensor(number)) } }
        try await store.write { tx in
            for number in 1...3 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = 50 } }
            try tx.delete(Sensor.self, id: "s4")
        }
        let done = try await Self.last(store)
        try await store.write { tx in
            try tx.update(Sensor.self, id: "s1") { $0.celsius = 60 }
            try tx.delete(Sensor.self, id: "s2")
            try tx.insert(ChangeFeedTests.sensor(4, celsius: 7))
        }
        let before = try Self.sensors(store)
        do {
            try await store.undo(done)
            Issue.record("a conflict was overlooked")
        } catch let error as StoreError {
            #expect(error.code == .changeConflict)
            for part in ["s1", "celsius", "s2", "no longer exists", "s4", "exists again"] {
                #expect(error.message.contains(part))
            }
        }
        #expect(try Self.sensors(store) == before)
        let conflicts = try await store.undo(done, conflicts: .skip)
        #expect(Set(conflicts.map(\.id)) == ["s1", "s2", "s4"])
        #expect(try Self.sensors(store).map(\.celsius) == [60, 20, 7])
    }

    @Test func `unique values that records gave each other are given back`() async throws {
        let store = try ChangeFeedTests.store()
        try await store.write { tx in for number in 1...3 { try tx.insert(ChangeFeedTests.sensor(number)) } }
        let before = try Self.sensors(store)
        try await store.write { tx in
            for number in 1...3 { try tx.update(Sensor.self, id: "s\(number)") { $0.serial = "x\(number)" } }
            for number in 1...3 { try tx.update(Sensor.self, id: "s\(number)") { $0.serial = "A-\(number % 3 + 1)" } }
        }
        try await store.undo(try await Self.last(store))
        #expect(try Self.sensors(store) == before)
    }

    @Test
    func `a unique value that another record has taken is a conflict that can be skipped, whatever depends on it`()
        async throws
    {
        let store = try ChangeFeedTests.store()
        try await store.write { tx in for number in 1...3 { try tx.insert(ChangeFeedTests.sensor(number)) } }
        try await store.write { tx in
            // s2 and s3 take over serials in a chain that ends with s1.
            try tx.update(Sensor.self, id: "s1") { $0.serial = "new" }
            try tx.update(Sensor.self, id: "s2") { $0.serial = "A-1" }
            try tx.update(Sensor.self, id: "s3") { $0.serial = "A-2" }
            try tx.insert(ChangeFeedTests.sensor(4))
        }
        let done = try await Self.last(store)
        // s3 cannot get its serial back, so s2 cannot get the serial of s3, nor s1 that of s2.
        try await store.write { tx in try tx.insert(Sensor(id: "s9", room: "hall", serial: "A-3", celsius: 1)) }
        let before = try Self.sensors(store)
        let conflicts = try await store.undo(done, conflicts: .skip)
        #expect(Set(conflicts.map(\.id)) == ["s1", "s2", "s3"])
        for conflict in conflicts {
            guard case .refused(.uniqueViolation, _) = conflict.reason else { Issue.record("\(conflict)"); continue }
        }
        #expect(try Self.sensors(store) == before.filter { $0.id != "s4" })
    }

    @Test func `a revert goes past records that do not fit the schema any more`() async throws {
        let directory = try TestDirectory()
        var positions: [Position] = []
        do {
            let store = try Store(at: directory.path, records: Meters.Loose.self)
            positions.append(try store.position)
            try await store.write { tx in for id in 1...2 { try tx.insert(Meters.Loose(id: id, value: id, label: id)) }
            }
            // In between, a record has no value, and its label is not unique.
            for meter in [Meters.Loose(id: 1, value: nil, label: 2), Meters.Loose(id: 1, value: 7, label: 7)] {
                positions.append(try store.position)
                _ = try await store.write { try $0.upsert(meter) }
            }
            store.close()
            let tool = try Store(at: directory.path, records: [])
            let migrations = try tool.migrate(to: [Meters.Strict.recordSchema], isTrial: false)
            #expect(migrations.allSatisfy { $0.misfitCount == 0 })
            tool.close()
        }
        let store = try Store(at: directory.path, records: Meters.Strict.self)
        let newest = try store.position
        let error = await #expect(throws: StoreError.self) { try await store.revert(to: positions[2]) }
        #expect(error?.code == .historyUnavailable && error?.message.contains("does not fit") == true, "\(error!)")
        for position in [positions[1], newest, positions[0]] {
            let expected = try store.read(at: position) { try $0.all(Meters.Strict.self) }
            try await store.revert(to: position)
            #expect(try store.read { try $0.all(Meters.Strict.self) } == expected)
            #expect(try store.difference(from: position, to: store.position).isEmpty)
        }
        #expect(try store.read { try $0.count(Meters.Strict.self) } == 0)
        try store.verify { Issue.record("\($0)") }
    }

    @Test func `a change of the schema is not undone, and undo says so`() async throws {
        let store = try ChangeFeedTests.store()
        let error = await #expect(throws: StoreError.self) { try await store.undo(sequence: 1) }
        #expect(error?.code == .changeConflict && error?.message.contains("schema") == true, "\(error!)")
        let conflicts = try await store.undo(sequence: 1, conflicts: .skip)
        #expect(!conflicts.isEmpty && conflicts.allSatisfy { $0.typeName == "Sensor" }, "\(conflicts)")
    }

    @Test func `a record that comes back unchanged is no difference`() async throws {
        for way in 0..<5 {
            let store = try ChangeFeedTests.store()
            try await store.write { tx in try tx.insert(ChangeFeedTests.sensor(1)) }
            let end = try store.position
            if way < 2 {
                _ = try await store.write { tx in try tx.delete(Sensor.self, id: "s1") }
            } else {
                try await store.undo(end)
            }
            switch way {
            case 0, 2: try await store.revert(to: end)
            case 3: try await store.undo(store.position)
            case 4:
                try await store.write { tx in try tx.insert(ChangeFeedTests.sensor(1, celsius: 5)) }
                try await store.revert(to: end)
            default: try await store.write { tx in try tx.insert(ChangeFeedTests.sensor(1)) }
            }
            let changes = try store.difference(from: end, to: store.position).changes(of: Sensor.self)
            #expect(changes.isEmpty, "\(way): \(changes)")
            // A later change of the record is an update of it.
            try await store.write { tx in try tx.update(Sensor.self, id: "s1") { $0.celsius = 77 } }
            let later = try store.difference(from: end, to: store.position).changes(of: Sensor.self)
            #expect(later.count == 1 && later[0].after?.celsius == 77)
        }
    }

    @Test(arguments: 0..<20)
    func `random histories go back to any position`(seed: UInt64) async throws {
        var random = TransactionRandom(seed: seed)
        let store = try ChangeFeedTests.store()
        var states: [(Position, [Sensor])] = [(try store.position, [])]
        for _ in 0..<60 {
            var operations: [(Int, Int)] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                operations.append((Int.random(in: 0..<12, using: &random), Int.random(in: 0..<5, using: &random)))
            }
            let steps = operations
            let position = try await store.write(returning: .position) { tx in
                for (id, kind) in steps {
                    if kind == 0 { _ = try tx.delete(Sensor.self, id: "s\(id)"); continue }
                    let sensor = ChangeFeedTests.sensor(id, celsius: Double(kind * 10 + id), room: "r\(kind)")
                    try tx.upsert(sensor)
                }
            }.position
            states.append((position, try Self.sensors(store)))
            if Int.random(in: 0..<8, using: &random) == 0 {
                let (target, expected) = try #require(states.randomElement(using: &random))
                try await store.revert(to: target)
                #expect(try Self.sensors(store) == expected, "seed \(seed)")
                #expect(try store.difference(from: target, to: store.position).isEmpty, "seed \(seed)")
                states.append((try store.position, expected))
            }
        }
    }
}
