import Foundation
import ModelStore
import TestSupport
import Testing

/// Projections to fields that an index contains.
@Suite struct CoveredProjectionTests {
    /// Returns the name of one of a hundred rooms with ten sensors each. Some names are too long for an index.
    private static func room(_ number: Int) -> String {
        let name = "room \(number % 100)"
        return number % 100 < 3 ? name + String(repeating: "x", count: 300) : name
    }

    private static func filled() throws -> Store {
        let store = try Store.temporary(records: Sensor.self)
        _ = try store.write { tx in
            for number in 0..<1_000 {
                try tx.insert(
                    Sensor(id: "s\(number)", room: room(number), serial: "\(number)", celsius: Double(number)))
            }
        }
        return store
    }

    @Test func `rows come from the index without a look at the records`() throws {
        let store = try Self.filled()
        let request = Sensor.where { $0.room >= "room 5" && $0.room < "room 6" }.order { $0.room.descending }
        let projection = request.fields { ($0.id, $0.room) }
        try store.read { tx in
            let rows = try tx.fetch(projection)
            let whole = try tx.fetch(request)
            #expect(rows.map(\.0) == whole.map(\.id) && rows.map(\.1) == whole.map(\.room))
            #expect(rows.count == 110)
            let plan = try tx.explain(projection, analyzed: true)
            #expect(plan.contains("read the fields from the index, without the records"), "\(plan)")
            #expect(plan.contains("records read: 0, returned: 110"), "\(plan)")
            let single = try tx.fetch(Sensor.where { $0.serial == "77" }.fields { $0.serial })
            #expect(single == ["77"])
        }
    }

    @Test func `long values, and fields that the index lacks, come from the records`() throws {
        let store = try Self.filled()
        for number in 0..<6 {
            let room = Self.room(number)
            let request = Sensor.where { $0.room == room }.order { $0.id.ascending }
            try store.read { tx in
                let whole = try tx.fetch(request)
                let covered = try tx.fetch(request.fields { ($0.room, $0.id) })
                #expect(covered.map(\.0) == whole.map(\.room) && covered.map(\.1) == whole.map(\.id))
                let more = try tx.fetch(request.fields { ($0.celsius, $0.id) })
                #expect(more.map(\.0) == whole.map(\.celsius) && more.map(\.1) == whole.map(\.id))
                #expect(whole.count == 10)
            }
        }
    }

    @Test func `what a write closure has changed is seen`() throws {
        let store = try Self.filled()
        let rows = try store.write { tx in
            try tx.update(Sensor.self, id: "s50") { $0.room = "room 50b" }
            try tx.delete(Sensor.self, id: "s150")
            return try tx.fetch(
                Sensor.where { $0.room.hasPrefix("room 50") }.order { $0.room.ascending }.fields { $0.room })
        }
        #expect(rows == Array(repeating: "room 50", count: 8) + ["room 50b"])
    }

    @Test func `long values come whole also where a range of the index is walked`() throws {
        let store = try Self.filled()
        let request = Sensor.where { $0.room >= "" }
        try store.read { tx in
            let whole = try tx.fetch(request)
            let covered = try tx.fetch(request.fields { ($0.room, $0.id) })
            let rooms = Dictionary(uniqueKeysWithValues: covered.map { ($0.1, $0.0) })
            #expect(rooms == Dictionary(uniqueKeysWithValues: whole.map { ($0.id, $0.room) }))
        }
    }
}

/// A record with a field of each kind that an index key can contain, and an index over all of them.
@Record
@Index("text", "tiny", "small", "medium", "large", "counted", "flag", "number", "single", "note", "spare", "key", "day")
struct Gem: Equatable {
    @ID var id: Int16
    var text: String
    var tiny: Int8
    var small: Int16
    var medium: Int32
    var large: Int
    var counted: UInt64
    var flag: Bool
    var number: Double
    var single: Float
    var note: String?
    var spare: Int?
    var key: UUID
    var day: Date
    /// This field is not part of the index.
    var weight: Int = 0
}

/// The values that an index over many kinds of fields returns, compared with the records.
@Suite struct CoveredKindsTests {
    private static func gem(_ id: Int16, _ random: inout TestRandom) -> Gem {
        let texts = ["", "\u{0}", "a\u{0}b", "\u{0}\u{FF}", "ü", "opal"]
        let numbers = [0.0, -0.0, .infinity, -.infinity, .nan, 1.5, -1.5, .leastNonzeroMagnitude]
        let words = [.min, -1, 0, 1, .max, Int(truncatingIfNeeded: random.next())]
        func word() -> Int { words.randomElement(using: &random) ?? 0 }
        return Gem(
            id: id, text: texts.randomElement(using: &random) ?? "", tiny: Int8(truncatingIfNeeded: word()),
            small: Int16(truncatingIfNeeded: word()), medium: Int32(truncatingIfNeeded: word()), large: word(),
            counted: UInt64(bitPattern: Int64(word())), flag: Bool.random(using: &random),
            number: numbers.randomElement(using: &random) ?? 0,
            single: Float(numbers.randomElement(using: &random) ?? 0),
            note: Bool.random(using: &random) ? nil : texts.randomElement(using: &random),
            spare: Bool.random(using: &random) ? nil : word(), key: UUID(),
            day: Date(timeIntervalSinceReferenceDate: Double(Int8(truncatingIfNeeded: word()))))
    }

    @Test(arguments: 0..<TestLength.runs(4, long: 200))
    func `every kind of field comes as the record has it`(seed: Int) throws {
        var random = TestRandom(seed: UInt64(seed) &* 7_331 &+ 1)
        let gems = (0..<200).map { Self.gem(Int16($0 - 100), &random) }
        let store = try Store.temporary(records: Gem.self)
        try store.write { tx in for gem in gems { try tx.insert(gem) } }
        // Without an order: the index provides one only if all of its fields are named.
        let request = Gem.where { $0.text >= "" }
        try store.read { tx in
            let numbers = try tx.fetch(request.fields { ($0.id, $0.tiny, $0.small, $0.medium, $0.large, $0.counted) })
                .sorted { $0.0 < $1.0 }
            #expect(numbers.map(\.0) == gems.map(\.id) && numbers.map(\.1) == gems.map(\.tiny))
            #expect(numbers.map(\.2) == gems.map(\.small) && numbers.map(\.3) == gems.map(\.medium))
            #expect(numbers.map(\.4) == gems.map(\.large) && numbers.map(\.5) == gems.map(\.counted))
            let others = try tx.fetch(request.fields { ($0.id, $0.text, $0.flag, $0.note, $0.spare, $0.key, $0.day) })
                .sorted { $0.0 < $1.0 }
            #expect(others.map(\.1) == gems.map(\.text) && others.map(\.2) == gems.map(\.flag))
            #expect(others.map(\.3) == gems.map(\.note) && others.map(\.4) == gems.map(\.spare))
            #expect(others.map(\.5) == gems.map(\.key) && others.map(\.6) == gems.map(\.day))
            // Compared by bits, because a NaN equals nothing and the two zeros are equal.
            let floats = try tx.fetch(request.fields { ($0.number, $0.id, $0.single) }).sorted { $0.1 < $1.1 }
            #expect(floats.map(\.0.bitPattern) == gems.map(\.number.bitPattern))
            #expect(floats.map(\.2.bitPattern) == gems.map(\.single.bitPattern))
            // The last part of the index and the id, without the parts between them.
            let ends = try tx.fetch(request.fields { ($0.day, $0.id) }).sorted { $0.1 < $1.1 }
            #expect(ends.map(\.0) == gems.map(\.day) && ends.map(\.1) == gems.map(\.id))
            let plan = try tx.explain(request.fields { ($0.day, $0.id) })
            #expect(plan.contains("from the index, without the records"), "\(plan)")
            #expect(try tx.fetch(request.fields { $0.weight }) == gems.map(\.weight))
            // Aggregates also read their values from the index.
            #expect(try tx.max(request, \.large) == gems.map(\.large).max())
            #expect(try tx.min(request, \.day) == gems.map(\.day).min())
        }
    }

    @Test func `a program that declares the fields in another order gets its own`() throws {
        let directory = try TestDirectory()
        let first = try Store(at: directory.path, records: EarlierRing.self)
        try first.write { tx in
            for id in 0..<50 { try tx.insert(EarlierRing(id: id, name: "ring \(id % 7)", size: id * 3)) }
        }
        first.close()
        let second = try Store(at: directory.path, records: LaterRing.self)
        defer { second.close() }
        let request = LaterRing.where { $0.name >= "ring 2" }.order { $0.name.ascending }
        try second.read { tx in
            let whole = try tx.fetch(request)
            let rows = try tx.fetch(request.fields { ($0.id, $0.name) })
            #expect(rows.map(\.0) == whole.map(\.id) && rows.map(\.1) == whole.map(\.name))
            #expect(try tx.fetch(request.fields(as: RingName.self)) == whole.map { RingName(name: $0.name, id: $0.id) })
            #expect(try tx.explain(request.fields(as: RingName.self)).contains("from the index, without the records"))
            #expect(try tx.fetch(request.fields { ($0.stones, $0.name) }).allSatisfy { $0.0 == 4 })
            #expect(!whole.isEmpty)
        }
    }
}

@Record("Ring") struct EarlierRing: Equatable {
    @ID var id: Int
    @Indexed var name: String
    var size: Int
}

@Record("Ring") struct LaterRing: Equatable {
    var stones: Int = 4
    @Indexed var name: String
    @ID var id: Int
    var size: Int
}

@Embedded struct RingName: Equatable {
    var name: String
    var id: Int
}
