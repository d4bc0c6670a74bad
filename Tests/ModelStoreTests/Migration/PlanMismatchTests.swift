import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// Record types of a weather station, as the stores contain them and as the plans declare them.
private enum Station {
    @Record("Sensor")
    struct Sensor {
        @ID var id: Int
        @Indexed var room: String
        var count: Int16
        var unit: String
    }

    @Record("Sensor")
    struct WithoutUnit {
        @ID var id: Int
        @Indexed var room: String
        var count: Int16
    }

    @Record("Sensor")
    struct Unlike {
        @ID var id: Int
        var room: String
        @Indexed var count: Int8
        var unit: String
        var owner: String
    }

    @Record("Sensor")
    struct Split {
        @ID var key: String
        var room: String
    }

    @Record("Alarm")
    struct Alarm {
        @ID var id: Int
    }

    @Record("Place")
    struct Place {
        @ID var id: Int
        var room: String
    }
}

@Suite("Stores that no version of a plan matches, and programs that are older than a store") struct PlanMismatchTests {
    private static func store(_ records: any Record.Type...) throws -> TestDirectory {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: records)
        if records.contains(where: { $0 == Station.Sensor.self }) {
            _ = try store.blockingWrite { try $0.insert(Station.Sensor(id: 1, room: "r", count: 1, unit: "C")) }
        }
        store.close()
        return directory
    }

    private static func options(_ versions: MigrationVersion...) -> StoreOptions {
        var options = StoreOptions()
        options.migrations = MigrationPlan(versions)
        return options
    }

    private static func refusal(
        _ directory: TestDirectory, _ records: any Record.Type..., options: StoreOptions = StoreOptions()
    ) throws -> StoreError {
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: records, options: options)
        }
        let found = try #require(error)
        #expect(found.code == .schemaMismatch)
        return found
    }

    @Test func `a version that lacks a field is told with it, and the remedy is to declare it`() throws {
        let directory = try Self.store(Station.Sensor.self)
        let options = Self.options(MigrationVersion("1", Station.WithoutUnit.self))
        let error = try Self.refusal(directory, options: options)
        #expect(
            error.message
                == "no version of the migration plan matches this store: version \"1\" lacks the field Sensor.unit")
        #expect(error.remedy == "add a version that declares it")
    }

    @Test func `each version is told with the types, fields and indexes in which it differs`() throws {
        let directory = try Self.store(Station.Sensor.self)
        let options = Self.options(
            MigrationVersion("first", Station.Alarm.self),
            MigrationVersion("second", Station.Unlike.self),
            MigrationVersion(
                "third", Station.Place.self,
                steps: .transform(Station.Unlike.self, to: Station.Place.self) {
                    Station.Place(id: $0.id, room: $0.room)
                }))
        let error = try Self.refusal(directory, options: options)
        #expect(
            error.message == """
                no version of the migration plan matches this store: \
                version "first" declares the record type Alarm, which the store lacks; \
                version "second" declares Sensor.count as int8, which is int16 in the store, \
                declares the field Sensor.owner, which the store lacks, \
                declares the index (count) of Sensor, which the store lacks, lacks the index (room) of Sensor; \
                version "third" comes after a step that replaces Sensor, which the store still has, \
                declares the record type Place, which the store lacks
                """)
        #expect(error.remedy == "add a version with the record types that the store has")
    }

    @Test func `a program whose plan ends before the store's version is told to use the newer one`() throws {
        let directory = try Self.store(Station.Sensor.self)
        let plan = Self.options(
            MigrationVersion("1", Station.Sensor.self),
            MigrationVersion(
                "2", Station.Split.self,
                steps: .transform(Station.Sensor.self, to: Station.Split.self) {
                    Station.Split(key: "k\($0.id)", room: $0.room)
                }))
        try Store(at: directory.path, records: Station.Split.self, options: plan).close()
        let error = try Self.refusal(
            directory, Station.Sensor.self, options: Self.options(MigrationVersion("1", Station.Sensor.self)))
        #expect(error.message == "the store has version \"2\", which this program's migration plan lacks")
        #expect(error.remedy == "use the newer program")
    }

    @Test(arguments: [false, true])
    func `a program without a plan is told that a migration replaced its record type`(isReadOnly: Bool) throws {
        let directory = try Self.store(Station.Sensor.self)
        let plan = Self.options(
            MigrationVersion("1", Station.Sensor.self),
            MigrationVersion(
                "2", Station.Split.self,
                steps: .transform(Station.Sensor.self, to: Station.Split.self) {
                    Station.Split(key: "k\($0.id)", room: $0.room)
                }))
        try Store(at: directory.path, records: Station.Split.self, options: plan).close()
        var options = StoreOptions()
        options.isReadOnly = isReadOnly
        let error = try Self.refusal(directory, Station.Sensor.self, options: options)
        let start = "the store is newer than this program: a migration replaced the record type Sensor: "
        #expect(error.message.hasPrefix(start), "\(error)")
        for part in ["field id: int64 is not in the store", "field key: string is only in the store", "the id differs"]
        {
            #expect(error.message.contains(part), "\(error)")
        }
        #expect(error.remedy == "use the newer program")
    }

    @Test(arguments: [false, true])
    func `a program whose record type a migration removed does not bring it back`(isReadOnly: Bool) throws {
        let directory = try Self.store(Station.Sensor.self)
        let plan = Self.options(
            MigrationVersion("1", Station.Sensor.self),
            MigrationVersion(
                "2", Station.Place.self,
                steps: .transform(Station.Sensor.self, to: Station.Place.self) {
                    Station.Place(id: $0.id, room: $0.room)
                }))
        try Store(at: directory.path, records: Station.Place.self, options: plan).close()
        var options = StoreOptions()
        options.isReadOnly = isReadOnly
        let error = try Self.refusal(directory, Station.Sensor.self, options: options)
        #expect(error.message == "the store is newer than this program: a migration removed the record type Sensor")
        #expect(error.remedy == "use the newer program")
        let store = try Store(at: directory.path, records: Station.Place.self)
        #expect(store.recordTypes.map(\.name) == ["Place"])
    }

    @Test func `a program from before a migration by hand is told to use the newer one`() throws {
        let directory = try Self.store(Station.Sensor.self)
        let store = try Store(at: directory.path, records: [])
        let wider = Station.Sensor.recordSchema.fields.map { field in
            field.name == "count"
                ? FieldSchema(name: "count", type: .int64, defaultValue: nil, renamedFrom: []) : field
        }
        let schema = RecordSchema(name: "Sensor", fields: wider, id: Station.Sensor.recordSchema.id)
        _ = try store.migrate(to: [schema], isTrial: false)
        store.close()
        let error = try Self.refusal(directory, Station.Sensor.self)
        #expect(error.message.contains("field count is int64 in the store and int16 in the program"), "\(error)")
        #expect(error.remedy == "use the newer program")
    }

    @Test func `a newer program that only reads is told to open the store for writing once`() throws {
        let directory = try Self.store(Station.WithoutUnit.self)
        var options = StoreOptions()
        options.isReadOnly = true
        let error = try Self.refusal(directory, Station.Noted.self, options: options)
        #expect(error.message == "the store's schema of Sensor differs: field note: string? is not in the store")
        #expect(error.remedy == "open the store for writing once, which adapts the record type")
    }
}

extension Station {
    @Record("Sensor")
    fileprivate struct Noted {
        @ID var id: Int
        @Indexed var room: String
        var count: Int16
        var note: String?
    }
}
