import ModelStore
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

private enum Narrow {
    /// The declaration of a program that does not know the fields `a` and `e`.
    @Record("Gauge") struct Gauge {
        @ID var id: String
        var c: Int = 0
    }
}

private enum Wide {
    @Record("Gauge") struct Gauge {
        @ID var id: String
        var c: Int = 0
        var e: Int = 0
    }
}

/// Live queries while fields of their records, or of records that those refer to, are added and removed.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct LiveSchemaTests {
    private static func schema(_ fields: [String]) -> RecordSchema {
        RecordSchema(
            name: "Gauge",
            fields: [FieldSchema("id", String.self)] + fields.map { FieldSchema($0, Int.self, default: 0) },
            id: IDSchema([0]))
    }

    private static func request() -> Request { FetchRequest(Narrow.Gauge.self).order { $0.id.ascending }.request }

    /// A store with two records with the fields `id`, `a` and `c`, whose fields a migration replaces.
    private final class Gauges {
        let directory: TestDirectory
        let store: Store

        init(_ fields: [String] = ["a", "c"]) async throws {
            directory = try TestDirectory()
            let maker = try Store(at: directory.path, records: [])
            try maker.addTypes([LiveSchemaTests.schema(fields)])
            store = try Store(at: directory.path, records: Narrow.Gauge.self)
            maker.close()
            try await store.write { tx in for id in ["x", "y"] { try tx.insert(Narrow.Gauge(id: id)) } }
        }

        deinit { store.close() }

        func migrate(to fields: [String]) throws {
            _ = try store.migrate(to: [LiveSchemaTests.schema(fields)], isTrial: false)
        }

        func set(_ field: String, of id: String = "x", to value: Int64) async throws {
            try await store.write { tx in
                let catalog = tx._reading.catalog
                let index = try catalog.requireTypeIndex(named: "Gauge")
                guard var record = try tx._reading.dynamicRecord(id: [.string(id)], typeIndex: index),
                    let place = catalog.types[index].type.fieldIndex(named: field)
                else { return }
                record.values[place] = .int(value)
                _ = try tx.put(record, typeIndex: index, mode: .update)
            }
        }
    }

    @Test func `the fields that are told stay the same ones when another field goes`() async throws {
        let gauges = try await Gauges(["a", "b", "c"])
        let request = FetchRequest(Narrow.Gauge.self).order { $0.id.ascending }
        var updates = gauges.store.updates(of: request, fields: \.c).makeAsyncIterator()
        _ = try await updates.next()
        try await gauges.set("c", to: 1)
        #expect(try await updates.next()?.changes.updates.map(\.new.c) == [1])
        try gauges.migrate(to: ["b", "c"])
        // The query delivers an update for the new schema version although its rows did not change.
        let migrated = try #require(try await updates.next())
        #expect(migrated.changes.updates.isEmpty && !migrated.changes.isReset && migrated.results.count == 2)
        try await gauges.set("c", to: 2)
        let update = try #require(try await updates.next())
        #expect(update.changes.updates.map(\.new.c) == [2])
        #expect(update.changes.updates.map(\.changedFields.names) == [["c"]])
        try await gauges.set("b", to: 3)
        try await gauges.set("c", of: "y", to: 4)
        #expect(try await updates.next()?.changes.updates.map(\.new.id) == ["y"])
    }

    @Test func `fields that stand where others stood are another request's`() async throws {
        let gauges = try await Gauges()
        let store = gauges.store
        let first = try FetchRequest(FetchRequest(Narrow.Gauge.self), in: store, fields: \.c)
        try gauges.migrate(to: ["c", "e"])
        let wide = try Store(at: gauges.directory.path, records: Wide.Gauge.self)
        defer { wide.close() }
        var updates = wide.updates(of: FetchRequest(Wide.Gauge.self), fields: \.e).makeAsyncIterator()
        _ = try await updates.next()
        #expect(store.liveQueryCount == 2)
        try await gauges.set("e", to: 5)
        try await gauges.set("c", of: "y", to: 5)
        #expect(try await updates.next()?.changes.updates.map(\.new.id) == ["x"])
        withExtendedLifetime(first.query) {}
    }

    @Test func `what changed is told by the fields that there are now, across a change of the schema`() async throws {
        let gauges = try await Gauges()
        try await gauges.set("a", to: 7)
        var updates = gauges.store.updates(of: Self.request(), typeNamed: "Gauge").makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.isFirst && first.rows.type.type.fields.map(\.name) == ["id", "a", "c"])
        try gauges.migrate(to: ["c", "e"])
        try await gauges.set("c", of: "y", to: 5)
        var told: [DynamicRowChange] = []
        var update = first
        while told.isEmpty {
            update = try #require(try await updates.next())
            told += try (0..<update.changeCount).map { try update.change($0) }
        }
        #expect(told.map(\.kind) == [.update(changed: ["c"])] && told.map(\.index) == [1])
        #expect(update.rows.type.type.fields.map(\.name) == ["id", "c", "e"])
        #expect(try update.rows.record(0).values == [.string("x"), .int(0), .int(0)])
    }

    /// Each update leads a subscriber to the current results, whatever the fields are.
    @Test(arguments: 0..<UInt64(TestLength.runs(8, long: 200)))
    func `updates lead from result to result while fields come and go`(seed: UInt64) async throws {
        var random = TransactionRandom(seed: seed)
        let gauges = try await Gauges()
        let store = gauges.store
        let request = FetchRequest(Narrow.Gauge.self).order { $0.c.ascending }
        var all = store.updates(of: request).makeAsyncIterator()
        var scoped = store.updates(of: FetchRequest(Narrow.Gauge.self), fields: \.c).makeAsyncIterator()
        var fields = ["a", "c"]
        var rows: [Narrow.Gauge] = []
        var values: [Int] = []
        for step in 0..<40 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                // New fields go last. Removing a field leaves the others at their index, or moves them down by one.
                var wanted = fields.filter { $0 == "c" || Bool.random(using: &random) }
                if Bool.random(using: &random) { wanted.append("n\(step)") }
                try gauges.migrate(to: wanted)
                fields = wanted
            case 1:
                let id = "z\(Int.random(in: 0..<4, using: &random))"
                try await store.write { tx in
                    if try !tx.delete(Narrow.Gauge.self, id: id) { try tx.insert(Narrow.Gauge(id: id)) }
                }
            default:
                let field = fields[Int.random(in: fields.indices, using: &random)]
                try await gauges.set(field, of: ["x", "y"][step % 2], to: Int64(Int.random(in: 0..<5, using: &random)))
            }
            while let update = try all.poll() {
                rows = update.changes.applied(to: rows, results: update.results)
                #expect(rows == Array(update.results), "seed \(seed), step \(step)")
            }
            while let update = try scoped.poll() { values = update.results.map(\.c) }
            #expect(rows == (try store.read { try $0.fetch(request) }), "seed \(seed), step \(step)")
            let byID = FetchRequest(Narrow.Gauge.self).order { $0.id.ascending }
            #expect(values == (try store.read { try $0.fetch(byID).map(\.c) }), "seed \(seed), step \(step)")
        }
    }

    @Test func `a query whose request did not fit any more goes on with another one`() async throws {
        let gauges = try await Gauges()
        let store = gauges.store
        var request = FetchRequest(Narrow.Gauge.self).order { $0.id.ascending }
        request.request.condition = .comparison(FieldName(["a"]), .greaterOrEqual, .int(0))
        let query = try store.liveQuery(request)
        var updates = query.updates.makeAsyncIterator()
        #expect(try await updates.next()?.results.count == 2)
        try gauges.migrate(to: ["c"])
        // The step is complete when this call returns.
        try await gauges.set("c", to: 1)
        #expect(throws: StoreError.self) { try query.results }
        try query.reconfigure(to: FetchRequest(Narrow.Gauge.self).order { $0.id.ascending })
        #expect(try await updates.next()?.results.map(\.c) == [1, 0])
        // The wait starts before the write, so it does not find the end of the earlier result.
        async let written: Void = gauges.set("c", of: "y", to: 2)
        #expect(try await updates.next()?.changes.updates.map(\.new.c) == [2])
        try await written
        store.close()
        for _ in 0..<2 {
            await #expect { try await updates.next() } throws: { ($0 as? StoreError)?.code == .closed }
        }
    }

    @Test
    func `the end of a result that is not asked for any more is told once, and then the next change is waited for`()
        async throws
    {
        let gauges = try await Gauges()
        let store = gauges.store
        var request = FetchRequest(Narrow.Gauge.self)
        request.request.condition = .comparison(FieldName(["a"]), .greaterOrEqual, .int(0))
        let query = try store.liveQuery(request)
        let steps = try query.steps(Signal(), since: nil)
        _ = try await steps.next()
        try gauges.migrate(to: ["c"])
        try await gauges.set("c", to: 1)
        try query.reconfigure(to: FetchRequest(Narrow.Gauge.self))
        #expect(try await steps.next() != nil)
        var looks = 0
        let step = try await steps.next {
            looks += 1
            if looks == 1 { Task { try await store.write { try $0.update(Narrow.Gauge.self, id: "x") { $0.c = 2 } } } }
            return looks > 1
        }
        #expect(step != nil && looks == 1)
    }
}
