import Foundation
import ModelStore
import Testing

enum HeaterMode: String { case eco, boost }

@Embedded struct HeaterSpot: Equatable {
    var city: String
    var floor: Int?
}

@Record struct Heater: Equatable {
    @ID var id: Int
    @Indexed var room: String
    @Unique var serial: String
    var celsius: Double
    var target: Double = 20
    var note: String?
    @Indexed var mode: HeaterMode?
    var tags: [String] = []
    var spot: HeaterSpot
    var spare: HeaterSpot?
    var seen: Date = Date(timeIntervalSince1970: 0)
}

/// Fetch requests through the public interface: the forms that compile, and their results.
@Suite struct FetchTests {
    private static let heaters: [Heater] = [
        Heater(
            id: 1, room: "kitchen", serial: "A", celsius: 21.5, note: "Warm", mode: .eco, tags: ["x"],
            spot: HeaterSpot(city: "Köln", floor: 1)),
        Heater(
            id: 2, room: "kitchen", serial: "B", celsius: 30.5, mode: .boost, spot: HeaterSpot(city: "Bonn"),
            spare: HeaterSpot(city: "Ulm", floor: 3)),
        Heater(
            id: 3, room: "bath", serial: "C", celsius: 24, target: 24, note: "warm and dry", tags: ["x", "y"],
            spot: HeaterSpot(city: "Köln", floor: 2)),
        Heater(
            id: 4, room: "attic", serial: "D", celsius: -3, note: "", mode: .eco,
            spot: HeaterSpot(city: "Aachen", floor: 9)),
    ]

    private func ids(_ request: FetchRequest<Heater>) throws -> [Int] {
        let store = try Store.temporary(records: Heater.self)
        try store.write { tx in for heater in Self.heaters { try tx.insert(heater) } }
        return try store.read { tx in
            let found = try tx.fetch(request)
            var walked: [Heater] = []
            try tx.forEach(request) {
                walked.append($0)
                return true
            }
            let first = try tx.first(request)
            let (count, exists) = (try tx.count(request), try tx.exists(request))
            #expect(walked == found && first == found.first && count == found.count && exists == !found.isEmpty)
            return found.map(\.id)
        }
    }

    @Test func `conditions are written with the tokens of fields`() throws {
        #expect(try ids(Heater.where { $0.room == "kitchen" && $0.celsius > 30 }) == [2])
        #expect(
            try ids(Heater.where { $0.celsius >= 24 || !($0.room != "attic") }.order { $0.id.ascending }) == [2, 3, 4])
        #expect(try ids(Heater.where { $0.celsius > 21 && $0.celsius < 30 }.order { $0.celsius.descending }) == [3, 1])
        #expect(try ids(Heater.where { $0.celsius.in(-5...22) }.order { $0.id.descending }) == [4, 1])
        #expect(try ids(Heater.where { $0.room.in(["bath", "attic"]) }.order { $0.room.ascending }) == [4, 3])
        #expect(try ids(Heater.where { $0.celsius == $0.target }) == [3])
        #expect(try ids(Heater.where { $0.id == 3 }) == [3])
        #expect(try ids(Heater.where { $0.serial == "D" }) == [4])
    }

    @Test func `optionals, enums and nested fields are compared like others`() throws {
        #expect(try ids(Heater.where { $0.note == nil }) == [2])
        #expect(try ids(Heater.where { $0.note != nil }.order { $0.id.ascending }) == [1, 3, 4])
        #expect(try ids(Heater.where { $0.note == "Warm" }) == [1])
        #expect(try ids(Heater.where { $0.mode == .eco }.order { $0.id.ascending }) == [1, 4])
        #expect(try ids(Heater.where { $0.mode != .eco }.order { $0.id.ascending }) == [2, 3])
        #expect(try ids(Heater.where { $0.mode == nil }) == [3])
        #expect(try ids(Heater.where { $0.spot.city == "Köln" && $0.spot.floor > 1 }) == [3])
        #expect(try ids(Heater.where { $0.spot.floor == nil }) == [2])
    }

    @Test func `ranges may lack an end`() throws {
        #expect(try ids(Heater.where { $0.id.in(3...) }.order { $0.id.ascending }) == [3, 4])
        #expect(try ids(Heater.where { $0.id.in(...2) }.order { $0.id.ascending }) == [1, 2])
        #expect(try ids(Heater.where { $0.celsius.in(..<21.5) }) == [4])
        #expect(try ids(Heater.where { $0.spot.floor.in(2...) }.order { $0.id.ascending }) == [3, 4])
        #expect(try ids(Heater.where { $0.spot.floor.in(...1) }) == [1])
        #expect(try ids(Heater.where { $0.spot.floor.in(..<2) }) == [1])
    }

    @Test func `structs that may be missing are compared with nil`() throws {
        #expect(try ids(Heater.where { $0.spare == nil }.order { $0.id.ascending }) == [1, 3, 4])
        #expect(try ids(Heater.where { $0.spare != nil }) == [2])
        #expect(try ids(Heater.where { !($0.spare == nil) && $0.spare.city == "Ulm" }) == [2])
    }

    @Test func `texts and collections are looked into`() throws {
        #expect(try ids(Heater.where { $0.note.contains("arm") }.order { $0.id.ascending }) == [1, 3])
        #expect(
            try ids(Heater.where { $0.note.hasPrefix("WARM", .caseInsensitive) }.order { $0.id.ascending }) == [1, 3])
        #expect(
            try ids(
                Heater.where { $0.spot.city.contains("koln", [.caseInsensitive, .diacriticInsensitive]) }.order {
                    $0.id.ascending
                }) == [1, 3])
        #expect(try ids(Heater.where { $0.room.hasSuffix("ic") }) == [4])
        #expect(try ids(Heater.where { $0.tags.contains("y") }) == [3])
        #expect(try ids(Heater.where { $0.tags.isEmpty }.order { $0.id.ascending }) == [2, 4])
        #expect(try ids(Heater.where { $0.tags.count >= 1 }.order { $0.id.ascending }) == [1, 3])
    }

    @Test func `deep conditions are refused, and long chains take no more than their length`() throws {
        let nested = { (count: Int) in
            Heater.where { fields in
                (0..<count).reduce(fields.id == 1) { condition, number in
                    number.isMultiple(of: 2) ? condition && fields.id < 9 || fields.id == -1 : !condition
                }
            }
        }
        #expect(try ids(nested(40)).isEmpty == false)
        let failure = #expect(throws: StoreError.self) { try ids(nested(3_000)) }
        #expect(failure?.code == .tooLarge)
        #expect(try ids(Heater.where { !(!($0.id == 3)) }) == [3])
        #expect(
            try ids(
                Heater.where { f in (0..<2_000).reduce(f.id == 1) { $0 || f.id == $1 * 2 } }.order { $0.id.ascending })
                == [1, 2, 4])
        #expect(
            try ids(
                Heater.where { f in (0..<300).reduce(f.id > 1) { all, _ in all && f.id.in(Array(0..<300)) } }.limit(9)
            ).count == 3)
    }

    @Test func `fields of optional structs are nil where there is none`() throws {
        #expect(try ids(Heater.where { $0.spare.city == "Ulm" }) == [2])
        #expect(try ids(Heater.where { $0.spare.floor >= 3 }) == [2])
        #expect(try ids(Heater.where { $0.spare.city == nil }.order { $0.id.ascending }) == [1, 3, 4])
        #expect(try ids(Heater.order { $0.spare.floor.descending }.limit(1)) == [2])
    }

    @Test func `order, limit and offset`() throws {
        #expect(try ids(Heater.order { $0.celsius.ascending }) == [4, 1, 3, 2])
        let byRoom = FetchRequest(Heater.self).order { [$0.room.ascending, $0.celsius.descending] }
        #expect(try ids(byRoom) == [4, 3, 2, 1])
        #expect(try ids(byRoom.limit(2)) == [4, 3])
        #expect(try ids(byRoom.offset(1).limit(2)) == [3, 2])
        #expect(try ids(byRoom.limit(0)) == [])
        #expect(try ids(Heater.where { $0.id >= 2 }.order { $0.id.descending }) == [4, 3, 2])
        #expect(try ids(Heater.where { $0.room == "kitchen" }.order { $0.room.descending }) == [2, 1])
        #expect(try ids(Heater.where { $0.room == "kitchen" }.where { $0.celsius < 25 }) == [1])
    }

    @Test func `sums, means and extremes`() throws {
        let store = try Store.temporary(records: Heater.self)
        try store.write { tx in for heater in Self.heaters { try tx.insert(heater) } }
        try store.read { tx in
            let all = FetchRequest(Heater.self)
            let warm = Heater.where { $0.celsius > 20 }
            let nothing = Heater.where { $0.room == "cellar" }
            let sums = (try tx.sum(warm, \.id), try tx.sum(warm, \.celsius), try tx.sum(nothing, \.id))
            #expect(sums == (6, 76, 0))
            let means = (try tx.average(warm, \.id), try tx.average(all, \.celsius), try tx.average(nothing, \.celsius))
            #expect(means == (2, 18.25, nil))
            let extremes = (try tx.min(all, \.celsius), try tx.max(warm, \.room), try tx.min(nothing, \.id))
            #expect(extremes == (-3, "kitchen", nil))
            // Aggregates ignore nil.
            let notes = (
                try tx.min(all, \.note), try tx.max(all, \.note), try tx.max(Heater.where { $0.id == 2 }, \.note)
            )
            #expect(notes.0 == "" && notes.1 == "warm and dry" && notes.2 == nil)
            // A limit also applies to aggregates.
            let two = Heater.order { $0.id.ascending }.limit(2)
            let limited = (try tx.sum(two, \.celsius), try tx.max(two, \.celsius), try tx.min(two.offset(1), \.note))
            #expect(limited == (52, 30.5, "warm and dry"))
        }
        try store.write { tx in
            _ = try tx.insert(Heater(id: .max, room: "r", serial: "E", celsius: 0, spot: HeaterSpot(city: "c")))
        }
        let failure = #expect(throws: StoreError.self) {
            try store.read { try $0.sum(FetchRequest(Heater.self), \.id) }
        }
        #expect(failure?.code == .tooLarge)
    }

    @Test func `a write sees what it has written`() throws {
        let store = try Store.temporary(records: Heater.self)
        let found = try store.write { tx in
            for heater in Self.heaters { try tx.insert(heater) }
            try tx.delete(Heater.self, id: 1)
            return try tx.fetch(Heater.where { $0.room == "kitchen" }).map(\.id)
        }
        #expect(found == [2])
    }

    @Test func `an index is walked over what is asked for, and no further`() throws {
        let store = try Store.temporary(records: Heater.self)
        try store.write { tx in
            for id in 0..<2_000 {
                try tx.insert(
                    Heater(
                        id: id, room: "room \(id % 100)", serial: "\(id)", celsius: Double(id),
                        spot: HeaterSpot(city: "c")))
            }
        }
        let inRoom = Heater.where { $0.room == "room 7" }
        let plans = try store.read { tx in
            [
                try tx.explain(inRoom), try tx.explain(inRoom.order { $0.celsius.descending }.limit(3)),
                try tx.explain(Heater.where { $0.serial == "7" && $0.room == "room 7" }),
                try tx.explain(Heater.where { $0.id > 5 && $0.id <= 9 }.order { $0.id.descending }),
                try tx.explain(Heater.where { $0.celsius > 3 }),
                try tx.explain(Heater.order { $0.room.ascending }.limit(5)),
            ]
        }
        #expect(
            plans == [
                "look in the index on room by room: 20 entries",
                """
                look in the index on room by room: 20 entries
                sort the results for the order by celsius descending
                at most 3
                """,
                """
                look in the unique index on serial by serial: 1 entry
                test each record: serial == "7" && room == "room 7": perhaps 0 records
                """,
                """
                look in Heater by id: 4 entries
                walk backward for the order by id descending
                """,
                """
                walk all Heater in the order of ids: 2000 entries
                test each record: celsius > 3.0: perhaps 660 records
                """,
                """
                look in the index on room: 2000 entries
                walk forward for the order by room
                at most 5
                """,
            ])
    }

    @Test func `requests that look for one text in two spellings are two`() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let requests: [(String) -> FetchRequest<Heater>] = [
            { text in Heater.where { $0.room == text } },
            { text in Heater.where { $0.room.contains(text) } },
            { text in Heater.where { $0.room.in([text, "b"]) && $0.id > 1 } },
            { text in Heater.where { !($0.tags.contains(text) || $0.room.hasPrefix(text)) } },
        ]
        for request in requests {
            #expect(request(composed) == request(composed))
            #expect(request(composed) != request(decomposed))
            #expect(Set([request(composed), request(decomposed), request(composed)]).count == 2)
        }
    }
}
