import ModelStore
import Testing

@Record
@Index("station", "level")
struct Measurement: Equatable {
    @ID var id: Int
    @Indexed var station: Int
    @Indexed var level: Int
    @Indexed var kind: Int
    @Indexed var alarm: Int?
    var note: String
}

/// The plan of a request on 20,000 records, with its results and its cost.
@Suite struct PlanTests {
    private static let count = 20_000

    /// Returns a measurement: stations in rotation, levels scattered evenly, 30 kinds, and an alarm on every hundredth.
    private static func measurement(_ id: Int) -> Measurement {
        Measurement(
            id: id, station: id % 200, level: id * 7_919 % count, kind: id / 7 % 30, alarm: id % 100 == 0 ? id : nil,
            note: "note \(id % 10)")
    }

    private static func makeStore() throws -> Store {
        let store = try Store.temporary(records: Measurement.self)
        try store.write { tx in
            for id in 0..<count { try tx.insert(measurement(id)) }
        }
        return store
    }

    private struct Sample {
        let request: FetchRequest<Measurement>
        /// The plan with its actual numbers, then the first ten ids of its result.
        let expected: String
    }

    private static let samples: [Sample] = [
        Sample(
            request: Measurement.where { $0.station == 7 && $0.level == 13 },
            expected: """
                look in the index on station, level by station, level: 0 entries, looked at 0
                records read: 0, returned: 0
                ids:\u{20}
                """),
        Sample(
            request: Measurement.where { $0.level >= 400 }.order { $0.level.ascending }.limit(3),
            expected: """
                look in the index on level by level: about 20000 entries, looked at 3
                walk forward for the order by level
                at most 3
                records read: 3, returned: 3
                ids: 11600 9279 6958
                """),
        Sample(
            request: Measurement.where { $0.level >= 400 },
            expected: """
                walk all Measurement in the order of ids: 20000 entries, looked at 20000
                test each record: level >= 400: about 20000 records, 19600 of 20000 passed
                records read: 20000, returned: 19600
                ids: 1 2 3 4 5 6 7 8 9 10 …
                """),
        Sample(
            request: Measurement.order { $0.level.descending }.limit(4),
            expected: """
                look in the index on level: 20000 entries, looked at 4
                walk backward for the order by level descending
                at most 4
                records read: 4, returned: 4
                ids: 2321 4642 6963 9284
                """),
        Sample(
            request: Measurement.where { $0.note == "note 3" }.order { $0.level.descending }.limit(3),
            expected: """
                look in the index on level: 20000 entries, looked at 25
                test each record: note == "note 3": about 2700 records, 3 of 23 passed
                walk backward for the order by level descending
                at most 3
                records read: 23, returned: 3
                ids: 6963 10173 13383
                """),
        Sample(
            request: Measurement.where { $0.note == "none" }.order { $0.level.descending }.limit(3),
            expected: """
                look in the index on level: 20000 entries, looked at 20000
                test each record: note == "none": about 120 records, 0 of 20000 passed
                walk backward for the order by level descending
                at most 3
                records read: 20000, returned: 0
                ids:\u{20}
                """),
        Sample(
            request: Measurement.where { $0.kind == 3 && $0.level < 600 },
            expected: """
                take the records that all of these find
                  look in the index on level by level: about 670 entries, looked at 600
                  look in the index on kind by kind: about 1100 entries, looked at 672
                records read: 19, returned: 19
                ids: 442 1283 3801 6117 8635 9476 10317 11994 12835 13676 …
                """),
        Sample(
            request: Measurement.where { $0.alarm == 700 || $0.level == 5 || $0.id == 9 },
            expected: """
                take the records that any of these finds
                  look in the index on alarm by alarm: 1 entry, looked at 1
                  look in the index on level by level: 1 entry, looked at 1
                  look in Measurement by id: 1 entry, looked at 1
                records read: 3, returned: 3
                ids: 9 700 8395
                """),
        Sample(
            request: Measurement.where { $0.alarm != nil }.order { $0.alarm.ascending }.limit(2),
            expected: """
                look in the index on alarm by alarm: about 130 entries, looked at 2
                walk forward for the order by alarm
                at most 2
                records read: 2, returned: 2
                ids: 0 100
                """),
        Sample(
            request: Measurement.where { $0.id > 100 && $0.id <= 103 }.order { $0.id.descending },
            expected: """
                look in Measurement by id: 3 entries, looked at 3
                walk backward for the order by id descending
                records read: 3, returned: 3
                ids: 103 102 101
                """),
    ]

    @Test func `each request gets the plan that suits it`() throws {
        let store = try Self.makeStore()
        for sample in Self.samples {
            let found = try store.read { tx in
                let ids = try tx.fetch(sample.request).map { "\($0.id)" }
                let more = ids.count > 10 ? " …" : ""
                return try tx.explain(sample.request, analyzed: true)
                    + "\nids: \(ids.prefix(10).joined(separator: " "))\(more)"
            }
            #expect(found == sample.expected, "\(found)")
        }
    }
}
