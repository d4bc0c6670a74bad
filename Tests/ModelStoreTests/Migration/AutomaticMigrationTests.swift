import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
import Testing

@Suite("Schemas that changed") struct AutomaticMigrationTests {
    static let migrated = Date(timeIntervalSinceReferenceDate: 800_000_000)

    static var options: StoreOptions {
        var options = StoreOptions()
        options.clock = { migrated }
        return options
    }

    /// Returns a directory with a store of `count` records of version 1.
    static func directory(_ count: Int) throws -> TestDirectory {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Version1.Sensor.self)
        _ = try store.blockingWrite { tx in
            for number in 0..<count { try tx.insert(Version1.Sensor.sample(number)) }
        }
        store.close()
        return directory
    }

    static func second(_ number: Int) -> Version2.Sensor { Version2.Sensor(.sample(number), seen: migrated) }
    static func third(_ number: Int) -> Version3.Sensor { Version3.Sensor(second(number)) }

    static func expectSound(_ store: Store) throws {
        let findings = Findings()
        try store.verify { findings.add("\($0)") }
        #expect(findings.all.isEmpty, "\(findings.all)")
    }

    @Test func `Records from before are read by the newest schema`() throws {
        let directory = try Self.directory(500)
        try Store(at: directory.path, records: Version2.Sensor.self, options: Self.options).close()
        let store = try Store(at: directory.path, records: Version3.Sensor.self)
        let expected = (0..<500).map(Self.third)
        #expect(try store.read { try $0.all(Version3.Sensor.self) } == expected)
        #expect(try store.read { try $0.get(Version3.Sensor.self, id: 33) } == expected[33])
        #expect(try store.read { try $0.value(Version3.Sensor.self, id: 33, \.celsius) } == 8.25)
        let warm = Version3.Sensor.where { $0.celsius > 60 && $0.level == 7 && $0.serial != nil }
            .order { [$0.chamber.descending, $0.count.ascending] }
        let sorted = expected.filter { $0.celsius > 60 }.sorted { ($1.chamber, $0.count) < ($0.chamber, $1.count) }
        #expect(try store.read { try $0.fetch(warm) } == sorted)
        try Self.expectSound(store)
    }

    @Test func `New indexes are built and used`() throws {
        let directory = try Self.directory(10_000)
        let steps = Mutex<[IndexProgress]>([])
        var options = Self.options
        options.indexProgress = { progress in steps.withLock { $0.append(progress) } }
        let store = try Store(at: directory.path, records: Version2.Sensor.self, options: options)
        let seen = steps.withLock { $0 }
        #expect(seen.map(\.fields) == [["level"], ["level"], ["level"]])
        #expect(seen.map(\.doneCount) == [4_096, 8_192, 10_000])
        #expect(seen.allSatisfy { $0.totalCount == 10_000 } && seen.map(\.isComplete) == [false, false, true])
        let levels = Version2.Sensor.where { $0.level == 7 }
        let rare = Version2.Sensor.where { $0.level == 8 }
        #expect(try store.read { try $0.explain(rare) }.contains("index on level"))
        #expect(try store.read { try $0.count(levels) } == 10_000)
        try Self.expectSound(store)
    }

    @Test func `An index that is not built yet is kept in step and not looked up in`() throws {
        let directory = try Self.directory(100)
        var options = Self.options
        options.buildsIndexes = false
        let store = try Store(at: directory.path, records: Version2.Sensor.self, options: options)
        let levels = Version2.Sensor.where { $0.level == 7 }
        let rare = Version2.Sensor.where { $0.level == 8 }
        #expect(try store.read { try $0.explain(rare) }.contains("walk all"))
        #expect(try store.read { try $0.count(levels) } == 100)
        _ = try store.blockingWrite { tx in
            try tx.update(Version2.Sensor.self, id: 3) { $0.level = 8 }
            try tx.delete(Version2.Sensor.self, id: 4)
            try tx.insert(Self.second(1_000))
        }
        try Self.expectSound(store)
        try store.buildIndexes()
        #expect(try store.read { try $0.explain(rare) }.contains("index on level"))
        #expect(try store.read { try $0.count(levels) } == 99)
        try Self.expectSound(store)
    }

    @Test func `Programs of two versions use one store, and the older one keeps what it does not know`() throws {
        let directory = try Self.directory(10)
        let new = try Store(at: directory.path, records: Version2.Sensor.self, options: Self.options)
        let old = try Store(at: directory.path, records: Version1.Sensor.self)
        _ = try new.blockingWrite { tx in
            try tx.update(Version2.Sensor.self, id: 1) {
                $0.level = 12
                $0.place = Version2.Place(floor: 3, wing: "east")
            }
        }
        _ = try old.blockingWrite { tx in
            try tx.update(Version1.Sensor.self, id: 1) { $0.celsius = 99 }
            try tx.upsert(Version1.Sensor(id: 1, room: "hall", celsius: 98, count: 1, note: nil, serial: "x"))
            try tx.insert(Version1.Sensor.sample(77))
        }
        let kept = try #require(try new.read { try $0.get(Version2.Sensor.self, id: 1) })
        #expect(kept.level == 12 && kept.place == Version2.Place(floor: 3, wing: "east") && kept.celsius == 98)
        #expect(try new.read { try $0.get(Version2.Sensor.self, id: 77) } == Self.second(77))
        #expect(try new.read { try $0.fetch(Version2.Sensor.where { $0.level == 12 }) } == [kept])
        #expect(try old.read { try $0.get(Version1.Sensor.self, id: 5) } == .sample(5))
        try Self.expectSound(new)
    }

    @Test func `Opening with an older program again changes nothing`() throws {
        let directory = try Self.directory(10)
        try Store(at: directory.path, records: Version2.Sensor.self, options: Self.options).close()
        let old = try Store(at: directory.path, records: Version1.Sensor.self)
        #expect(old.recordTypes[0].version == 2 && old.recordTypes[0].oldestCompatibleVersion == 1)
        #expect(old.recordTypes[0].fields.count == 9)
        old.close()
        let new = try Store(at: directory.path, records: Version2.Sensor.self)
        #expect(try new.read { try $0.all(Version2.Sensor.self) } == (0..<10).map(Self.second))
    }

    @Test func `A program that is too old is told what differs and from which version on it works`() throws {
        let directory = try Self.directory(10)
        try Store(at: directory.path, records: Version2.Sensor.self, options: Self.options).close()
        try Store(at: directory.path, records: Version3.Sensor.self, options: Self.options).close()
        let error = #expect(throws: StoreError.self) { try Store(at: directory.path, records: Version1.Sensor.self) }
        #expect(error?.code == .schemaMismatch)
        let text = error?.description ?? ""
        #expect(
            text.contains("the store has version 3 of Sensor, for programs of version 3 or newer")
                && text.contains("this program has version 1"), "\(text)")
        #expect(text.hasSuffix("; use the newer program"), "\(text)")
        #expect(text.contains("celsius is double in the store and float in the program"), "\(text)")
    }

    @Test func `A field that is not declared any more becomes optional and keeps its values`() throws {
        let directory = try Self.directory(3)
        let store = try Store(at: directory.path, records: Other.WithoutSerial.self)
        _ = try store.blockingWrite { tx in
            try tx.update(Other.WithoutSerial.self, id: 1) { $0.note = "new" }
            try tx.insert(Other.WithoutSerial(id: 9, room: "attic", celsius: 1, count: 1, note: nil))
        }
        let serials = store.recordTypes[0].fields.first { $0.name == "serial" }
        #expect(serials?.type == .optional(.string))
        store.close()
        let revived = try Store(at: directory.path, records: Other.WithSomeSerials.self)
        #expect(
            try revived.read { try $0.all(Other.WithSomeSerials.self) }.map(\.serial) == ["A-0", "A-1", "A-2", nil])
        try Self.expectSound(revived)
    }

    @Test func `What is not automatic is refused with all differences, and changes nothing`() throws {
        let directory = try Self.directory(3)
        let error = #expect(throws: StoreError.self) { try Store(at: directory.path, records: Other.Unlike.self) }
        let text = error?.description ?? ""
        #expect(error?.code == .schemaMismatch)
        for part in [
            "count is int16 in the store and int8 in the program",
            "note is string? in the store and int64? in the program",
            "owner: string is not in the store",
        ] { #expect(text.contains(part), "\(text)") }
        let store = try Store(at: directory.path, records: Version1.Sensor.self)
        #expect(store.recordTypes[0].version == 1)
    }

    @Test func `A field that was renamed is told of under both of its names, once`() throws {
        let directory = try Self.directory(1)
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Other.WithSmallChambers.self)
        }
        let text = error?.description ?? ""
        #expect(
            text.contains("field chamber (room in the store) is string in the store and int8 in the program"), "\(text)"
        )
        #expect(!text.contains("only in the store") && !text.contains("not in the store"), "\(text)")
    }

    @Test func `A unique index that records do not fit is refused with two of them`() throws {
        let directory = try Self.directory(10)
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Other.WithUniqueRooms.self)
        }
        #expect(error?.code == .uniqueViolation)
        #expect(error?.description.contains("the records 0 and 7 of Sensor have the same room") == true, "\(error!)")
        let store = try Store(at: directory.path, records: Version1.Sensor.self)
        #expect(try store.read { try $0.all(Version1.Sensor.self) } == (0..<10).map { .sample($0) })
        try Self.expectSound(store)
    }

    @Test func `A record type that is declared with another id is refused`() throws {
        let directory = try Self.directory(1)
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Other.WithSerialsForIDs.self)
        }
        #expect(error?.description.contains("the id differs") == true)
    }
}

/// The findings of `verify`.
private final class Findings {
    private(set) var all: [String] = []

    func add(_ finding: String) { all.append(finding) }
}
