import LMDB
import StoreEngine
import StoreRuntime
import Testing

/// The samples from which the planner estimates row counts.
@Suite struct StatisticsTests {
    private static func sensor(_ number: Int) -> Sensor {
        Sensor(
            id: "s\(number)", room: "room \(number % 50)", serial: "\(number)", celsius: Double(number % 7),
            floor: Floor.allCases[number % 3])
    }

    private static func fill(_ store: Store, _ numbers: Range<Int>) throws {
        try store.write { tx in
            for number in numbers { try tx.insert(sensor(number)) }
        }
    }

    private func sample(_ store: Store, of name: String = "Sensor") throws -> SampleState? {
        let type = try store.typeIndex(named: name)
        return try store.read { tx in
            let reading = tx._reading
            guard let database = reading.state.databases.statistics else { return nil }
            return try RecordSample.state(of: reading.catalog.types[type].type.id, database, reading.snapshot)
        }
    }

    private func explain(_ store: Store, _ request: FetchRequest<Sensor>) throws -> String {
        try store.read { tx in try tx.explain(request) }
    }

    @Test func `a sample stays small however many records there are, and holds what it should`() throws {
        let store = try Store.temporary(records: Sensor.self)
        #expect(try sample(store)?.count == 0)
        try Self.fill(store, 0..<2_000)
        let early = try #require(try sample(store))
        #expect(early.level == SampleState.firstLevel && (60...200).contains(early.count))
        try Self.fill(store, 2_000..<30_000)
        let late = try #require(try sample(store))
        #expect(late.level > SampleState.firstLevel && (128...SampleState.maximumCount).contains(late.count))
        #expect(try store.findings() == [])
        try store.write { tx in
            for number in 0..<29_000 { try tx.delete(Sensor.self, id: "s\(number)") }
            for number in 29_000..<29_500 { try tx.update(Sensor.self, id: "s\(number)") { $0.room = "moved" } }
        }
        #expect(try sample(store)?.level == late.level)
        #expect(try #require(try sample(store)).count < late.count)
        #expect(try store.findings() == [])
    }

    @Test func `what a write undoes is undone in the sample`() throws {
        struct Stop: Error {}
        let store = try Store.temporary(records: Sensor.self)
        try Self.fill(store, 0..<500)
        let before = try sample(store)
        #expect(throws: Stop.self) {
            try store.write { tx in
                for number in 500..<20_000 { try tx.insert(Self.sensor(number)) }
                throw Stop()
            }
        }
        #expect(try sample(store) == before)
        try store.write { tx in
            for number in 0..<500 {
                // The store refuses the insert and undoes it completely.
                let taken = Sensor(id: "t\(number)", room: "a", serial: "\(number)")
                #expect(throws: StoreError.self) { try tx.insert(taken) }
            }
        }
        #expect(try sample(store) == before)
        #expect(try store.findings() == [])
    }

    @Test func `estimates are near the truth`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try Self.fill(store, 0..<30_000)
        let few = try explain(store, Sensor.where { $0.room.hasPrefix("room 7") })
        // 600 of 30,000 records match.
        let number = try #require(Int(few.split(separator: " ").dropLast().last ?? ""))
        #expect((200...1_800).contains(number), "\(few)")
        #expect(few.contains("about"))
        #expect(try explain(store, Sensor.where { $0.serial.in(["1", "2", "x"]) }).contains("3 ranges: 2 entries"))
        let most = try explain(store, Sensor.where { $0.room >= "room 2" })
        #expect(most.hasPrefix("walk all Sensor"), "\(most)")
    }

    @Test func `a store made before there were statistics works, and gets them when it is opened for writing`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        try Self.fill(store, 0..<2_000)
        let sampled = try sample(store)
        store.close()
        try folder.tamper { raw in
            if let database = try raw.openDatabase(named: StoreDatabases.statisticsName, create: false) {
                try raw.drop(database)
            }
            // The head names this transaction, as if the library had written it.
            let databases = try #require(try StoreFormat.openDatabases(raw.snapshot))
            #expect(databases.statistics == nil)
            var head = try StoreFormat.head(databases, raw.snapshot)
            head.transactionID = UInt64(raw.snapshot.transactionID)
            try StoreFormat.writeHead(head, databases, &raw)
        }
        #expect(try folder.findings() == [])
        var options = StoreOptions()
        options.isReadOnly = true
        let readOnly = try Store(at: folder.path, records: Sensor.self, options: options)
        let inRoom = Sensor.where { $0.room == "room 7" }
        #expect(try readOnly.read { tx in try tx.fetch(inRoom).count } == 40)
        #expect(try explain(readOnly, inRoom) == "look in the index on room by room: perhaps 32 entries")
        readOnly.close()
        let again = try Store(at: folder.path, records: Sensor.self)
        #expect(try sample(again) == sampled)
        #expect(try again.findings() == [])
        try Self.fill(again, 2_000..<3_000)
        #expect(try again.findings() == [])
    }

    @Test func `an index that goes leaves the sample, and one that is built joins it`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        try Self.fill(store, 0..<2_000)
        let type = try store.read { tx in tx._reading.catalog.types[0].type }
        store.close()
        try folder.tamper { raw in
            let name = StoreDatabases.statisticsName
            let whole = try raw.snapshot.entries(of: name)
            let database = try #require(try raw.openDatabase(named: name, create: false))
            let records = try #require(
                try raw.openDatabase(named: StoreDatabases.recordsName(type: type.id), create: false))
            func opened(_ type: RecordType) throws -> OpenType {
                // The builder does not read the indexes' own databases.
                try OpenType(
                    type, database: records, indexDatabases: type.indexes.map { _ in records }, keyHash: .publicSeeds)
            }
            var smaller = type
            smaller.indexes.removeFirst()
            try SampleBuilder.refresh(opened(smaller), database, in: &raw)
            #expect(try raw.snapshot.entries(of: name).count < whole.count)
            try SampleBuilder.refresh(opened(type), database, in: &raw)
            #expect(try raw.snapshot.entries(of: name) == whole)
            try SampleBuilder.rebuild(opened(type), database, in: &raw)
            #expect(try raw.snapshot.entries(of: name) == whole)
        }
    }
}
