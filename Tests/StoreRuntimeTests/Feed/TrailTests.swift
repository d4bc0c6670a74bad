import Foundation
import LMDB
import TestSupport
import Testing

@testable import StoreEngine
@testable import StoreRuntime

/// The trail: the store's memory of change sets that have left the feed, and the differences that it delivers.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct TrailTests {
    private static let longID = String(repeating: "long ", count: 70)

    private static func options(trail: Int? = 1_000, retained: Int = 1) -> StoreOptions {
        var options = StoreOptions()
        options.durability = .relaxed
        options.addressSpaceByteCount = 1 << 30
        options.limits.retainedChangeSets = retained
        options.limits.changedRecordLimit = trail
        return options
    }

    private static func store(_ folder: StoreFolder, _ options: StoreOptions = options()) throws -> Store {
        try Store(at: folder.path, records: Sensor.self, Slot.self, options: options)
    }

    private static func sensor(_ id: String, _ celsius: Double = 0) -> Sensor {
        Sensor(id: id, room: "r", serial: "A-" + id, celsius: celsius)
    }

    /// Runs retention steps until there is nothing left to do.
    ///
    /// - Returns: The number of steps.
    @discardableResult
    private static func trim(_ store: Store) throws -> Int {
        let core = store.core
        var count = 1
        while try core.perform({ try core.retention.step() }) { count += 1 }
        return count
    }

    private static func head(_ store: Store) throws -> TrailHead? {
        let transaction = try store.beginRead()
        return try transaction._reading.trailHead()
    }

    /// Collects the parts of the difference up to `ready`.
    private static func difference(
        _ store: Store, since position: Position, _ options: FeedOptions = FeedOptions()
    ) async throws -> (parts: [FeedDifference], end: Position) {
        var parts: [FeedDifference] = []
        for try await element in store.catchUp(since: position, options) {
            switch element {
            case .difference(let part): parts.append(part)
            case .ready(let end): return (parts, end)
            case .commit: Issue.record("a change set before ready")
            }
        }
        throw CancellationError()
    }

    private static func expectError(
        _ code: StoreError.Code, _ store: Store, since position: Position
    ) async throws -> StoreError {
        var reader = store.catchUp(since: position).makeAsyncIterator()
        let error = await #expect(throws: StoreError.self) { _ = try await reader.next() }
        #expect(error?.code == code)
        return try #require(error)
    }

    @Test func `a store remembers nothing unless asked to`() async throws {
        let folder = try StoreFolder()
        let store = try Self.store(folder, Self.options(trail: nil))
        let start = try store.position
        for number in 0..<5 { try await store.write { try $0.upsert(Self.sensor("s", Double(number))) } }
        try Self.trim(store)
        #expect(try Self.head(store) == nil && store.core.state.databases.trail == nil)
        let error = try await Self.expectError(.positionCompacted, store, since: start)
        #expect(error.oldestComparablePosition == nil && error.oldestPosition != nil)
    }

    @Test func `a position that is retained gives the changes alone`() async throws {
        let folder = try StoreFolder()
        let store = try Self.store(folder, Self.options(retained: 100))
        let start = try store.position
        let written = try await store.write(returning: .position) { try $0.insert(Self.sensor("s")) }.position
        var reader = store.catchUp(since: start).makeAsyncIterator()
        guard case .ready(start) = try await reader.next(), case .commit(let set) = try await reader.next() else {
            Issue.record("something else came")
            return
        }
        #expect(set.position == written)
    }

    @Test func `records that are gone are told by their ids, of several fields and longer than a key too`() async throws
    {
        let folder = try StoreFolder()
        let store = try Self.store(folder)
        try await store.write { tx in
            try tx.insert(Self.sensor(Self.longID))
            try tx.insert(Self.sensor("s"))
            try tx.insert(Slot(room: "blue", hour: 9))
            try tx.insert(Slot(room: "blue", hour: 10))
        }
        let start = try store.position
        try await store.write { tx in
            try tx.delete(Sensor.self, id: Self.longID)
            try tx.delete(Slot.self, id: Slot.ID(room: "blue", hour: 9))
            try tx.insert(Self.sensor("new", 3))
        }
        try await store.write { tx in _ = try tx.update(Sensor.self, id: "s") { $0.celsius = 4 } }
        for _ in 0..<3 { try await store.write { tx in _ = try tx.update(Sensor.self, id: "s") { $0.celsius += 1 } } }
        try Self.trim(store)
        let (parts, end) = try await Self.difference(store, since: start)
        #expect(try end == store.position)
        let sensors = try parts.flatMap { try $0.records(of: Sensor.self) }
        #expect(sensors.map(\.id) == [Self.longID, "new", "s"])
        #expect(sensors.map(\.row?.celsius) == [nil, 3, 7])
        #expect(sensors.map(\.kind) == [.delete, .insert, .update])
        let slots = try parts.flatMap { try $0.records(of: Slot.self) }
        #expect(slots.map(\.id) == [Slot.ID(room: "blue", hour: 9)] && slots.map(\.row) == [nil])
        let entries = parts.flatMap(\.records)
        #expect(try entries.map { try $0.idJSON() }.contains(#"["blue",9]"#))
        #expect(
            try entries.contains { try $0.idJSON() == "\"new\"" && $0.rowJSON()?.contains("\"celsius\":3") == true })
    }

    @Test func `a large change set is taken up in several steps, and read in parts`() async throws {
        let folder = try StoreFolder()
        let first = try Self.store(folder, Self.options(trail: 20_000, retained: 100))
        let start = try first.position
        try await first.write { tx in for number in 0..<9_000 { try tx.insert(Self.sensor("s\(number)")) } }
        try await first.write { try $0.insert(Self.sensor("last")) }
        try await first.write { try $0.insert(Self.sensor("kept")) }
        first.close()
        let store = try Self.store(folder, Self.options(trail: nil))
        #expect(try Self.trim(store) >= 3)
        #expect(try Self.head(store)?.count == 9_001)
        var options = FeedOptions()
        options.changesPerPart = 1_000
        let (parts, _) = try await Self.difference(store, since: start, options)
        #expect(parts.allSatisfy { $0.records.count <= 1_000 } && parts.count >= 10)
        let ids = try parts.flatMap { try $0.records(of: Sensor.self).map(\.id) }
        #expect(ids.count == 9_002 && Set(ids).count == 9_002)
        #expect(parts.map(\.reached) == parts.map(\.reached).sorted())
    }

    @Test func `one that names more records than are to be remembered begins the trail anew`() async throws {
        let folder = try StoreFolder()
        let store = try Self.store(folder, Self.options(trail: 100))
        let start = try store.position
        let large = try await store.write(returning: .position) { tx in
            for number in 0..<101 { try tx.insert(Self.sensor("s\(number)")) }
        }.position
        try await store.write { try $0.insert(Self.sensor("a")) }
        try await store.write { try $0.insert(Self.sensor("b")) }
        try Self.trim(store)
        #expect(try Self.head(store)?.floor == large.sequence)
        let error = try await Self.expectError(.positionCompacted, store, since: start)
        #expect(error.oldestComparablePosition == large.sequence && error.message.contains("after \(large.sequence)"))
        let (parts, _) = try await Self.difference(store, since: large)
        #expect(try parts.flatMap { try $0.records(of: Sensor.self) }.map(\.id) == ["a", "b"])
    }

    @Test func `past the limit the records that changed longest ago are forgotten, and the file does not grow`() throws
    {
        let folder = try StoreFolder()
        let store = try Self.store(folder, Self.options(trail: 50, retained: 10))
        // Blocking writes: beside tests that block the threads of tasks, two thousand changes of threads take minutes.
        func write(_ range: Range<Int>) throws {
            for number in range { try store.write { try $0.upsert(Self.sensor("s\(number)")) } }
            try Self.trim(store)
        }
        try write(0..<500)
        let early = try store.environmentInfo().lastPage
        try write(500..<2_000)
        let head = try #require(try Self.head(store))
        #expect(head.count == 50 && head.noted - head.floor == 50, "\(head)")
        // The records stay, but the feed and the trail do not grow.
        let pages = try store.environmentInfo().lastPage
        #expect(pages < early * 5, "\(early), then \(pages)")
        _ = try store.verify { Issue.record("\($0)") }
    }

    @Test func `records that do not meet a condition any longer are told as such`() async throws {
        let folder = try StoreFolder()
        let store = try Self.store(folder)
        try await store.write { tx in for id in ["a", "b", "c"] { try tx.insert(Self.sensor(id, 30)) } }
        let start = try store.position
        try await store.write { tx in
            _ = try tx.update(Sensor.self, id: "a") { $0.celsius = 10 }
            _ = try tx.update(Sensor.self, id: "b") { $0.celsius = 31 }
            try tx.insert(Slot(room: "blue", hour: 9))
        }
        for number in 0..<3 { try await store.write { try $0.upsert(Slot(room: "green", hour: Int16(number))) } }
        try Self.trim(store)
        let options = FeedOptions(only: FeedFilter(Sensor.self) { $0.celsius > 20 })
        let parts = try await Self.difference(store, since: start, options).parts
        #expect(parts.flatMap(\.records).allSatisfy { $0.typeName == "Sensor" })
        let told = try parts.flatMap { try $0.records(of: Sensor.self) }
        #expect(told.map(\.id) == ["a", "b"] && told.map(\.state) == [.unmatched, .present])
        #expect(told.map(\.row?.celsius) == [nil, 31])
    }

    @Test func `a foreign write that has left the feed is told as a reset, a change of the schema as such`()
        async throws
    {
        let folder = try StoreFolder()
        var start: Position
        do {
            let store = try Store(at: folder.path, records: Sensor.self, options: Self.options())
            start = try await store.write(returning: .position) { try $0.insert(Self.sensor("a")) }.position
            store.close()
        }
        try folder.tamper { raw in try raw.put("stranger", [1], [2]) }
        let store = try Self.store(folder, Self.options(trail: nil))
        for number in 0..<5 { try await store.write { try $0.upsert(Self.sensor("a", Double(number))) } }
        try Self.trim(store)
        let parts = try await Self.difference(store, since: start).parts
        #expect(parts.contains { $0.isReset(Sensor.self) && $0.isReset(Slot.self) })
        let others = parts.flatMap(\.records).filter { $0.state == .reset || $0.state == .schema }
        #expect(Set(others.map { "\($0.state) \($0.typeName)" }) == ["reset *", "schema Slot"])
        #expect(try parts.flatMap { try $0.records(of: Sensor.self) }.map(\.row?.celsius) == [4])
    }

    @Test func `after a program that knows no trail has removed change sets it begins anew`() async throws {
        let folder = try StoreFolder()
        let store = try Self.store(folder, Self.options(retained: 100))
        let start = try store.position
        for number in 0..<6 { try await store.write { try $0.upsert(Self.sensor("a", Double(number))) } }
        let newest = try store.position
        store.close()
        // Removes entries as retention did before trails existed. The head names this transaction, so the store takes the commit
        // for one of ModelStore.
        try folder.tamper { raw in
            let feed = try #require(try raw.openDatabase(named: StoreDatabases.feedName, create: false))
            for entry in try raw.snapshot.entries(of: feed) where entry.key != KeyBytes.fragment(newest.sequence) {
                try raw.delete(StoreDatabases.feedName, entry.key)
            }
            let transaction = UInt64(raw.snapshot.transactionID)
            try raw.change(StoreDatabases.metadataName, MetadataKey.head) { bytes in
                var head = unsafe try FeedHead(from: bytes.span.bytes)
                head.oldest = newest.sequence
                head.transactionID = transaction
                var writer = ByteWriter()
                head.encode(to: &writer)
                bytes = writer.array()
            }
        }
        let again = try Self.store(folder, Self.options(trail: nil))
        _ = try await Self.expectError(.positionCompacted, again, since: start)
        try await again.write { try $0.upsert(Self.sensor("b")) }
        try await again.write { try $0.upsert(Self.sensor("c")) }
        try Self.trim(again)
        #expect(try Self.head(again)?.floor == newest.sequence - 1)
        let error = try await Self.expectError(.positionCompacted, again, since: start)
        #expect(error.oldestComparablePosition == newest.sequence - 1)
        _ = try again.verify { Issue.record("\($0)") }
    }

    @Test func `a position of the original after the copying is none of the copy's, also where both have gone on`()
        async throws
    {
        let (folder, other) = (try StoreFolder(), try StoreFolder())
        let store = try Self.store(folder)
        let before = try await store.write(returning: .position) { try $0.upsert(Self.sensor("a")) }.position
        try store.backup(to: other.path)
        let after = try await store.write(returning: .position) { try $0.upsert(Self.sensor("b")) }.position
        let copy = try Self.store(other, Self.options(trail: nil))
        let own = try copy.position
        for number in 0..<5 { try await copy.write { try $0.upsert(Self.sensor("c", Double(number))) } }
        try Self.trim(copy)
        _ = try await Self.expectError(.positionDiverged, copy, since: after)
        for position in [before, own] {
            let parts = try await Self.difference(copy, since: position).parts
            #expect(try parts.flatMap { try $0.records(of: Sensor.self) }.map(\.id) == ["c"])
        }
    }

    @Test func `the trail is kept by programs that do not ask for it, and goes when it is switched off`() async throws {
        let folder = try StoreFolder()
        try Self.store(folder).close()
        let plain = try Self.store(folder, Self.options(trail: nil))
        let start = try plain.position
        for number in 0..<5 { try await plain.write { try $0.upsert(Self.sensor("a", Double(number))) } }
        try Self.trim(plain)
        #expect(try await Self.difference(plain, since: start).parts.isEmpty == false)
        plain.close()
        let without = try Self.store(folder, Self.options(trail: 0))
        #expect(try Self.head(without) == nil)
        let error = try await Self.expectError(.positionCompacted, without, since: start)
        #expect(error.oldestComparablePosition == nil)
        _ = try without.verify { Issue.record("\($0)") }
    }

    @Test func `verify finds where the trail does not agree with itself or with the feed`() throws {
        let record = TrailKey.Record(type: 1, key: KeyBytes.of("a"))
        let note = TrailKey.note(of: record)
        typealias Damage = (inout LMDBWriteTransaction) throws -> Void
        let damages: [(expected: String, damage: Damage)] = [
            ("lacks the mark of its change set", { try $0.delete("trail", TrailKey.mark(of: record, at: 6)) }),
            ("does not lead to its note", { try $0.delete("trail", note) }),
            ("does not lead to its note", { try $0.put("trail", TrailKey.mark(of: record, at: 4), []) }),
            ("it counts 2 records, but has notes of 1", { try $0.change("trail", [0]) { $0[25] = 2 } }),
            ("it already has notes of change set 9", { try $0.change("trail", [0]) { $0[17] = 9 } }),
            (
                "which the feed retains",
                {
                    try $0.change("trail", note) { $0[0] = 7 }
                    try $0.put("trail", TrailKey.mark(of: record, at: 7), [])
                }
            ),
            ("the trail has those after", { try $0.change("trail", [0]) { $0[17] = 4 } }),
            ("unknown flags", { try $0.change("trail", note) { $0[16] = 4 } }),
            ("this format has no such entry", { try $0.put("trail", [7, 7], [1]) }),
            ("a key does not belong to a changed type", { try $0.put("trail", [3, 1, 0, 0, 0, 1], [1]) }),
        ]
        for (expected, damage) in damages {
            let folder = try StoreFolder()
            let store = try Self.store(folder)
            for number in 0..<5 { try store.write { try $0.upsert(Self.sensor("a", Double(number))) } }
            try Self.trim(store)
            #expect(try Self.head(store).map { [$0.floor, $0.noted, $0.count] } == [0, 6, 1])
            store.close()
            #expect(try folder.findings() == [])
            try folder.tamper(damage)
            let findings = try folder.findings().map(\.description)
            #expect(findings.contains { $0.contains(expected) }, "\(expected): \(findings)")
        }
    }

    @Test func `a trail that is damaged costs the trail, and not the store`() async throws {
        let folder = try StoreFolder()
        let store = try Self.store(folder)
        let start = try store.position
        for number in 0..<5 { try await store.write { try $0.upsert(Self.sensor("a", Double(number))) } }
        try Self.trim(store)
        store.close()
        try folder.tamper { raw in try raw.put(StoreDatabases.trailName, [0], [9, 9, 9]) }
        #expect(try folder.findings().contains { $0.description.contains("the trail has the format 9") })
        let again = try Self.store(folder, Self.options(trail: nil))
        _ = try await Self.expectError(.damaged, again, since: start)
        for number in 0..<5 { try await again.write { try $0.upsert(Self.sensor("b", Double(number))) } }
        try Self.trim(again)
        #expect(try Self.head(again) == nil)
        again.close()
        #expect(try folder.findings() == [])
        // When the option asks for a trail again, a new one begins.
        let anew = try Self.store(folder)
        #expect(try Self.head(anew)?.floor == (try anew.feedRange.lowerBound))
    }
}
