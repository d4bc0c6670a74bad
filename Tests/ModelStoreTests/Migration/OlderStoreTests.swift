import Foundation
import LMDB
import ModelStore
import StoreEngine
import StoreRuntime
import Synchronization
import Testing

/// The record types of programs that use stores of older formats.
private enum OlderShop {
    enum Level: Int, FieldValue, CaseIterable {
        case low, high
    }

    @Record("Item")
    struct Item: Equatable {
        @ID var id: Int
        @Indexed var name: String
        var level: Level = .low
    }

    /// The type with a further field.
    @Record("Item")
    struct PricedItem {
        @ID var id: Int
        @Indexed var name: String
        var level: Level = .low
        var price: Double?
    }

    /// The type with a further index.
    @Record("Item")
    struct SortedItem {
        @ID var id: Int
        @Indexed var name: String
        @Indexed var level: Level = .low
    }

    @Record("Order")
    struct Order {
        @ID var id: Int
        @Reference var item: Reference<Item>
    }

    @Record("Note")
    struct Note {
        @ID var id: String
    }

    @Record("Tagged")
    struct Tagged {
        @ID var id: String
        @Indexed var tags: [String] = []
    }

    struct Rename: Action {
        var id: Int

        func run(in tx: inout WriteTransaction) throws { try tx.update(Item.self, id: id) { $0.name = "renamed" } }
    }

    static let plan = MigrationPlan(
        MigrationVersion("1", Item.self),
        MigrationVersion("2", Note.self, steps: .transform(Item.self, to: Note.self) { Note(id: "\($0.id)") }))
}

@Suite("Stores of older formats, in programs") struct OlderStoreTests {
    /// The events of one store.
    private final class Events: Sendable {
        private let found = Mutex<[String]>([])

        var formats: [String] { found.withLock { $0 } }

        func note(_ event: StoreEvent) {
            if case .olderFormat(let old, let new) = event { found.withLock { $0.append("\(old) of \(new)") } }
        }
    }

    /// A store in the form in which programs of an older format leave it.
    private static func directory(format: UInt32) throws -> TestDirectory {
        let directory = try TestDirectory()
        var options = StoreOptions()
        options.usesRedoLog = false
        let store = try Store(at: directory.path, records: OlderShop.Item.self, options: options)
        _ = try store.blockingWrite { tx in
            for id in 1...20 { try tx.insert(OlderShop.Item(id: id, name: "item \(id)", level: .high)) }
        }
        store.close()
        let environment = try LMDBEnvironment.open(at: directory.path, options: LMDBEnvironment.Options())
        defer { environment.close() }
        var raw = try environment.beginWrite()
        let databases = try #require(try StoreFormat.openDatabases(&raw, create: false))
        try StoreFormat.writeLogOff(false, databases, &raw)
        try StoreFormat.writeVersion(format, databases, &raw)
        let secret = MetadataKey.keySecret
        _ = unsafe try raw.delete(databases.metadata, key: secret.span.bytes)
        if format == 1, let statistics = databases.statistics { try raw.drop(statistics) }
        // The catalog of those programs has no names of cases.
        for var type in try CatalogStorage.types(in: databases.catalog, raw.snapshot) {
            for number in type.fields.indices {
                guard case .enumeration(let rawType, let cases?) = type.fields[number].type else { continue }
                let schema = type.fields[number].schema
                type.fields[number].schema = FieldSchema(
                    name: schema.name, type: .enumeration(rawType, cases: EnumCases(cases.rawValues)),
                    defaultValue: schema.defaultValue, renamedFrom: schema.renamedFrom)
            }
            try CatalogStorage.write(type, to: databases.catalog, in: &raw)
        }
        var head = try StoreFormat.head(databases, raw.snapshot)
        head.transactionID = UInt64(raw.snapshot.transactionID)
        try StoreFormat.writeHead(head, databases, &raw)
        try raw.commit()
        return directory
    }

    /// The format of a closed store, and its parts.
    private static func facts(_ directory: TestDirectory) throws -> (format: UInt32, hasStatistics: Bool, log: Bool) {
        let environment = try LMDBEnvironment.open(
            at: directory.path, options: LMDBEnvironment.Options(isReadOnly: true))
        defer { environment.close() }
        let raw = try environment.beginRead()
        let databases = try #require(try StoreFormat.openDatabases(raw.snapshot))
        return (
            try StoreFormat.version(databases, raw.snapshot), databases.statistics != nil,
            RedoFiles.exist(in: directory.path)
        )
    }

    private static func options(upgrades: Bool = false, _ events: Events? = nil) -> StoreOptions {
        var options = StoreOptions()
        options.upgradesFormat = upgrades
        if let events { options.onEvent = { events.note($0) } }
        return options
    }

    private static func findings(_ directory: TestDirectory) throws -> [String] {
        var found: [String] = []
        try Store.verify(at: directory.path) { found.append("\($0)") }
        return found
    }

    @Test(arguments: [1, 2] as [UInt32])
    func `A program works on a store of an older format as it is, and reports it once`(format: UInt32) throws {
        let directory = try Self.directory(format: format)
        let events = Events()
        let store = try Store(at: directory.path, records: OlderShop.Item.self, options: Self.options(events))
        _ = try store.blockingWrite { tx in
            try tx.update(OlderShop.Item.self, id: 3) { $0.name = "changed" }
            try tx.insert(OlderShop.Item(id: 100, name: "new"))
            try tx.delete(OlderShop.Item.self, id: 4)
        }
        // A further opening in the process shares the store.
        let second = try Store(
            at: directory.path, records: OlderShop.Item.self, OlderShop.Note.self, options: Self.options(events))
        _ = try second.blockingWrite { tx in try tx.insert(OlderShop.Note(id: "n")) }
        second.close()
        #expect(try store.read { try $0.count(OlderShop.Item.self) } == 20)
        #expect(try store.read { try $0.fetch(OlderShop.Item.where { $0.name == "changed" }).map(\.id) } == [3])
        #expect(events.formats == ["\(format) of 3"])
        store.close()
        #expect(try Self.facts(directory) == (format, format > 1, false))
        #expect(try Self.findings(directory) == [])
        var reading = StoreOptions()
        reading.isReadOnly = true
        reading.upgradesFormat = true
        try Store(at: directory.path, records: OlderShop.Item.self, options: reading).close()
        #expect(try Self.facts(directory).format == format)
    }

    @Test(arguments: [1, 2] as [UInt32])
    func `A program that upgrades the format gives the store a redo log`(format: UInt32) throws {
        let directory = try Self.directory(format: format)
        let before = try Self.facts(directory)
        #expect(before == (format, format > 1, false))
        let events = Events()
        let store = try Store(
            at: directory.path, records: OlderShop.Item.self, options: Self.options(upgrades: true, events))
        #expect(try store.usage().redoLog != nil)
        #expect(try store.read { try $0.count(OlderShop.Item.self) } == 20)
        #expect(events.formats == [])
        store.close()
        #expect(try Self.facts(directory) == (3, true, true))
        #expect(try Self.findings(directory) == [])
    }

    @Test(arguments: [1, 2] as [UInt32])
    func `An upgrade without a redo log stops at the format before, and stays there`(format: UInt32) throws {
        let directory = try Self.directory(format: format)
        let events = Events()
        var options = Self.options(upgrades: true, events)
        options.usesRedoLog = false
        try Store(at: directory.path, records: OlderShop.Item.self, options: options).close()
        try Store(at: directory.path, records: OlderShop.Item.self, options: Self.options(upgrades: true, events))
            .close()
        #expect(try Self.facts(directory) == (2, true, false))
        #expect(events.formats == [])
        #expect(try Self.findings(directory) == [])
    }

    @Test func `An opening that needs a newer format names it, and changes nothing`() throws {
        let directory = try Self.directory(format: 1)
        let openings: [(types: [any Record.Type], part: String)] = [
            ([OlderShop.PricedItem.self], "the change to the fields of Item"),
            ([OlderShop.SortedItem.self], "adding the index (level) to the records of Item"),
            ([OlderShop.Item.self, OlderShop.Order.self], "the reference Order.item"),
            ([OlderShop.Tagged.self], "the index of Tagged over the elements of tags"),
        ]
        for (types, part) in openings {
            let error = #expect(throws: StoreError.self) { try Store(at: directory.path, records: types) }
            #expect(error?.code == .olderFormat)
            #expect(error?.message == "\(part) needs format 2, but the store has format 1")
            #expect(error?.remedy?.hasPrefix("run store-cli upgrade, or set StoreOptions.upgradesFormat") == true)
            #expect(try Self.facts(directory) == (1, false, false))
        }
        for (types, _) in openings.dropFirst() {
            try Store(at: directory.path, records: types, options: Self.options(upgrades: true)).close()
        }
        #expect(try Self.findings(directory) == [])
    }

    @Test func `An action and a migration need format 2, and the rest of the plan does not`() throws {
        let directory = try Self.directory(format: 1)
        let store = try Store(at: directory.path, records: OlderShop.Item.self)
        let error = #expect(throws: StoreError.self) { try store.send(OlderShop.Rename(id: 3)) }
        #expect(error?.code == .olderFormat)
        #expect(error?.message == "the action Rename needs format 2, but the store has format 1")
        #expect(try store.read { try $0.get(OlderShop.Item.self, id: 3)?.name } == "item 3")
        store.close()
        var options = StoreOptions()
        options.migrations = MigrationPlan(MigrationVersion("1", OlderShop.Item.self))
        try Store(at: directory.path, records: OlderShop.Item.self, options: options).close()
        options.migrations = OlderShop.plan
        let refused = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: OlderShop.Note.self, options: options)
        }
        #expect(refused?.message == "the migration to the version \"2\" needs format 2, but the store has format 1")
        #expect(try Self.facts(directory) == (1, false, false))
        options.upgradesFormat = true
        let raised = try Store(at: directory.path, records: OlderShop.Note.self, options: options)
        #expect(try raised.read { try $0.count(OlderShop.Note.self) } == 20)
        raised.close()
        #expect(try Self.findings(directory) == [])
    }
}
