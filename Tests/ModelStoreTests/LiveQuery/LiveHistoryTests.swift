import ModelStore
import TestSupport
import Testing

/// Random histories of writes under live queries, models and counts. After each write all of them equal a fresh read, and every
/// subscriber's diffs lead to that state, however slow the subscriber is.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LiveHistoryTests {
    static let requests: [FetchRequest<Sensor>] = [
        FetchRequest().order { $0.id.ascending },
        FetchRequest().order { $0.celsius.ascending },
        Sensor.where { $0.room == "r1" }.order { $0.id.ascending },
        Sensor.where { $0.room == "r2" }.order { $0.celsius.descending }.limit(3),
        Sensor.where { $0.celsius > 5 && $0.celsius <= 12 }.order { $0.room.ascending },
        Sensor.where { $0.id == "s3" },
        Sensor.where { $0.serial == "A-4" },
        Sensor.where { $0.id.in(["s1", "s5", "s9"]) }.order { $0.id.descending },
        FetchRequest().order { $0.celsius.descending }.limit(1),
        FetchRequest().order { [$0.floor.ascending, $0.celsius.descending] }.offset(2).limit(4),
        Sensor.where { $0.note == nil }.order { $0.celsius.ascending }.limit(5),
        Sensor.where { $0.note.contains("x") || $0.room == "r0" }.order { $0.note.ascending },
        Sensor.where { !($0.celsius < 10) }.order { $0.id.ascending }.offset(1),
    ]

    /// A subscriber of any speed, and the rows that its updates have produced.
    struct Follower {
        var updates: LiveUpdates<Sensor>.Iterator
        var rows: [Sensor] = []

        mutating func take(seed: UInt64) async throws {
            let update = try #require(try await updates.next())
            rows = update.changes.applied(to: rows, results: update.results)
            #expect(rows == Array(update.results), "seed \(seed)")
        }
    }

    @Test(arguments: 0..<UInt64(TestLength.runs(25, long: 3_000)))
    func `results, diffs, counts and models agree with fresh reads after each write`(seed: UInt64) async throws {
        var random = TransactionRandom(seed: seed)
        let store = try ModelTests.store(sensors: 0)
        try await store.write { tx in for number in 0..<6 { try tx.insert(ModelTests.sensor(number)) } }
        let queries = try Self.requests.map { try store.liveQuery($0) }
        var followers = queries.map { Follower(updates: $0.updates.makeAsyncIterator()) }
        for place in followers.indices { try await followers[place].take(seed: seed) }
        var models: [Model<Sensor>] = []
        for _ in 0..<60 {
            try await write(store, &random)
            if let model = try store.modelIfPresent(Sensor.self, id: "s\(Int.random(in: 0..<14, using: &random))") {
                models.append(model)
            }
            if models.count > 12 { models.removeFirst(6) }
            try check(store, queries, models, seed: seed)
            let place = Int.random(in: followers.indices, using: &random)
            let expected = try store.read { try $0.fetch(Self.requests[place]) }
            if followers[place].rows != expected { try await followers[place].take(seed: seed) }
            #expect(followers[place].rows == expected, "seed \(seed), request \(place)")
        }
        for place in followers.indices {
            let expected = try store.read { try $0.fetch(Self.requests[place]) }
            if followers[place].rows != expected { try await followers[place].take(seed: seed) }
            #expect(followers[place].rows == expected, "seed \(seed), request \(place)")
        }
    }

    private func check(
        _ store: Store, _ queries: [LiveQuery<Sensor>], _ models: [Model<Sensor>], seed: UInt64
    ) throws {
        try store.view { view in
            for (place, query) in queries.enumerated() {
                let shown = Array(try query.results)
                let fresh = try view.fetch(Self.requests[place])
                #expect(shown == fresh, "seed \(seed), request \(place)")
            }
            for model in models where !model.isDeleted {
                let stored = try view.get(Sensor.self, id: model.id)
                #expect(model.record == stored, "seed \(seed), model \(model.id)")
            }
        }
        for (place, query) in queries.enumerated() {
            let shown = Array(try query.results)
            let fresh = try store.read { try $0.fetch(Self.requests[place]) }
            #expect(shown == fresh, "seed \(seed), request \(place)")
        }
    }

    private func write(_ store: Store, _ random: inout TransactionRandom) async throws {
        let count = Int.random(in: 1...4, using: &random)
        let seed = random.next()
        try await store.write { tx in
            var random = TransactionRandom(seed: seed)
            for _ in 0..<count {
                let number = Int.random(in: 0..<14, using: &random)
                let id = "s\(number)"
                let isThere = try tx.contains(Sensor.self, id: id)
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<2: try tx.delete(Sensor.self, id: id)
                case 2 where isThere:
                    try tx.delete(Sensor.self, id: id)
                    try tx.insert(Self.sensor(number, &random))
                default:
                    if !isThere {
                        try tx.insert(Self.sensor(number, &random))
                    } else {
                        try tx.update(Sensor.self, id: id) { $0 = Self.changed($0, &random) }
                    }
                }
            }
        }
    }

    private static func sensor(_ number: Int, _ random: inout TransactionRandom) -> Sensor {
        let sensor = Sensor(id: "s\(number)", room: "r0", serial: "A-\(number)", celsius: 0)
        return changed(changed(sensor, &random), &random)
    }

    private static func changed(_ sensor: Sensor, _ random: inout TransactionRandom) -> Sensor {
        var sensor = sensor
        switch Int.random(in: 0..<5, using: &random) {
        case 0: sensor.room = "r\(Int.random(in: 0..<3, using: &random))"
        case 1: sensor.note = [nil, "x", "axb", "y"].randomElement(using: &random) ?? nil
        case 2: sensor.floor = Floor.allCases.randomElement(using: &random) ?? .ground
        default: sensor.celsius = Double(Int.random(in: 0..<16, using: &random))
        }
        return sensor
    }
}
