import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

@Suite("Migration plans") struct MigrationPlanTests {
    private static var options: StoreOptions {
        var options = StoreOptions()
        options.migrations = Book3.plan
        return options
    }

    private static func directory(names: [String]) throws -> TestDirectory {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Book1.Person.self)
        _ = try store.blockingWrite { tx in
            for (number, name) in names.enumerated() {
                try tx.insert(Book1.Person(name: name, pets: ["pet \(number)", "cat \(number)"]))
            }
        }
        store.close()
        return directory
    }

    @Test func `A store two versions behind takes both steps, with ids, indexes and counters`() throws {
        let names = (1...3_000).map { $0 % 500 == 0 ? "J\($0) Doe" : "Given\($0) Family\($0 % 10)" }
        let directory = try Self.directory(names: names)
        let store = try Store(at: directory.path, records: Book3.Person.self, Book3.Pet.self, options: Self.options)
        let expected = (1...3_000).filter { $0 % 500 != 0 }
            .map { Book3.Person(id: "p\($0)", given: "Given\($0)", family: "Family\($0 % 10)") }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        #expect(try store.read { try $0.all(Book3.Person.self) } == expected)
        #expect(try store.read { try $0.count(Book3.Pet.self) } == 6_000)
        let family = Book3.Person.where { $0.family == "Family3" }
        #expect(try store.read { try $0.explain(family) }.contains("index on family"))
        #expect(try store.read { try $0.count(family) } == 300)
        try AutomaticMigrationTests.expectSound(store)
        store.close()
        let again = try Store(at: directory.path, records: Book3.Person.self, Book3.Pet.self, options: Self.options)
        #expect(try again.read { try $0.count(Book3.Person.self) } == expected.count)
    }

    @Test func `Ids that were assigned before are not assigned again`() throws {
        let directory = try Self.directory(names: ["A B", "C D"])
        let old = try Store(at: directory.path, records: Book1.Person.self)
        _ = try old.blockingWrite { try $0.delete(Book1.Person.self, id: 2) }
        old.close()
        var options = StoreOptions()
        options.migrations = MigrationPlan(Array(Book3.plan.versions.prefix(2)))
        let store = try Store(at: directory.path, records: Book2.Person.self, options: options)
        let new = try store.blockingWrite { try $0.insert(Book2.Person(given: "E", family: "F", pets: [])) }
        #expect(new.id == 3)
    }

    @Test func `A step that fails names the record and leaves the store as it was`() throws {
        let directory = try Self.directory(names: ["A B", "Prince", "C D"])
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Book3.Person.self, Book3.Pet.self, options: Self.options)
        }
        #expect(error?.description.contains("the Person with the id 2 cannot be migrated") == true, "\(error!)")
        let store = try Store(at: directory.path, records: Book1.Person.self)
        #expect(try store.read { try $0.all(Book1.Person.self) }.map(\.name) == ["A B", "Prince", "C D"])
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `A new store begins at the newest version`() throws {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Book3.Person.self, Book3.Pet.self, options: Self.options)
        _ = try store.blockingWrite { try $0.insert(Book3.Pet(name: "Rex", owner: "p1")) }
        store.close()
        let again = try Store(at: directory.path, records: Book3.Person.self, Book3.Pet.self, options: Self.options)
        #expect(try again.read { try $0.count(Book3.Pet.self) } == 1)
    }

    @Test func `A store of a version that the plan does not know is refused`() throws {
        let directory = try Self.directory(names: ["A B"])
        try Store(at: directory.path, records: Book3.Person.self, Book3.Pet.self, options: Self.options).close()
        var options = StoreOptions()
        options.migrations = MigrationPlan(Array(Book3.plan.versions.prefix(2)))
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Book2.Person.self, options: options)
        }
        #expect(error?.code == .schemaMismatch && error?.description.contains("\"three\"") == true)
        options.migrations = MigrationPlan(MigrationVersion("x", Version1.Sensor.self))
        let other = try Self.directory(names: ["A B"])
        let unfit = #expect(throws: StoreError.self) { try Store(at: other.path, records: [], options: options) }
        #expect(unfit?.description.contains("no version of the migration plan matches") == true)
    }
}

extension Store {
    /// Writes and blocks until the commit, for tests that are not async.
    func blockingWrite<T: Sendable>(
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) throws -> T { try write(body) }
}
