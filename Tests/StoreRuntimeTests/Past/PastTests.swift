import Foundation
import StoreEngine
import Testing

@testable import StoreRuntime

/// Which earlier positions can be viewed, and for how long.
@Suite struct PastTests {
    private static func options(retained: Int = 10_000) -> StoreOptions {
        var options = StoreOptions()
        options.durability = .relaxed
        options.limits.retainedChangeSets = retained
        return options
    }

    /// Sets all five sensors to one temperature, in one change set.
    @discardableResult
    private static func heat(_ store: Store, to celsius: Int) throws -> Position {
        try store.write(returning: .position) { tx in
            for number in 0..<5 {
                try tx.upsert(
                    Sensor(id: "s\(number)", room: "r\(celsius % 3)", serial: "A-\(number)", celsius: Double(celsius)))
            }
        }.position
    }

    private static func trim(_ store: Store) throws {
        let core = store.core
        while try core.perform({ try core.retention.step() }) {}
    }

    @Test func `a read transaction shows a position, and the next one the newest again`() throws {
        let store = try Store.temporary(records: Sensor.self, options: Self.options())
        let empty = try store.position
        let first = try Self.heat(store, to: 1)
        try Self.heat(store, to: 2)
        try store.write { tx in _ = try tx.delete(Sensor.self, id: "s3") }
        let warm = Sensor.where { $0.room == "r1" }
        #expect(try store.read(at: first) { try $0.fetch(warm).map(\.id) } == ["s0", "s1", "s2", "s3", "s4"])
        #expect(try store.read(at: first) { try $0.get(Sensor.self, unique: \.serial, equals: "A-3")?.celsius } == 1)
        #expect(try store.read(at: empty) { try $0.count(Sensor.self) } == 0)
        #expect(try store.read(at: store.position) { try $0.all(Sensor.self).map(\.celsius) } == [2, 2, 2, 2])
        #expect(try store.read { try $0.fetch(warm).count } == 0)
        let past = try store.snapshot(at: first)
        #expect(past.position == first && past.memoryByteCount > 0 && past.changedTypes.isEmpty)
    }

    @Test func `a position that the feed does not reach is refused with what it is`() throws {
        let store = try Store.temporary(records: Sensor.self, options: Self.options(retained: 5))
        let other = try Store.temporary(records: Sensor.self, options: Self.options())
        let first = try Self.heat(store, to: 1)
        let head = try store.position
        let lost = Position(store: head.store, epoch: head.epoch, sequence: head.sequence, hash: head.hash ^ 1)
        let ahead = Position(store: head.store, epoch: head.epoch, sequence: head.sequence + 1, hash: head.hash)
        for (position, code) in [
            (lost, StoreError.Code.positionDiverged), (ahead, .positionInFuture),
            (try other.position, .positionOfAnotherStore),
        ] {
            #expect(storeError { try store.read(at: position) { _ in } }?.code == code)
            #expect(storeError { _ = try store.snapshot(at: position) }?.code == code)
            #expect(storeError { _ = try store.difference(from: first, to: position) }?.code == code)
            #expect(storeError { _ = try store.difference(from: position, to: first) }?.code == code)
        }
        for celsius in 2...20 { try Self.heat(store, to: celsius) }
        try Self.trim(store)
        let error = storeError { try store.read(at: first) { _ in } }
        #expect(error?.code == .positionCompacted)
        let oldest = try #require(error?.oldestPosition)
        #expect(try store.read(at: oldest) { try $0.all(Sensor.self).first?.celsius } == 15)
        #expect(storeError { _ = try store.difference(from: first, to: head) }?.code == .positionCompacted)
    }

    @Test func `a view that is read now and then outlives the retention of its position`() throws {
        let store = try Store.temporary(records: Sensor.self, options: Self.options(retained: 5))
        let first = try Self.heat(store, to: 1)
        let past = try store.snapshot(at: first)
        let unread = try store.snapshot(at: first)
        for celsius in 2...20 {
            try Self.heat(store, to: celsius)
            try Self.trim(store)
            #expect(try past.read { try $0.all(Sensor.self).map(\.celsius) } == [1, 1, 1, 1, 1])
        }
        #expect(storeError { try unread.read { _ in } }?.code == .positionCompacted)
        #expect(past.memoryByteCount < 40_000)
    }

    @Test func `a view ends with its store`() throws {
        let store = try Store.temporary(records: Sensor.self, options: Self.options())
        let past = try store.snapshot(at: Self.heat(store, to: 1))
        store.close()
        #expect(storeError { try past.read { _ in } }?.code == .closed)
        #expect(storeError { try store.read(at: past.position) { _ in } }?.code == .closed)
        #expect(storeError { _ = try store.difference(from: past.position, to: past.position) }?.code == .closed)
    }

    @Test func `where a foreign program wrote, what was before it cannot be told`() throws {
        let folder = try StoreFolder()
        let (first, past): (Position, StoreSnapshot)
        do {
            let store = try Store(at: folder.path, records: Sensor.self, options: Self.options())
            first = try Self.heat(store, to: 1)
            try Self.heat(store, to: 2)
            past = try store.snapshot(at: first)
            store.close()
        }
        #expect(past.position == first)
        try folder.tamper { raw in try raw.put("foreign", [1], [2]) }
        var options = Self.options()
        options.isReadOnly = true
        do {
            let reader = try Store(at: folder.path, records: Sensor.self, options: options)
            defer { reader.close() }
            #expect(storeError { try reader.read(at: first) { _ in } }?.code == .historyUnavailable)
        }
        let store = try Store(at: folder.path, records: Sensor.self, options: Self.options())
        defer { store.close() }
        let third = try Self.heat(store, to: 3)
        try Self.heat(store, to: 4)
        for body in [
            { try store.read(at: first) { _ in } }, { _ = try store.difference(from: first, to: third) },
            { _ = try store.write { try $0.revert(to: first) } },
        ] as [() throws -> Void] {
            let error = storeError(body)
            #expect(error?.code == .historyUnavailable)
            #expect(error?.message.contains("a program that is not ModelStore") == true)
        }
        #expect(try store.read(at: third) { try $0.all(Sensor.self).first?.celsius } == 3)
    }

    @Test func `views are what they were while others write`() async throws {
        let store = try Store.temporary(records: Sensor.self, options: Self.options())
        let first = try Self.heat(store, to: 1)
        let kept = try store.snapshot(at: first)
        let count = 150
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for celsius in 2...count {
                    try await store.write { tx in
                        for number in 0..<5 {
                            try tx.upsert(
                                Sensor(id: "s\(number)", room: "r", serial: "A-\(number)", celsius: Double(celsius)))
                        }
                    }
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    var last = first
                    while last.sequence < first.sequence + UInt64(count) - 1 {
                        let expected = Double(last.sequence - first.sequence) + 1
                        let found = try store.read(at: last) { try $0.all(Sensor.self).map(\.celsius) }
                        #expect(found == Array(repeating: expected, count: 5))
                        #expect(try kept.read { try $0.fetch(Sensor.where { $0.celsius == 1 }).count } == 5)
                        last = try store.position
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
