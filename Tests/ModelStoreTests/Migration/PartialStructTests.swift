import Foundation
import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// Programs that know different parts of the structs in a record.
private enum Delivery {
    @Embedded
    struct Line: Hashable {
        var name: String
        var count: Int16
    }

    @Record("Delivery")
    struct Plain: Equatable {
        @ID var id: Int
        var lines: [Delivery.Line]
        var prices: [String: Delivery.Line] = [:]
        var first: Delivery.Line?
        @Indexed var numbers: [Int16] = []
    }

    @Embedded
    struct Box: Hashable {
        var line: Delivery.Line
        var size: Int = 0
    }

    /// A parcel without arrays of structs.
    @Record("Parcel")
    struct Parcel: Equatable {
        @ID var id: Int
        var prices: [String: Delivery.Line] = [:]
        var first: Delivery.Line?
        var boxes: [String: Delivery.Box?] = [:]
    }

    /// A line with an additional field after the existing ones.
    @Embedded
    struct NotedLine: Hashable {
        var name: String
        var count: Int16
        var note: String = "-"
        var weight: Double?
    }

    @Record("Delivery")
    struct Noted: Equatable {
        @ID var id: Int
        var lines: [Delivery.NotedLine]
        var prices: [String: Delivery.NotedLine] = [:]
        var first: Delivery.NotedLine?
        @Indexed var numbers: [Int16] = []
    }

    @Embedded
    struct NotedBox: Hashable {
        var line: Delivery.NotedLine
        var size: Int = 0
    }

    @Record("Parcel")
    struct NotedParcel: Equatable {
        @ID var id: Int
        var prices: [String: Delivery.NotedLine] = [:]
        var first: Delivery.NotedLine?
        var boxes: [String: Delivery.NotedBox?] = [:]
    }

    /// A line without its required name, and with a wider count under another name.
    @Embedded
    struct CountedLine: Hashable {
        @Renamed(from: "count") var amount: Int
        var note: String = "-"
    }

    @Record("Delivery")
    struct Counted: Equatable {
        @ID var id: Int
        var lines: [Delivery.CountedLine]
        var prices: [String: Delivery.CountedLine] = [:]
        var first: Delivery.CountedLine?
        @Indexed var numbers: [Int] = []
    }

    /// A line without its note.
    @Embedded
    struct ShortLine: Hashable {
        var name: String
        var count: Int16
    }

    @Record("Delivery")
    struct Short: Equatable {
        @ID var id: Int
        var lines: [Delivery.ShortLine]
        var prices: [String: Delivery.ShortLine] = [:]
        var first: Delivery.ShortLine?
        @Indexed var numbers: [Int16] = []
    }

    /// A line with all fields that ever existed.
    @Embedded
    struct WholeLine: Hashable {
        @Renamed(from: "count") var amount: Int
        var note: String = "-"
        var name: String?
        var weight: Double?
    }

    @Record("Delivery")
    struct Whole: Equatable {
        @ID var id: Int
        var lines: [Delivery.WholeLine]
        var prices: [String: Delivery.WholeLine] = [:]
        var first: Delivery.WholeLine?
        @Indexed var numbers: [Int] = []
    }
}

@Suite("Structs of which a program knows a part") struct PartialStructTests {
    private static let noted = Delivery.Noted(
        id: 1,
        lines: [.init(name: "a", count: 1, note: "na", weight: 1), .init(name: "b", count: 2, note: "nb", weight: 2)],
        prices: ["x": .init(name: "px", count: 3, note: "nx", weight: 3)],
        first: .init(name: "f", count: 4, note: "nf", weight: 4), numbers: [-1, 300])

    private static func store<R: Record>(_ directory: TestDirectory, _ record: R.Type) throws -> Store {
        try Store(at: directory.path, records: record)
    }

    @Test func `an older program goes on beside structs that got more fields behind theirs, and keeps these`() throws {
        let directory = try TestDirectory()
        try Self.store(directory, Delivery.Parcel.self).close()
        let newer = try Self.store(directory, Delivery.NotedParcel.self)
        let line = Delivery.NotedLine(name: "a", count: 1, note: "na", weight: 1)
        try newer.write { tx in
            try tx.insert(
                Delivery.NotedParcel(
                    id: 1, prices: ["x": line, "z": line], first: line,
                    boxes: ["b": .init(line: line, size: 1), "none": nil]))
            try tx.insert(Delivery.NotedParcel(id: 2, first: line))
        }
        #expect(newer.recordTypes[0].version == 2 && newer.recordTypes[0].oldestCompatibleVersion == 1)
        newer.close()

        let older = try Self.store(directory, Delivery.Parcel.self)
        #expect(older.recordTypes[0].version == 2)
        #expect(try older.read { try $0.get(Delivery.Parcel.self, id: 2) }?.first == .init(name: "a", count: 1))
        try older.write { tx in
            try tx.update(Delivery.Parcel.self, id: 1) { parcel in
                parcel.prices["x"]?.count = 30
                parcel.prices["y"] = .init(name: "py", count: 5)
                parcel.prices["z"] = nil
                parcel.first?.name = "g"
                parcel.boxes["b"]??.line.count = 9
                parcel.boxes["none"] = .init(line: .init(name: "new", count: 0))
            }
            try tx.upsert(Delivery.Parcel(id: 2, first: nil))
            try tx.insert(Delivery.Parcel(id: 3, first: .init(name: "h", count: 1)))
        }
        #expect(try older.read { try $0.fetch(Delivery.Parcel.where { $0.first.name == "g" }) }.map(\.id) == [1])
        older.close()

        let store = try Self.store(directory, Delivery.NotedParcel.self)
        func changed(_ name: String, _ count: Int16) -> Delivery.NotedLine {
            .init(name: name, count: count, note: "na", weight: 1)
        }
        let expected = [
            Delivery.NotedParcel(
                id: 1, prices: ["x": changed("a", 30), "y": .init(name: "py", count: 5)], first: changed("g", 1),
                boxes: [
                    "b": .init(line: changed("a", 9), size: 1), "none": .init(line: .init(name: "new", count: 0)),
                ]),
            Delivery.NotedParcel(id: 2), Delivery.NotedParcel(id: 3, first: .init(name: "h", count: 1)),
        ]
        #expect(try store.read { try $0.all(Delivery.NotedParcel.self) } == expected)
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `an older program is refused where elements of an array got more fields, which it could not keep`()
        throws
    {
        let directory = try TestDirectory()
        let older = try Self.store(directory, Delivery.Plain.self)
        try older.write { try $0.insert(Delivery.Plain(id: 1, lines: [.init(name: "a", count: 1)])) }
        older.close()
        let newer = try Self.store(directory, Delivery.Noted.self)
        #expect(newer.recordTypes[0].oldestCompatibleVersion == 2)
        newer.close()
        let error = #expect(throws: StoreError.self) { try Self.store(directory, Delivery.Plain.self) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("field lines[].note: string is only in the store") == true, "\(error as Any)")
        let again = try Self.store(directory, Delivery.Noted.self)
        #expect(again.recordTypes[0].version == 2)
        #expect(try again.read { try $0.get(Delivery.Noted.self, id: 1) }?.lines == [.init(name: "a", count: 1)])
    }

    @Test func `elements keep what a program has no more, changed in place or moved`() throws {
        let directory = try TestDirectory()
        let before = try Self.store(directory, Delivery.Noted.self)
        try before.write { try $0.insert(Self.noted) }
        before.close()
        let short = try Self.store(directory, Delivery.Short.self)
        #expect(short.recordTypes[0].version == 1)
        let holding = Delivery.Short.where { $0.lines.contains(Delivery.ShortLine(name: "b", count: 2)) }
        #expect(try short.read { try $0.fetch(holding) }.map(\.id) == [1])
        try short.write { tx in
            try tx.update(Delivery.Short.self, id: 1) { delivery in
                delivery.lines[1].count += 10
                delivery.lines.insert(.init(name: "new", count: 0), at: 0)
            }
        }
        short.close()
        let store = try Self.store(directory, Delivery.Noted.self)
        var expected = Self.noted
        expected.lines[1].count += 10
        expected.lines.insert(.init(name: "new", count: 0), at: 0)
        #expect(try store.read { try $0.all(Delivery.Noted.self) } == [expected])
        try AutomaticMigrationTests.expectSound(store)
    }

    @Test func `what a program's structs have no more stays in the store, for one that has it again`() throws {
        let directory = try TestDirectory()
        let before = try Self.store(directory, Delivery.Noted.self)
        let position = try before.write(returning: .position) { try $0.insert(Self.noted) }.position
        before.close()

        let counted = try Self.store(directory, Delivery.Counted.self)
        #expect(counted.recordTypes[0].oldestCompatibleVersion == 2)
        let seen = Delivery.Counted(
            id: 1, lines: [.init(amount: 1, note: "na"), .init(amount: 2, note: "nb")],
            prices: ["x": .init(amount: 3, note: "nx")], first: .init(amount: 4, note: "nf"), numbers: [-1, 300])
        #expect(try counted.read { try $0.all(Delivery.Counted.self) } == [seen])
        #expect(try counted.read(at: position) { try $0.all(Delivery.Counted.self) } == [seen])
        let big = Delivery.Counted.where { $0.lines.any { $0.amount > 1 } && $0.numbers.contains(300) }
        #expect(try counted.read { try $0.count(big) } == 1)
        try counted.write { tx in
            try tx.update(Delivery.Counted.self, id: 1) { delivery in
                delivery.lines.swapAt(0, 1)
                delivery.prices["x"]?.amount = 70_000
                delivery.numbers.append(70_000)
            }
        }
        #expect(
            try counted.read { try $0.explain(Delivery.Counted.where { $0.numbers.contains(70_000) }) }.contains(
                "index"))
        #expect(try counted.read { try $0.count(Delivery.Counted.where { $0.numbers.contains(70_000) }) } == 1)
        try AutomaticMigrationTests.expectSound(counted)
        counted.close()
        // The name may now be missing, but this program requires it.
        let error = #expect(throws: StoreError.self) { try Self.store(directory, Delivery.Noted.self) }
        #expect(error?.code == .schemaMismatch)

        let whole = try Self.store(directory, Delivery.Whole.self)
        let expected = Delivery.Whole(
            id: 1,
            lines: [
                .init(amount: 2, note: "nb", name: "b", weight: 2), .init(amount: 1, note: "na", name: "a", weight: 1),
            ],
            prices: ["x": .init(amount: 70_000, note: "nx", name: "px", weight: 3)],
            first: .init(amount: 4, note: "nf", name: "f", weight: 4), numbers: [-1, 300, 70_000])
        #expect(try whole.read { try $0.all(Delivery.Whole.self) } == [expected])
        try AutomaticMigrationTests.expectSound(whole)
    }

    @Test func `changes and pages are those of the declared part`() throws {
        let directory = try TestDirectory()
        try Self.store(directory, Delivery.NotedParcel.self).close()
        let store = try Self.store(directory, Delivery.Parcel.self)
        let ids = 0..<5
        let start = try store.write(returning: .position) { tx in
            for id in ids {
                try tx.insert(Delivery.Parcel(id: id, first: .init(name: "n\(9 - id)", count: 0)))
            }
        }.position
        let end = try store.write(returning: .position) {
            try $0.update(Delivery.Parcel.self, id: 2) { $0.first?.count = 7 }
        }.position
        let request = Delivery.Parcel.order { $0.first.name.ascending }
        let sorted = try store.read { try $0.fetch(request) }
        #expect(sorted.map(\.id) == ids.reversed())
        #expect(try store.read { try $0.fetch(request.after(sorted[1]).limit(2)) }.map(\.id) == [2, 1])
        let change = try #require(store.difference(from: start, to: end).changes(of: Delivery.Parcel.self).first)
        #expect(change.before?.first?.count == 0 && change.after?.first?.count == 7)
        #expect(change.changedFields.names == ["first"])
    }

    @Test func `change sets from before are told in the new form`() async throws {
        let directory = try TestDirectory()
        let before = try Self.store(directory, Delivery.Noted.self)
        let start = try before.position
        try await before.write { try $0.insert(Self.noted) }
        try await before.write { try $0.update(Delivery.Noted.self, id: 1) { $0.lines[0].count = 5 } }
        before.close()
        let store = try Self.store(directory, Delivery.Counted.self)
        var changes = store.changes(since: start).makeAsyncIterator()
        let inserted = try await changes.next()?.changes(of: Delivery.Counted.self).first
        #expect(inserted?.after?.lines == [.init(amount: 1, note: "na"), .init(amount: 2, note: "nb")])
        let updated = try await changes.next()?.changes(of: Delivery.Counted.self).first
        #expect(updated?.before?.lines.first == .init(amount: 1, note: "na"))
        #expect(updated?.after?.lines.first == .init(amount: 5, note: "na"))
        #expect(updated?.changedFields.names == ["lines"])
    }
}
