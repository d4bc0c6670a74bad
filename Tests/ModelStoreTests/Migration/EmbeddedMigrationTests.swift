import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// Versions of an embedded struct: a field is removed, and later versions add other fields with its name.
private enum Site {
    @Record("Site")
    struct Whole: Equatable {
        @ID var id: Int
        var place: Site.WholePlace
        var visits: Int = 0
    }

    @Embedded
    struct WholePlace: Equatable {
        var floor: Int
        var wing: String = "main"
    }

    @Record("Site")
    struct Short: Equatable {
        @ID var id: Int
        var place: Site.ShortPlace
        var visits: Int = 0
    }

    @Embedded
    struct ShortPlace: Equatable { var floor: Int }

    @Record("Site")
    struct Numbered: Equatable {
        @ID var id: Int
        var place: Site.NumberedPlace
        var visits: Int = 0
    }

    @Embedded
    struct NumberedPlace: Equatable {
        var floor: Int
        var wing: Int = 5
    }
}

@Suite("Embedded structs that lose fields") struct EmbeddedMigrationTests {
    private static func directory() throws -> TestDirectory {
        let directory = try TestDirectory()
        let store = try Store(at: directory.path, records: Site.Whole.self)
        try store.write { tx in
            for id in 0..<3 { try tx.insert(Site.Whole(id: id, place: .init(floor: id, wing: "wing \(id)"))) }
        }
        store.close()
        return directory
    }

    @Test func `opening does not drop the values of a field that an embedded struct has no more`() throws {
        let directory = try Self.directory()
        let short = try Store(at: directory.path, records: Site.Short.self)
        try short.write { tx in
            try tx.update(Site.Short.self, id: 1) { $0.place.floor = 10 }
            try tx.insert(Site.Short(id: 3, place: .init(floor: 3)))
        }
        short.close()
        let store = try Store(at: directory.path, records: Site.Whole.self)
        let places = try store.read { try $0.all(Site.Whole.self) }.map(\.place)
        #expect(places.map(\.floor) == [0, 10, 2, 3])
        #expect(places.map(\.wing) == ["wing 0", "wing 1", "wing 2", "main"])
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `a dropped field of an embedded struct is not taken for a later one of its name`() throws {
        let directory = try Self.directory()
        let whole = try Store(at: directory.path, records: [])
        #expect(try whole.migrate(to: [Site.Short.recordSchema], isTrial: false)[0].misfitCount == 0)
        whole.close()
        let short = try Store(at: directory.path, records: Site.Short.self)
        try short.write { tx in try tx.update(Site.Short.self, id: 1) { $0.visits = 1 } }
        short.close()
        let store = try Store(at: directory.path, records: Site.Numbered.self)
        let expected = (0..<3).map { Site.Numbered(id: $0, place: .init(floor: $0), visits: $0 == 1 ? 1 : 0) }
        #expect(try store.read { try $0.all(Site.Numbered.self) } == expected)
        try AutomaticMigrationTests.expectSound(store)
    }
}
