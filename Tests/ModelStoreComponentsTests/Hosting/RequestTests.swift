import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// The warmest sensors, with a row for each.
@Component
private struct Board {
    let journal: Journal
    @FetchRequest(Sensor.order { $0.celsius.descending }.offset(1).limit(2)) var warmest: LiveRecords<Sensor>

    func update(_ context: inout ComponentContext) {
        let models = $warmest.models
        journal.add("board \(models.map(\.id))")
        for sensor in models { context.place(Row(journal: journal, sensor: sensor), id: sensor.id) }
    }
}

@Component
private struct Row: Equatable {
    let journal: Journal
    @ObservedObject var sensor: Model<Sensor>

    static func == (left: Row, right: Row) -> Bool { left.sensor == right.sensor }

    func update(_ context: inout ComponentContext) { journal.add("\(sensor.id) \(sensor.celsius)") }
}

/// Reduces the limit of its request while it reads the results.
@Component
private struct Shrinking {
    let journal: Journal
    @FetchRequest(Sensor.order { $0.id.ascending }) var sensors: LiveRecords<Sensor>

    func update(_ context: inout ComponentContext) throws {
        journal.add("\(sensors.map(\.id))")
        if sensors.count > 2 { try $sensors.query?.reconfigure(to: Sensor.order { $0.id.ascending }.limit(2)) }
    }
}

/// Looks up a model where it reads it, and keeps no reference.
@Component
private struct Glance {
    let journal: Journal
    let store: Store

    func update(_ context: inout ComponentContext) throws {
        journal.add("\(try store.model(Sensor.self, id: "s0").celsius)")
    }
}

/// A component is updated by changes of the request results that it reads.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct RequestTests {
    @Test func `a row's change updates the row, and what comes, goes or moves the one that lists them`() async throws {
        try await Scene.run(sensors: 4) { scene in
            let journal = scene.journal
            for number in 0..<4 { try await scene.set("s\(number)", Double(20 + number)) }
            let host = try await scene.scope.host { Board(journal: journal) }
            #expect(journal.take() == [#"board ["s2", "s1"]"#, "s2 22.0", "s1 21.0"])
            func expect(
                _ expected: [String], _ write: @escaping @Sendable (inout WriteTransaction) throws -> Void
            ) async throws {
                try await scene.store.write { tx in try write(&tx) }
                try await host.settle()
                #expect(journal.take() == expected)
            }
            try await expect(["s1 21.5"]) { try $0.update(Sensor.self, id: "s1") { $0.celsius = 21.5 } }
            try await expect([]) { try $0.update(Sensor.self, id: "s1") { $0.note = "read by nobody" } }
            try await expect([]) { try $0.update(Sensor.self, id: "s3") { $0.celsius = 30 } }
            try await expect([#"board ["s1", "s2"]"#, "s1 25.0"]) {
                try $0.update(Sensor.self, id: "s1") { $0.celsius = 25 }
            }
            try await expect([#"board ["s2", "s0"]"#, "s0 20.0"]) { try $0.delete(Sensor.self, id: "s3") }
            try await expect([#"board ["s1", "s2"]"#, "s1 25.0"]) {
                try $0.insert(Sensor(id: "s9", room: "hall", celsius: 50))
            }
            let counters = await host.counters
            #expect(counters.componentCount == 3)
        }
    }

    @Test func `what an update asks for is shown by the next one, and followed`() async throws {
        try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host { Shrinking(journal: journal) }
            #expect(journal.take() == [#"["s0", "s1", "s2"]"#, #"["s0", "s1"]"#])
            try await scene.store.write { try $0.delete(Sensor.self, id: "s0") }
            try await host.settle()
            #expect(journal.take() == [#"["s1", "s2"]"#])
        }
    }

    @Test func `a model that a component has read is not its to answer for`() async throws {
        let notices = try await Scene.run { scene in
            let (journal, store) = (scene.journal, scene.store)
            // The program holds this model outside of all scopes.
            let kept = try store.model(Sensor.self, id: "s0")
            for _ in 0..<2 {
                try await scene.scope.withChild("part") { scope in
                    _ = try await scope.host { Glance(journal: journal, store: store) }
                }
            }
            #expect(store.ownership.whyAlive(kept).pins.isEmpty && store.ownership.leaks().isEmpty)
        }
        #expect(notices.all.isEmpty)
    }

    @Test func `a model that only an update has asked for is followed, and goes with the place`() async throws {
        let notices = try await Scene.run { scene in
            let (journal, store) = (scene.journal, scene.store)
            let inner = try scene.scope.child("inner")
            let host = try await inner.host { Glance(journal: journal, store: store) }
            weak var model: Model<Sensor>?
            for step in 1...3 {
                try await scene.set("s0", Double(step))
                try await host.settle()
                #expect(journal.take().last == "\(Double(step))")
                if let model { #expect(try store.model(Sensor.self, id: "s0") === model) }
                model = try store.model(Sensor.self, id: "s0")
            }
            // The place reports that it holds the model. Another scope that also held it may end.
            _ = try await scene.scope.withChild("other") { try $0.borrow(store.model(Sensor.self, id: "s0")) }
            let pins = try store.ownership.whyAlive(#require(model)).pins
            #expect(pins.map(\.kind) == [.borrower] && pins.first?.line.file.hasSuffix("RequestTests.swift") == true)
            inner.close()
            await inner.waitUntilClosed()
            #expect(model == nil)
        }
        #expect(notices.all.isEmpty)
    }
}
