import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// Record types that a plan splits and joins.
private enum Papers {
    @Record("Draft")
    struct Draft: Equatable {
        @ID var id: Int
        var text: String
    }

    @Record("Post")
    struct Post: Equatable {
        @ID var id: Int
        var text: String
    }

    @Record("Title")
    struct Title: Equatable {
        @ID var id: Int
        var text: String
    }

    @Record("Page")
    struct Page: Equatable {
        @ID var id: Int
        var text: String
    }
}

@Suite("Plans that split and join record types") struct PlanShapeTests {
    private static let first = MigrationVersion("1", Papers.Draft.self, Papers.Post.self)

    private static func directory() throws -> TestDirectory {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Papers.Draft.self, Papers.Post.self)
        try store.write { tx in
            for id in 0..<3 {
                try tx.insert(Papers.Draft(id: id, text: "draft"))
                try tx.insert(Papers.Post(id: id + 100, text: "post"))
            }
        }
        store.close()
        return directory
    }

    private static func options(_ versions: MigrationVersion...) -> StoreOptions {
        var options = StoreOptions()
        options.migrations = MigrationPlan([first] + versions)
        return options
    }

    private static func expectTypes(_ names: [String], at directory: TestDirectory) throws {
        let store = try Store(at: directory.path, records: [])
        #expect(store.recordTypes.map(\.name) == names)
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `records join those of a type that the store has`() throws {
        let directory = try Self.directory()
        let second = MigrationVersion(
            "2", Papers.Post.self,
            steps: .transform(Papers.Draft.self, to: Papers.Post.self) { Papers.Post(id: $0.id, text: $0.text) })
        let store = try Store(at: directory.path, records: Papers.Post.self, options: Self.options(second))
        #expect(try store.read { try $0.all(Papers.Post.self) }.map(\.id) == [0, 1, 2, 100, 101, 102])
        store.close()
        try Self.expectTypes(["Post"], at: directory)
    }

    @Test func `one type becomes two`() throws {
        let directory = try Self.directory()
        let second = MigrationVersion(
            "2", Papers.Title.self, Papers.Page.self, Papers.Post.self,
            steps: .transform(Papers.Draft.self, to: Papers.Title.self) { Papers.Title(id: $0.id, text: "title") },
            .transform(Papers.Draft.self, to: Papers.Page.self) { Papers.Page(id: $0.id, text: $0.text) })
        let store = try Store(
            at: directory.path, records: Papers.Title.self, Papers.Page.self, options: Self.options(second))
        #expect(try store.read { try $0.all(Papers.Title.self) }.map(\.text) == ["title", "title", "title"])
        #expect(try store.read { try $0.all(Papers.Page.self) }.map(\.text) == ["draft", "draft", "draft"])
        store.close()
        try Self.expectTypes(["Post", "Title", "Page"], at: directory)
    }

    @Test func `two types become one`() throws {
        let directory = try Self.directory()
        let second = MigrationVersion(
            "2", Papers.Page.self,
            steps: .transform(Papers.Draft.self, to: Papers.Page.self) { Papers.Page(id: $0.id, text: $0.text) },
            .transform(Papers.Post.self, to: Papers.Page.self) { Papers.Page(id: $0.id, text: $0.text) })
        let store = try Store(at: directory.path, records: Papers.Page.self, options: Self.options(second))
        #expect(try store.read { try $0.all(Papers.Page.self) }.map(\.id) == [0, 1, 2, 100, 101, 102])
        store.close()
        try Self.expectTypes(["Page"], at: directory)
    }

    @Test func `a step that makes a type of itself is refused`() throws {
        let directory = try Self.directory()
        let second = MigrationVersion(
            "2", Papers.Draft.self, Papers.Page.self, steps: .transform(Papers.Draft.self, to: Papers.Draft.self) { $0 }
        )
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Papers.Draft.self, options: Self.options(second))
        }
        #expect(error?.code == .invalidValue && error?.description.contains("with itself") == true)
        try Self.expectTypes(["Draft", "Post"], at: directory)
    }

    @Test func `a store without record types begins anew, whatever version was noted`() throws {
        let directory = try TestDirectory()
        try Store(at: directory.path, records: [], options: Self.options()).close()
        let second = MigrationVersion(
            "2", Papers.Page.self,
            steps: .transform(Papers.Draft.self, to: Papers.Page.self) { Papers.Page(id: $0.id, text: $0.text) })
        let store = try Store(at: directory.path, records: Papers.Page.self, options: Self.options(second))
        #expect(store.recordTypes.map(\.name) == ["Page"])
    }
}
