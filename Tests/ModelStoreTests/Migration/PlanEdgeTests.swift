import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// Record types of a library's catalog, before and after a plan.
private enum Library {
    @Record("Book")
    struct OldBook: Equatable {
        @ID var id: Int
        var title: String
    }

    @Record("Book")
    struct Book: Equatable {
        @ID var id: String
        var title: String
    }

    @Record("Book")
    struct NamedBook: Equatable {
        @ID var id: Int
        @Renamed(from: "title") var name: String
    }

    @Record("Volume")
    struct Volume: Equatable {
        @ID var id: Int
        var title: String
    }

    @Record("Reader")
    struct Reader: Equatable {
        @ID var name: String
    }
}

@Suite("Steps of a migration plan and types that go or are not there") struct PlanEdgeTests {
    private static let toBook = MigrationStep.transform(Library.OldBook.self, to: Library.Book.self) { old in
        Library.Book(id: "b\(old.id)", title: old.title)
    }

    private static func store(with books: Int, readers: Int = 0) throws -> TestDirectory {
        let directory = try TestDirectory()
        let types: [any Record.Type] =
            (books > 0 ? [Library.OldBook.self] : []) + (readers > 0 ? [Library.Reader.self] : [])
        let store = try Store(at: directory.path, records: types)
        try store.write { tx in
            for id in 0..<books { try tx.insert(Library.OldBook(id: id, title: "t\(id)")) }
            for number in 0..<readers { try tx.insert(Library.Reader(name: "r\(number)")) }
        }
        store.close()
        return directory
    }

    private static func options(_ versions: MigrationVersion...) -> StoreOptions {
        var options = StoreOptions()
        options.migrations = MigrationPlan(versions)
        return options
    }

    private static func options(steps: MigrationStep...) -> StoreOptions {
        options(
            MigrationVersion("1", Library.OldBook.self),
            MigrationVersion("2", records: [Library.Book.self], steps: steps))
    }

    @Test(arguments: [0, 1, 2])
    func `a record of the old type that a step writes after others took its place is refused`(form: Int) throws {
        let directory = try Self.store(with: 3)
        let options = Self.options(
            steps: Self.toBook,
            .change { tx in
                switch form {
                case 0: try tx.insert(Library.OldBook(id: 9, title: "late"))
                case 1: try tx.upsert(Library.OldBook(id: 1, title: "late"))
                default: try tx.update(Library.OldBook.self, id: 1) { $0.title = "late" }
                }
            })
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Library.Book.self, options: options)
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.description.contains("Book") == true && error?.description.contains("lost") == true, "\(error!)")
        let old = try Store(at: directory.path, records: Library.OldBook.self)
        #expect(try old.read { try $0.all(Library.OldBook.self) }.map(\.title) == ["t0", "t1", "t2"])
        try AutomaticMigrationTests.expectSound(old)
    }

    @Test func `a record of the old type that a step writes before is transformed with the others`() throws {
        let directory = try Self.store(with: 2)
        let options = Self.options(
            steps: .change { tx in
                try tx.insert(Library.OldBook(id: 9, title: "early"))
                try tx.update(Library.OldBook.self, id: 1) { $0.title = "changed" }
            }, Self.toBook,
            .change { tx in
                // A step can read the old records until the end. Deleting them is allowed and redundant, because the plan removes
                // them.
                let count = try tx.count(Library.OldBook.self)
                try tx.insert(Library.Book(id: "count", title: "\(count)"))
                _ = try tx.delete(Library.OldBook.self, id: 0)
            })
        let store = try Store(at: directory.path, records: Library.Book.self, options: options)
        #expect(
            try store.read { try $0.all(Library.Book.self) }.map { "\($0.id) \($0.title)" }
                == ["b0 t0", "b1 changed", "b9 early", "count 3"])
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `a step over a type that the store never had does nothing`() throws {
        let directory = try Self.store(with: 0, readers: 2)
        let options = Self.options(
            MigrationVersion("1", Library.Reader.self),
            MigrationVersion(
                "2", Library.Reader.self, Library.Book.self,
                steps: .change { tx in
                    let count = try tx.count(Library.OldBook.self)
                    try tx.insert(Library.Reader(name: "counted \(count)"))
                }, Self.toBook))
        for _ in 0..<2 {
            let store = try Store(at: directory.path, records: Library.Reader.self, Library.Book.self, options: options)
            #expect(try store.read { try $0.all(Library.Reader.self) }.map(\.name) == ["counted 0", "r0", "r1"])
            #expect(try store.read { try $0.count(Library.Book.self) } == 0)
            #expect(store.recordTypes.map(\.name) == ["Reader", "Book"])
            try AutomaticMigrationTests.expectSound(store)
            store.close()
        }
    }

    @Test func `a store from before some types of the plan's first version goes all its way`() throws {
        let directory = try Self.store(with: 0, readers: 1)
        let options = Self.options(
            MigrationVersion("1", Library.Reader.self, Library.OldBook.self),
            MigrationVersion(
                "2", Library.Reader.self, Library.Book.self,
                steps: Self.toBook, .change { try $0.insert(Library.Reader(name: "new")) }))
        for _ in 0..<2 {
            let store = try Store(at: directory.path, records: Library.Reader.self, Library.Book.self, options: options)
            #expect(try store.read { try $0.all(Library.Reader.self) }.map(\.name) == ["new", "r0"])
            try AutomaticMigrationTests.expectSound(store)
            store.close()
        }
    }

    @Test func `records go through two types in one version`() throws {
        let directory = try Self.store(with: 3)
        let options = Self.options(
            steps: .transform(Library.OldBook.self, to: Library.Volume.self) {
                Library.Volume(id: $0.id, title: $0.title)
            },
            .transform(Library.Volume.self, to: Library.Book.self) { Library.Book(id: "v\($0.id)", title: $0.title) })
        let store = try Store(at: directory.path, records: Library.Book.self, options: options)
        #expect(try store.read { try $0.all(Library.Book.self) }.map(\.id) == ["v0", "v1", "v2"])
        #expect(store.recordTypes.map(\.name) == ["Book"])
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `a version that only gives a field another name has its steps run`() throws {
        let directory = try Self.store(with: 3)
        let options = Self.options(
            MigrationVersion("1", Library.OldBook.self),
            MigrationVersion(
                "2", records: [Library.NamedBook.self],
                steps: [
                    .change { tx in
                        for book in try tx.all(Library.NamedBook.self) {
                            try tx.update(Library.NamedBook.self, id: book.id) { $0.name += "!" }
                        }
                    }
                ]))
        for _ in 0..<2 {
            let store = try Store(at: directory.path, records: [Library.NamedBook.self], options: options)
            #expect(try store.read { try $0.all(Library.NamedBook.self) }.map(\.name) == ["t0!", "t1!", "t2!"])
            store.close()
        }
    }
}
