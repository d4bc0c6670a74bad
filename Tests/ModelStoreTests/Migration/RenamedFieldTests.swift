import ModelStore
import StoreEngine
import StoreRuntime
import Testing

/// Two programs that use one store. The first knows the fields by their earlier names.
private enum Earlier {
    @Record("Hall") struct Hall: Equatable {
        @ID var id: Int
        @Indexed var name: String
    }

    @Record("Probe") struct Probe: Equatable {
        @ID var id: Int
        var room: Reference<Earlier.Hall>
        var doors: [Reference<Earlier.Hall>]
        @Indexed var kind: String
        @Indexed var marks: [String]
    }
}

private enum Later {
    @Record("Hall") struct Hall: Equatable {
        @ID @Renamed(from: "id") var number: Int
        @Renamed(from: "name") @Indexed var title: String
    }

    @Record("Probe") struct Probe: Equatable {
        @ID var id: Int
        @Renamed(from: "room") var place: Reference<Later.Hall>
        @Renamed(from: "doors") var exits: [Reference<Later.Hall>]
        var level: Int = 3
        @Renamed(from: "kind") @Indexed var sort: String
        @Renamed(from: "marks") @Indexed var labels: [String]
        var note: String = "none"
    }
}

@Suite("Programs that know fields by earlier names") struct RenamedFieldTests {
    private typealias Hall = Earlier.Hall
    private typealias Probe = Earlier.Probe

    private let directory: TestDirectory
    private let store: Store

    /// Creates a store, opens it once with the later program, and then opens it with the earlier one.
    init() throws {
        directory = try TestDirectory()
        let first = try Store(at: directory.path, records: Hall.self, Probe.self)
        try first.write { tx in
            for id in 0..<100 { try tx.insert(Hall(id: id, name: "hall \(id)")) }
            for id in 0..<2_000 {
                try tx.insert(
                    Probe(
                        id: id, room: Reference(id % 100), doors: [Reference(id % 50)], kind: "kind \(id % 200)",
                        marks: ["mark \(id % 400)"]))
            }
        }
        first.close()
        try Store(at: directory.path, records: Later.Hall.self, Later.Probe.self).close()
        store = try Store(at: directory.path, records: Hall.self, Probe.self)
        try #require(store.read { $0._reading.catalog.types[1].type.fieldIndex(named: "sort") } != nil)
    }

    /// Returns the ids that a request finds, and the number of records or entries that it reads.
    private func run(_ request: FetchRequest<Probe>) throws -> (ids: [Int], scanned: Int) {
        try store.read { tx in
            let type = try tx._reading.catalog.requireTypeIndex(named: "Probe")
            let scanned = try tx._reading.fetchDynamic(request.request, typeIndex: type) { _ in true }
            return (try tx.fetch(request).map(\.id).sorted(), scanned)
        }
    }

    private func ids(_ step: Int, from start: Int) -> [Int] { Array(stride(from: start, to: 2_000, by: step)) }

    @Test func `requests are answered by the indexes on fields that have new names`() throws {
        #expect(try run(Probe.where { $0.kind == "kind 7" }) == (ids(200, from: 7), 10))
        #expect(try run(Probe.where { $0.kind == "kind 7" && $0.id == 207 }).ids == [207])
        #expect(try run(Probe.where { $0.kind.in(["kind 7", "kind 9"]) }).scanned == 20)
        #expect(try run(Probe.where { $0.kind.hasPrefix("kind 19") }).scanned == 110)
        #expect(try run(Probe.where { $0.marks.contains("mark 11") }) == (ids(400, from: 11), 5))
        #expect(try run(Probe.order { $0.kind.ascending }.limit(5)).scanned == 5)
        #expect(try run(Probe.where { $0.room == 4 }) == (ids(100, from: 4), 20))
        let counted = try store.read { tx in
            let type = try tx._reading.catalog.requireTypeIndex(named: "Probe")
            return try tx._reading.counted(Probe.where { $0.kind.hasPrefix("kind 19") }.request, typeIndex: type)
        }
        #expect(counted.returned == 110 && counted.fetched == 0)
    }

    @Test func `conditions and orders go through references that have new names`() throws {
        // The request reads the room, then its probes.
        #expect(try run(Probe.where { $0.room.name == "hall 4" }) == (ids(100, from: 4), 21))
        #expect(try run(Probe.where { $0.room.id == 4 }) == (ids(100, from: 4), 20))
        let last = try store.read { try $0.fetch(Probe.order { $0.room.name.descending }.limit(3)) }
        #expect(last.map(\.room.id) == [99, 99, 99])
    }

    @Test func `inverses are found by references that have new names`() throws {
        let probes = Inverse<Hall, Probe>(\.room)
        let entries = Inverse<Hall, Probe>(\.doors)
        try store.read { tx in
            #expect(try tx.fetch(probes, of: 4).map(\.id) == ids(100, from: 4))
            #expect(try tx.fetch(entries, of: 4).map(\.id) == ids(50, from: 4))
            let halls = Hall.where { $0.name.in(["hall 4", "hall 5"]) }.order { $0.id.ascending }
            let pairs = try tx.fetch(halls, with: probes)
            #expect(pairs.map { $0.1.map(\.id) } == [ids(100, from: 4), ids(100, from: 5)])
            let doors = try tx.fetch(halls, with: entries)
            #expect(doors.map { $0.1.map(\.id) } == [ids(50, from: 4), ids(50, from: 5)])
            let prefetched = try tx.fetch(Probe.where { $0.id == 104 }, with: \.room)
            #expect(prefetched.map { $0.1?.name } == ["hall 4"])
        }
    }

    @Test func `live results follow a condition through a reference that has a new name`() async throws {
        let query = try store.liveQuery(Probe.where { $0.room.name == "new" })
        #expect(try query.results.isEmpty)
        try await store.write { try $0.update(Hall.self, id: 7) { $0.name = "new" } }
        #expect(try query.results.map(\.id) == ids(100, from: 7))
    }

    @Test func `what comes behind a record is found, whatever fields the program does not know`() throws {
        try store.read { tx in
            let first = try #require(try tx.get(Probe.self, id: 207))
            #expect(try tx.fetch(Probe.order { $0.kind.ascending }.after(first).limit(1)).map(\.id) == [407])
            #expect(try tx.fetch(FetchRequest(Probe.self).after(first).limit(2)).map(\.id) == [208, 209])
            let byRoom = Probe.order { $0.room.descending }.order { $0.id.descending }
            #expect(try tx.fetch(byRoom.after(first).limit(1)).map(\.id) == [107])
        }
    }
}
