import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

private enum Library1 {
    @Record("Author") struct Author {
        @ID var id: Int
        var name: String
    }

    @Record("Book") struct Book {
        @ID var id: Int
        var title: String
    }
}

private enum Library2 {
    @Record("Author") struct Author {
        @ID var id: Int
        var name: String
    }

    @Record("Book") struct Book {
        @ID var id: Int
        var title: String
        @Reference(onDelete: .nullify) var author: Reference<Library2.Author>?
    }
}

private enum Library3 {
    @Record("Author") struct Author {
        @ID var id: Int
        var names: [String]
    }

    @Record("Book") struct Book {
        @ID var id: Int
        var title: String
        @Reference(onDelete: .nullify) var author: Reference<Library3.Author>?
    }

    /// Transforms every author that has a name.
    static let plan = MigrationPlan(
        MigrationVersion("two", Library2.Author.self, Library2.Book.self),
        MigrationVersion(
            "three", Author.self, Book.self,
            steps: .transform(Library2.Author.self, to: Author.self) { old in
                old.name.isEmpty ? nil : Author(id: old.id, names: [old.name])
            }))
}

private enum Library4 {
    @Record("Author") struct Author {
        @ID var id: Int
        var name: String
    }

    @Record("Book") struct Book {
        @ID var id: Int
        var title: String
        var author: Reference<Library4.Author> = 1
    }
}

@Suite("References and changed schemas") struct ReferenceMigrationTests {
    @Test func `a reference is added to records that refer to nothing, and works at once`() throws {
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: Library1.Author.self, Library1.Book.self)
        _ = try old.blockingWrite { tx in
            for id in 0..<2_000 { try tx.insert(Library1.Book(id: id, title: "t")) }
            try tx.insert(Library1.Author(id: 1, name: "Ann"))
        }
        old.close()
        let store = try Store(at: directory.path, records: Library2.Author.self, Library2.Book.self)
        _ = try store.blockingWrite { tx in _ = try tx.update(Library2.Book.self, id: 7) { $0.author = 1 } }
        _ = try store.blockingWrite { tx in _ = try tx.delete(Library2.Author.self, id: 1) }
        let book = try store.read { try $0.get(Library2.Book.self, id: 7) }
        #expect(book?.author == nil)
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `a reference that records so far would have by its default is refused`() throws {
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: Library1.Author.self, Library1.Book.self)
        _ = try old.blockingWrite { try $0.insert(Library1.Book(id: 1, title: "t")) }
        old.close()
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Library4.Author.self, Library4.Book.self)
        }
        #expect(error?.code == .schemaMismatch)
    }

    @Test(arguments: [false, true])
    func `a step must not leave out what is referred to`(isReferred: Bool) throws {
        let directory = try TestDirectory()
        let old = try Store(at: directory.path, records: Library2.Author.self, Library2.Book.self)
        _ = try old.blockingWrite { tx in
            try tx.insert(Library2.Author(id: 1, name: "Ann"))
            try tx.insert(Library2.Author(id: 2, name: ""))
            try tx.insert(Library2.Book(id: 1, title: "t", author: isReferred ? 2 : 1))
        }
        old.close()
        var options = StoreOptions()
        options.migrations = Library3.plan
        guard !isReferred else {
            let error = #expect(throws: StoreError.self) {
                try Store(at: directory.path, records: Library3.Author.self, Library3.Book.self, options: options)
            }
            #expect(error?.code == .deleteDenied)
            return
        }
        let store = try Store(at: directory.path, records: Library3.Author.self, Library3.Book.self, options: options)
        #expect(try store.read { try $0.get(Library3.Author.self, id: 1)?.names } == ["Ann"])
        #expect(try store.read { try $0.count(Library3.Author.self) } == 1)
        try AutomaticMigrationTests.expectSound(store)
    }
}
