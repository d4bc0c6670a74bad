import ModelStore
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// Live queries: results that follow each commit and are delivered as scoped updates.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LiveQueryTests {
    static func sensor(_ number: Int, celsius: Double = 20, room: String = "hall") -> Sensor {
        ModelTests.sensor(number, celsius: celsius, room: room)
    }

    static let hot = Sensor.where { $0.celsius > 30 }.order { $0.celsius.descending }

    @Test func `the results come first, then each insert, update, move and delete`() async throws {
        let store = try ModelTests.store(sensors: 3)
        var updates = store.updates(of: Self.hot).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.results.isEmpty && first.changes.isReset)

        let written = try await store.write(returning: .position) { tx in
            try tx.update(Sensor.self, id: "s0") { $0.celsius = 40 }
            try tx.update(Sensor.self, id: "s1") { $0.celsius = 35 }
        }
        let second = try #require(try await updates.next())
        #expect(second.results.map(\.id) == ["s0", "s1"])
        #expect(second.changes.inserts.map(\.index) == [0, 1] && second.changes.deletes.isEmpty)
        #expect(second.position == written.position)

        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.note = "here" } }
        let third = try #require(try await updates.next())
        #expect(third.changes.updates.map(\.changedFields.names) == [["note"]] && third.changes.moves.isEmpty)

        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 50 } }
        let fourth = try #require(try await updates.next())
        #expect(fourth.results.map(\.id) == ["s1", "s0"])
        #expect(fourth.changes.moves.count == 1 && fourth.changes.updates.map(\.new.celsius) == [50])

        try await store.write { tx in
            try tx.delete(Sensor.self, id: "s0")
            try tx.update(Sensor.self, id: "s1") { $0.celsius = 1 }
        }
        let fifth = try #require(try await updates.next())
        #expect(fifth.results.isEmpty && fifth.changes.deletes.map(\.record.id) == ["s1", "s0"])
    }

    @Test func `updates that a slow subscriber has not taken merge into one`() async throws {
        let store = try ModelTests.store(sensors: 5)
        var updates = store.updates(of: Sensor.order { $0.celsius.ascending }).makeAsyncIterator()
        var rows = Array(try #require(try await updates.next()).results)
        for step in 0..<50 {
            try await store.write { try $0.update(Sensor.self, id: "s\(step % 5)") { $0.celsius = Double(step) } }
        }
        try await store.write { try $0.insert(Self.sensor(9, celsius: 7)) }
        try await store.write { try $0.delete(Sensor.self, id: "s2") }
        try await store.write { try $0.insert(Self.sensor(10)) }
        try await store.write { try $0.delete(Sensor.self, id: "s10") }
        let update = try #require(try await updates.next())
        rows = update.changes.applied(to: rows, results: update.results)
        #expect(rows == Array(update.results))
        #expect(rows == (try store.read { try $0.fetch(Sensor.order { $0.celsius.ascending }) }))
        #expect(update.changes.inserts.map(\.record.id) == ["s9"])
    }

    @Test func `commits that do not concern a request cost it nothing`() async throws {
        let store = try ModelTests.store(sensors: 100)
        let kitchen = try store.liveQuery(Sensor.where { $0.room == "kitchen" })
        let point = try store.liveQuery(Sensor.where { $0.id == "s1" })
        var updates = kitchen.updates.makeAsyncIterator()
        _ = try await updates.next()
        let before = store.liveQueryCounters
        for step in 0..<20 {
            try await store.write { try $0.update(Sensor.self, id: "s50") { $0.celsius = Double(step) } }
        }
        #expect(store.liveQueryCounters.visited == before.visited)
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.room = "kitchen" } }
        #expect(store.liveQueryCounters.visited == before.visited + 2)
        #expect(try await updates.next()?.results.map(\.id) == ["s1"])
        #expect(try point.results.map(\.room) == ["kitchen"])
        #expect(kitchen.explanation.contains("room") && point.explanation.contains("id"))
    }

    @Test func `an update of other fields than those asked for is not told`() async throws {
        let store = try ModelTests.store(sensors: 2)
        var updates = store.updates(of: Sensor.where { $0.room == "hall" }, fields: \.celsius).makeAsyncIterator()
        _ = try await updates.next()
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "x" } }
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 3 } }
        let update = try #require(try await updates.next())
        #expect(update.changes.updates.map(\.new.id) == ["s1"])
    }

    @Test func `a request for what is not a number is kept up to date, shared and let go as any other`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let broken = Sensor.where { $0.celsius == .nan }
        do {
            let query = try store.liveQuery(broken)
            let other = try store.liveQuery(broken)
            #expect(store.liveQueryCount == 1)
            try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = .nan } }
            #expect(try query.results.map(\.id) == ["s1"])
            #expect(try other.results.map(\.id) == ["s1"])
        }
        #expect(store.liveQueryCount == 0)
    }

    @Test func `equal requests share one result, and the last subscriber's end lets it go`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let first = try store.liveQuery(Self.hot)
        let second = try store.liveQuery(Self.hot)
        #expect(store.liveQueryCount == 1)
        let third = try store.liveQuery(Self.hot.limit(3))
        #expect(store.liveQueryCount == 2)
        withExtendedLifetime((first, second, third)) {}
        let task = Task { for try await _ in store.updates(of: Sensor.where { $0.room == "x" }) {} }
        while store.liveQueryCount != 3 { try await nextTurn() }
        task.cancel()
        try await task.value
        while store.liveQueryCount != 2 { try await nextTurn() }
    }

    @Test func `a query that is given another request tells the difference from the old results`() async throws {
        let store = try ModelTests.store(sensors: 0)
        try await store.write { tx in
            for number in 0..<40 {
                try tx.insert(Self.sensor(number, celsius: Double(number * 7 % 40), room: number % 3 == 0 ? "a" : "b"))
            }
        }
        let query = try store.liveQuery(Sensor.where { $0.celsius > 10 }.order { $0.celsius.ascending })
        var updates = query.updates.makeAsyncIterator()
        var rows = Array(try #require(try await updates.next()).results)
        let requests: [FetchRequest<Sensor>] = [
            Sensor.where { $0.celsius > 20 }.order { $0.celsius.ascending },
            Sensor.where { $0.celsius > 20 }.order { $0.celsius.descending },
            Sensor.where { $0.room == "a" }.order { $0.serial.ascending }.limit(5),
            Sensor.order { $0.room.ascending },
            Sensor.where { $0.celsius < 15 },
            FetchRequest(Sensor.self).order { [$0.room.descending, $0.celsius.ascending] }.offset(3).limit(20),
        ]
        for (number, request) in requests.enumerated() {
            try query.reconfigure(to: request)
            try await store.write { try $0.update(Sensor.self, id: "s7") { $0.celsius = Double(12 + number) } }
            // The reconfiguration and the write may arrive as one update.
            let expected = try store.read { try $0.fetch(number == 4 ? request.order { $0.id.ascending } : request) }
            while rows != expected {
                let update = try #require(try await updates.next())
                rows = update.changes.applied(to: rows, results: update.results)
                #expect(rows == Array(update.results))
            }
            #expect(Array(try query.results) == expected)
        }
    }

    @Record struct Gauge: Equatable {
        @ID var id: String
        var level: UInt8 = 0
    }

    @Test func `a difference between two orders names the right records, whatever their ids are`() async throws {
        let store = try Store.temporary(records: Gauge.self)
        try await store.write { tx in
            // The sort key of the first gauge by level and id equals that of the second by id alone, because 97 is the letter a.
            try tx.insert(Gauge(id: "bc", level: 97))
            try tx.insert(Gauge(id: "abc", level: 200))
        }
        let query = try store.liveQuery(Gauge.order { $0.level.ascending })
        var updates = query.updates.makeAsyncIterator()
        #expect(try await updates.next()?.results.map(\.id) == ["bc", "abc"])
        try query.reconfigure(to: FetchRequest(Gauge.self))
        let update = try #require(try await updates.next())
        #expect(update.results.map(\.id) == ["abc", "bc"])
        #expect(update.changes.updates.isEmpty && update.changes.deletes.isEmpty && update.changes.inserts.isEmpty)
        #expect(update.changes.moves.count == 1)
    }

    @Test func `more changes than rows are a reset, whose rows lead on`() async throws {
        let store = try ModelTests.store(sensors: 30)
        var updates = store.updates(of: Sensor.order { $0.id.ascending }).makeAsyncIterator()
        _ = try await updates.next()
        try await store.write { tx in for number in 0..<25 { try tx.delete(Sensor.self, id: "s\(number)") } }
        let reset = try #require(try await updates.next())
        #expect(reset.changes.isReset && reset.changes.deletes.isEmpty && reset.results.count == 5)
        try await store.write { try $0.delete(Sensor.self, id: "s29") }
        #expect(try await updates.next()?.changes.deletes.map(\.record.id) == ["s29"])
    }

    @Test func `a count follows without holding records, and existence with it`() async throws {
        let store = try ModelTests.store(sensors: 3)
        var counts = store.counts(of: Self.hot).makeAsyncIterator()
        var existence = store.existence(of: Self.hot).makeAsyncIterator()
        #expect(try await counts.next()?.value == 0)
        #expect(try await existence.next()?.value == false)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 31 } }
        #expect(try await counts.next()?.value == 1)
        #expect(try await existence.next()?.value == true)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 32 } }
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 32 } }
        #expect(try await counts.next()?.value == 2)
        try await store.write { tx in for id in ["s0", "s1"] { try tx.delete(Sensor.self, id: id) } }
        #expect(try await counts.next()?.value == 0)
        #expect(try await existence.next()?.value == false)
    }

    @Test func `what is made of records follows them: sums, groups, the first`() async throws {
        let store = try ModelTests.store(sensors: 4)
        var sums = store.values(of: Self.hot) { try $0.sum($1, \.celsius) }.makeAsyncIterator()
        var firsts = store.values(of: Self.hot) { try $0.first($1)?.id }.makeAsyncIterator()
        #expect(try await sums.next()?.value == 0)
        #expect(try await firsts.next()?.value == .some(nil))
        try await store.write { tx in
            for number in 0..<2 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = 31 + Double(number) } }
        }
        #expect(try await sums.next()?.value == 63)
        #expect(try await firsts.next()?.value == "s1")
    }

    @Test func `sections appear and vanish`() async throws {
        let store = try ModelTests.store(sensors: 2)
        var sections = store.values(of: FetchRequest(Sensor.self)) { view, request in
            try view.fetch(request.sections(by: { $0.room })).map { "\($0.key) \($0.records.count)" }
        }.makeAsyncIterator()
        #expect(try await sections.next()?.value == ["hall 2"])
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.room = "attic" } }
        #expect(try await sections.next()?.value == ["attic 1", "hall 1"])
        // This change does not affect the values of the sections.
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.note = "x" } }
        try await store.write { try $0.delete(Sensor.self, id: "s1") }
        #expect(try await sections.next()?.value == ["attic 1"])
    }

    @Test func `rows with equal order keys stand by their ids, and swap places as one move`() async throws {
        let store = try ModelTests.store(sensors: 5)
        var updates = store.updates(of: Sensor.order { $0.room.ascending }).makeAsyncIterator()
        var rows = Array(try #require(try await updates.next()).results)
        #expect(rows.map(\.id) == ["s0", "s1", "s2", "s3", "s4"])
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.room = "zoo" } }
        let first = try #require(try await updates.next())
        #expect(first.changes.moves.map { [$0.from, $0.to] } == [[0, 4]])
        rows = first.changes.applied(to: rows, results: first.results)
        try await store.write { tx in
            try tx.update(Sensor.self, id: "s0") { $0.room = "hall" }
            try tx.update(Sensor.self, id: "s4") { $0.room = "zoo" }
        }
        let second = try #require(try await updates.next())
        rows = second.changes.applied(to: rows, results: second.results)
        #expect(rows.map(\.id) == ["s0", "s1", "s2", "s3", "s4"])
    }

    @Test func `a record that is deleted and inserted again in another write is told as replaced`() async throws {
        let store = try ModelTests.store(sensors: 1)
        var updates = store.updates(of: Sensor.order { $0.id.ascending }).makeAsyncIterator()
        _ = try await updates.next()
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        try await store.write { try $0.insert(Self.sensor(0, celsius: 3)) }
        let update = try #require(try await updates.next())
        #expect(update.changes.updates.map(\.isReplaced) == [true] && update.results.map(\.celsius) == [3])
    }

    @Test func `one position for several requests`() async throws {
        let store = try ModelTests.store(sensors: 10)
        let warm = Sensor.where { $0.celsius >= 25 }
        let cold = Sensor.where { $0.celsius < 25 }
        let reader = Task {
            var count = 0
            for try await joined in store.updates(of: warm, cold) {
                let (first, second) = joined.results
                #expect(first.count + second.count == 10)
                #expect(Set(first.map(\.id)).isDisjoint(with: second.map(\.id)))
                count += 1
                if first.count == 10 { break }
            }
            return count
        }
        for step in 0..<200 {
            try await store.write {
                try $0.update(Sensor.self, id: "s\(step % 10)") { $0.celsius = Double(20 + step % 7) }
            }
        }
        try await store.write { tx in
            for number in 0..<10 { try tx.update(Sensor.self, id: "s\(number)") { $0.celsius = 30 } }
        }
        #expect(try await reader.value > 0)
    }

    @Test func `a request that does not fit is an error of the first element`() async throws {
        let store = try ModelTests.store()
        var updates = store.updates(of: Sensor.order { $0.id.ascending }.limit(-1)).makeAsyncIterator()
        await #expect { try await updates.next() } throws: { ($0 as? StoreError)?.code == .invalidValue }
    }

    @Test func `a request of distinct rows without a Swift type is refused with what follows them instead`()
        async throws
    {
        let store = try ModelTests.store()
        var request = FetchRequest(Sensor.self).request
        (request.fields, request.isDistinct) = ([FieldName("room")], true)
        var updates = store.updates(of: request, typeNamed: "Sensor").makeAsyncIterator()
        await #expect { try await updates.next() } throws: { error in
            let error = error as? StoreError
            return error?.code == .invalidValue && error?.remedy?.contains("values(of:)") == true
        }
    }

    @Test func `distinct rows are followed as values`() async throws {
        let store = try ModelTests.store(sensors: 3)
        var rooms = store.values(of: Sensor.order { $0.room.ascending }) { view, request in
            try view.fetch(request.fields { $0.room }.distinct())
        }.makeAsyncIterator()
        #expect(try await rooms.next()?.value == ["hall"])
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.room = "attic" } }
        #expect(try await rooms.next()?.value == ["attic", "hall"])
        // The first delete removes one of two equal rows.
        try await store.write { try $0.delete(Sensor.self, id: "s0") }
        try await store.write { try $0.delete(Sensor.self, id: "s2") }
        #expect(try await rooms.next()?.value == ["attic"])
    }

    @Test func `a closed store ends its live queries with an error`() async throws {
        let store = try ModelTests.store()
        var updates = store.updates(of: Self.hot).makeAsyncIterator()
        _ = try await updates.next()
        store.close()
        await #expect { try await updates.next() } throws: { ($0 as? StoreError)?.code == .closed }
    }

    @Test func `results in a view are those of its position`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let query = try store.liveQuery(Self.hot)
        try store.view { _ in
            #expect(try query.results.isEmpty)
            try ModelTests.elsewhere {
                try ModelTests.write(store) { _ = try $0.update(Sensor.self, id: "s0") { $0.celsius = 99 } }
            }
            #expect(try query.results.isEmpty)
        }
        #expect(try query.results.map(\.id) == ["s0"])
    }

    struct Dashboard {
        @FetchRequest var hot: LiveRecords<Sensor>

        init(_ store: Store) throws { _hot = try FetchRequest(LiveQueryTests.hot, in: store) }
    }

    @Test func `a wrapped property shows the results of its request, and follows`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let dashboard = try Dashboard(store)
        #expect(dashboard.hot.isEmpty)
        try await store.write { try $0.update(Sensor.self, id: "s1") { $0.celsius = 77 } }
        #expect(dashboard.hot.map(\.id) == ["s1"])
        #expect(dashboard.$hot == Self.hot)
        try dashboard.$hot.query?.reconfigure(to: Self.hot.limit(0))
        #expect(dashboard.hot.isEmpty)
    }

    @Test func `nothing is delivered after a cancellation`() async throws {
        let store = try ModelTests.store(sensors: 1)
        let task = Task {
            var count = 0
            for try await _ in store.updates(of: Sensor.order { $0.id.ascending }) {
                count += 1
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                _ = try? await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius += 1 } }
            }
            return count
        }
        #expect(try await task.value == 1)
    }

    @Test func `writes, new queries and models in the middle of an update are fine`() async throws {
        let store = try ModelTests.store(sensors: 3)
        var nested: [LiveQuery<Sensor>] = []
        for try await update in store.updates(of: Sensor.order { $0.celsius.descending }.limit(2)) {
            let top = try #require(update.results.first)
            if top.celsius >= 25 { break }
            nested.append(try store.liveQuery(Sensor.where { $0.celsius == top.celsius }))
            let model = try store.model(Sensor.self, id: top.id)
            try await model.update { $0.celsius += 1 }
        }
        #expect(nested.count == 5)
    }

    @Test func `a slow subscriber delays neither the writer nor others`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let request = Sensor.order { $0.celsius.ascending }
        // This subscriber takes its first element and no other.
        var slow = store.updates(of: request).makeAsyncIterator()
        _ = try await slow.next()
        var fast = store.updates(of: request).makeAsyncIterator()
        _ = try await fast.next()
        for step in 1...500 {
            try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = Double(100 + step) } }
            #expect(try await fast.next()?.results.last?.celsius == Double(100 + step))
        }
        #expect(try await slow.next()?.results.last?.celsius == 600)
    }

    @Test func `the end of one subscriber leaves a shared result to the others`() async throws {
        let store = try ModelTests.store(sensors: 2)
        let query = try store.liveQuery(Self.hot)
        do {
            let other = try store.liveQuery(Self.hot)
            #expect(try other.results.isEmpty)
        }
        #expect(store.liveQueryCount == 1)
        try await store.write { try $0.update(Sensor.self, id: "s0") { $0.celsius = 40 } }
        #expect(try query.results.map(\.id) == ["s0"])
    }
}
