import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

// Fetch requests: with a limit, in batches, with rows that are decoded on demand, and built in code.

/// The rows within a limit.
@Component
private struct NewestView {
    let journal: Journal
    @FetchRequest(Sensor.where { $0.room == "hall" }.order { $0.celsius.descending }.limit(2))
    var warmest: LiveRecords<Sensor>

    func update(_ context: inout ComponentContext) { journal.add("warmest \(warmest.map(\.id))") }
}

/// Reads a long result in batches, and decodes one row of it.
@Component
private struct BatchView {
    let journal: Journal
    @FetchRequest(Sensor.order { $0.id.ascending }) var sensors: LiveRecords<Sensor>

    func update(_ context: inout ComponentContext) throws {
        let rows = $sensors.lazyRecords
        var batches: [[String]] = []
        try rows.forEachBatch(of: 2) { batch in
            batches.append(batch.map(\.id))
            return batches.count < 2
        }
        journal.add("batches \(batches), \(rows.count) rows, the last is \(try rows[rows.count - 1].record().id)")
    }
}

/// A request built from values of the parent.
@Component
private struct FilteredView {
    let journal: Journal
    @FetchRequest var sensors: LiveRecords<Sensor>

    init(_ journal: Journal, room: String?, isHot: Bool, limit: Int) {
        self.journal = journal
        var request = FetchRequest(Sensor.self).order { [$0.celsius.descending, $0.id.ascending] }.limit(limit)
        if let room { request = request.where { $0.room == room } }
        if isHot { request = request.where { $0.celsius > 25 } }
        _sensors = FetchRequest(request)
    }

    func update(_ context: inout ComponentContext) { journal.add("filtered \(sensors.map(\.id))") }
}

@Component
private struct FilterView {
    struct Filter: Sendable, Equatable {
        var room: String?
        var isHot = false
        var limit = 2
    }

    let journal: Journal
    let filter: Subject<Filter>

    func update(_ context: inout ComponentContext) {
        let filter = filter.value
        context.place(FilteredView(journal, room: filter.room, isHot: filter.isHot, limit: filter.limit))
    }
}

/// Shows a request that its parent builds and hands in.
@Component
private struct HandedView {
    let journal: Journal
    @FetchRequest var sensors: LiveRecords<Sensor>

    func update(_ context: inout ComponentContext) { journal.add("handed \(sensors.map(\.id))") }
}

@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct FetchExample {
    @Test func `a limit leaves the first rows, and is filled up when one goes`() async throws {
        try await Scene.run(sensors: 4) { scene in
            let (journal, store) = (scene.journal, scene.store)
            for (number, celsius) in [30.0, 20, 25, 10].enumerated() { try await scene.set("s\(number)", celsius) }
            let host = try await scene.scope.host { NewestView(journal: journal) }
            #expect(journal.take() == [#"warmest ["s0", "s2"]"#])
            try await scene.set("s3", 11)
            try await host.settle()
            // The changed row is not one of the two, before or after.
            #expect(journal.take() == [])
            try await store.write { try $0.delete(Sensor.self, id: "s0") }
            try await host.settle()
            #expect(journal.take() == [#"warmest ["s2", "s1"]"#])
            try await scene.set("s3", 99)
            try await host.settle()
            #expect(journal.take() == [#"warmest ["s3", "s2"]"#])
        }
    }

    @Test func `batches and lazy rows give the records that are asked for`() async throws {
        try await Scene.run(sensors: 7) { scene in
            let host = try await scene.scope.host { BatchView(journal: scene.journal) }
            #expect(
                scene.journal.take() == [#"batches [["s0", "s1"], ["s2", "s3"]], 7 rows, the last is s6"#])
            try await scene.store.write { try $0.delete(Sensor.self, id: "s1") }
            try await host.settle()
            #expect(
                scene.journal.take() == [#"batches [["s0", "s2"], ["s3", "s4"]], 6 rows, the last is s6"#])
        }
    }

    @Test func `a request that is built in code follows what the parent hands in`() async throws {
        let filter = Subject(FilterView.Filter())
        try await Scene.run(sensors: 4) { scene in
            let journal = scene.journal
            for (number, celsius) in [30.0, 20, 25, 10].enumerated() { try await scene.set("s\(number)", celsius) }
            let host = try await scene.scope.host { FilterView(journal: journal, filter: filter) }
            #expect(journal.take() == [#"filtered ["s0", "s2"]"#])
            for (change, expected) in [
                ({ (filter: inout FilterView.Filter) in filter.limit = 3 }, #"filtered ["s0", "s2", "s1"]"#),
                ({ $0.isHot = true }, #"filtered ["s0"]"#),
                ({ $0.room = "attic" }, "filtered []"),
                ({ $0 = FilterView.Filter(room: "hall", limit: 1) }, #"filtered ["s0"]"#),
            ] {
                filter.update(change)
                try await host.settle()
                #expect(journal.take() == [expected])
            }
        }
    }

    @Test func `a request that is handed in is shown and followed`() async throws {
        try await Scene.run(sensors: 3) { scene in
            let journal = scene.journal
            let request = Sensor.where { $0.celsius > 19 }.order { $0.id.descending }.offset(1).limit(1)
            let host = try await scene.scope.host {
                HandedView(journal: journal, sensors: FetchRequest(request))
            }
            #expect(journal.take() == [#"handed ["s1"]"#])
            try await scene.set("s2", 5)
            try await host.settle()
            #expect(journal.take() == [#"handed ["s0"]"#])
        }
    }
}
