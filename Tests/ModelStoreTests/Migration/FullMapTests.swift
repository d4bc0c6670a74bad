import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

private enum Log {
    @Record("Line")
    struct Line: Equatable {
        @ID var id: Int
        var text: String
    }

    @Record("Line")
    struct Indexed: Equatable {
        @ID var id: Int
        @Indexed var text: String
    }

    @Record("Line")
    struct Entry: Equatable {
        @ID var id: String
        var text: String
    }
}

@Suite("Migrations for which the map has no room") struct FullMapTests {
    private static let lines = (0..<5_000).map {
        Log.Line(id: $0, text: "line \($0) " + String(repeating: "x", count: 150))
    }

    private static func directory() throws -> TestDirectory {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Log.Line.self)
        try store.write { tx in for line in lines { try tx.insert(line) } }
        store.close()
        return directory
    }

    /// Returns options with which the map has room for a change of the catalog, and no more.
    private static func full(_ directory: TestDirectory) throws -> StoreOptions {
        let file = try FileManager.default.attributesOfItem(atPath: directory.path + "/data.mdb")
        var options = StoreOptions()
        options.addressSpaceByteCount = try #require(file[.size] as? Int) + 200_000
        return options
    }

    private static func expectUnchanged(_ directory: TestDirectory) throws {
        let store = try Store(at: directory.path, records: Log.Line.self)
        #expect(try store.read { try $0.all(Log.Line.self) } == lines)
        try AutomaticMigrationTests.expectSound(store)
        store.close()
    }

    @Test func `a version of a plan that does not fit leaves the store as it was, and fits a larger map`() throws {
        let directory = try Self.directory()
        let plan = MigrationPlan(
            MigrationVersion("1", Log.Line.self),
            MigrationVersion(
                "2", Log.Entry.self,
                steps: .transform(Log.Line.self, to: Log.Entry.self) { old in
                    Log.Entry(id: "l\(old.id)", text: old.text)
                }))
        var options = try Self.full(directory)
        options.migrations = plan
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Log.Entry.self, options: options)
        }
        #expect(error?.code == .mapFull, "\(error!)")
        try Self.expectUnchanged(directory)
        options = StoreOptions()
        options.migrations = plan
        let store = try Store(at: directory.path, records: Log.Entry.self, options: options)
        #expect(try store.read { try $0.count(Log.Entry.self) } == Self.lines.count)
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `an index that does not fit keeps no store from its records, and is built in a larger map`() throws {
        let directory = try Self.directory()
        let error = #expect(throws: StoreError.self) {
            try Store(at: directory.path, records: Log.Indexed.self, options: Self.full(directory))
        }
        #expect(error?.code == .mapFull, "\(error!)")
        // Without building the index, the records remain usable.
        var options = try Self.full(directory)
        options.buildsIndexes = false
        let waiting = try Store(at: directory.path, records: Log.Indexed.self, options: options)
        #expect(throws: StoreError.self) { try waiting.buildIndexes() }
        #expect(try waiting.read { try $0.all(Log.Indexed.self) }.map(\.text) == Self.lines.map(\.text))
        waiting.close()
        let store = try Store(at: directory.path, records: Log.Indexed.self)
        #expect(try store.read { try $0.fetch(Log.Indexed.where { $0.text == Self.lines[77].text }) }.map(\.id) == [77])
        try AutomaticMigrationTests.expectSound(store)
        store.close()
        try Self.expectUnchanged(directory)
    }
}
