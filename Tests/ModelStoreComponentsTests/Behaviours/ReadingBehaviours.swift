import Dispatch
import Foundation
import ModelStore
import ModelStoreComponents
import Observation
import TestSupport
import Testing

@Component
private struct CountingParent {
    let journal: Journal
    @StateObject var thing: Thing

    init(journal: Journal, thing: Thing) {
        self.journal = journal
        _thing = StateObject(owning: thing)
    }

    func update(_ context: inout ComponentContext) {
        journal.add("parent")
        context.place(CountReader(journal: journal, thing: thing))
        context.place(NameReader(journal: journal, thing: thing))
        context.place(Holder(journal: journal, thing: thing))
        context.place(Sender(journal: journal, thing: thing))
    }
}

@Component
private struct CountReader {
    let journal: Journal
    @ObservedObject var thing: Thing

    func update(_ context: inout ComponentContext) { journal.add("count \(thing.count)") }
}

@Component
private struct NameReader {
    let journal: Journal
    @ObservedObject var thing: Thing

    func update(_ context: inout ComponentContext) { journal.add("name \(thing.name)") }
}

/// Declares the thing, and reads none of its properties.
@Component
private struct Holder {
    let journal: Journal
    @ObservedObject var thing: Thing

    func update(_ context: inout ComponentContext) { journal.add("holder") }
}

/// Holds the thing as a plain property, and only acts on it.
@Component
private struct Sender {
    let journal: Journal
    let thing: Thing

    func update(_ context: inout ComponentContext) {
        journal.add("sender")
        context.onAppear { [thing] in thing.count = 1 }
    }
}

/// Reads a field, and then runs a closure within the same update.
@Component
private struct Overtaken {
    let journal: Journal
    let sensor: Model<Sensor>
    let afterRead: @Sendable () -> Void

    init(journal: Journal, sensor: Model<Sensor>, afterRead: @escaping @Sendable () -> Void) {
        self.journal = journal
        self.sensor = sensor
        self.afterRead = afterRead
    }

    func update(_ context: inout ComponentContext) {
        journal.add("celsius \(sensor.celsius)")
        afterRead()
    }
}

@Component
private struct FieldReaders {
    let journal: Journal
    let model: Model<Panel>

    func update(_ context: inout ComponentContext) {
        journal.add("root")
        context.place(FieldReader(journal: journal, name: "a", model: model) { $0.a })
        context.place(FieldReader(journal: journal, name: "b", model: model) { $0.b })
        context.place(FieldReader(journal: journal, name: "c", model: model) { $0.c })
    }
}

@Component
private struct FieldReader {
    let journal: Journal
    let name: String
    @ObservedObject var model: Model<Panel>
    let read: (Model<Panel>) -> Int

    init(journal: Journal, name: String, model: Model<Panel>, read: @escaping (Model<Panel>) -> Int) {
        self.journal = journal
        self.name = name
        self.read = read
        _model = ObservedObject(wrappedValue: model)
    }

    func update(_ context: inout ComponentContext) { journal.add("\(name) \(read(model))") }
}

/// One object with a thousand fields, addressed by index. An action sets one field.
private typealias Fields = StateStore<[Int], (place: Int, value: Int)>

@Component
private struct ThousandReaders {
    let fields: Fields
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        for number in 0..<1_000 {
            context.place(OneReader(fields: fields, number: number, journal: journal), id: number)
        }
    }
}

@Component
private struct OneReader {
    let fields: Fields
    let number: Int
    let journal: Journal

    func update(_ context: inout ComponentContext) { journal.add("\(number): \(fields[dynamicMember: \.[number]])") }
}

@Component
private struct RoomParent {
    let tick: Subject<Int>
    let room: Subject<String>
    let journal: Journal

    func update(_ context: inout ComponentContext) {
        _ = tick.value
        context.place(RoomName(room: room.value, journal: journal))
    }
}

@Component
private struct RoomName: Equatable {
    let room: String
    let journal: Journal
    @State var own = 0
    @Environment(\.scale) var scale

    static func == (left: RoomName, right: RoomName) -> Bool { left.room == right.room }

    func update(_ context: inout ComponentContext) { journal.add("room \(room)") }
}

@Component
private struct Snapshot {
    let store: Store
    let journal: Journal
    @ObservedObject var first: Model<Sensor>
    @ObservedObject var second: Model<Sensor>
    @ObservedObject var third: Model<Sensor>
    @FetchRequest(Sensor.where { $0.celsius >= 0 }.order { $0.id.ascending }) var all: LiveRecords<Sensor>
    @FetchRequest(Sensor.where { $0.celsius < 0 }) var none: LiveRecords<Sensor>

    init(_ store: Store, _ journal: Journal) throws {
        self.store = store
        self.journal = journal
        _first = ObservedObject(wrappedValue: try store.model(id: "s0"))
        _second = ObservedObject(wrappedValue: try store.model(id: "s1"))
        _third = ObservedObject(wrappedValue: try store.model(id: "s2"))
    }

    func update(_ context: inout ComponentContext) throws {
        let values = [first.celsius, second.celsius, third.celsius] + all.map(\.celsius)
        let isTorn = Set(values).count != 1 || all.count != 3 || !none.isEmpty
        journal.add(isTorn ? "torn \(values)" : "whole")
    }
}

@Component
private struct Late {
    @ObservedObject var sensor: Model<Sensor>
    let seen: Subject<Double>

    func update(_ context: inout ComponentContext) { seen.send(sensor.celsius) }
}

@Suite(.serialized, .timeLimit(.minutes(TestLength.waitMinutes))) struct ReadingBehaviours {
    /// Runs a body with a thing and its owner, a parent with four children. Each child has been updated.
    private func withCounting(
        _ body: nonisolated(nonsending) (_ thing: Thing, _ host: ComponentHost, Scene) async throws -> Void
    ) async throws {
        let notices = try await Scene.run { scene in
            let journal = scene.journal
            let thing = Thing(journal, scene.numbers)
            let host = try await scene.scope.host { CountingParent(journal: journal, thing: thing) }
            // The sender set the count after the first pass.
            #expect(
                journal.take() == [
                    "created 1", "parent", "count 0", "name thing", "holder", "sender", "count 1",
                ])
            try await body(thing, host, scene)
        }
        // The test may still hold the thing when the scope, its last owner, closes.
        #expect(notices.all.allSatisfy { $0.code == .leaked })
    }

    @Test func `3 parent and child are separate`() async throws {
        try await withCounting { thing, host, scene in
            let report = scene.store.ownership.report()
            #expect(report.objects.map(\.type) == ["Thing"])
            #expect(report.objects.first?.pins.map(\.kind) == [.borrower, .borrower, .borrower, .owner])
            thing.count = 2
            try await host.settle()
            #expect(scene.journal.take() == ["count 2"])
        }
    }

    @Test func `5 declared is not read, but for what is sent by name`() async throws {
        try await withCounting { thing, host, scene in
            for number in 2..<5 {
                thing.count = number
                try await host.settle()
                // The holder and the sender are not updated.
                #expect(scene.journal.take() == ["count \(number)"])
            }
            // Every component that declares the object is updated once, whether it reads it or not. The parent owns the object.
            // The sender holds it as a plain property, which stays the same.
            await host.update { thing.objectWillChange.send() }
            try await host.settle()
            #expect(scene.journal.take() == ["parent", "count 4", "name thing", "holder"])
        }
    }

    @Test func `6 field by field`() async throws {
        try await withCounting { thing, host, scene in
            thing.name = "other"
            try await host.settle()
            #expect(scene.journal.take() == ["name other"])
            thing.count = 2
            try await host.settle()
            #expect(scene.journal.take() == ["count 2"])
        }
    }

    @Test func `7 equal is silent`() async throws {
        try await withCounting { thing, host, scene in
            let before = await host.counters.updateCount
            thing.name = "thing"
            thing.count = 1
            try await host.settle()
            #expect(scene.journal.take() == [])
            #expect(await host.counters.updateCount == before)
        }
    }

    @Test func `6 a record's fields one by one, 7 equal is silent`() async throws {
        _ = try await Scene.run { scene in
            try await scene.store.write { try $0.insert(Panel()) }
            let model = try scene.store.model(Panel.self, id: 1)
            let host = try await scene.scope.host { FieldReaders(journal: scene.journal, model: model) }
            #expect(scene.journal.take() == ["root", "a 0", "b 0", "c 0"])
            try await model.update { $0.b = 7 }
            try await host.settle()
            #expect(scene.journal.take() == ["b 7"])
            try await model.update { $0.b = 7 }
            try await host.settle()
            #expect(scene.journal.take() == [])
            try await model.update {
                $0.a = 1
                $0.c = 1
            }
            try await host.settle()
            #expect(scene.journal.take() == ["a 1", "c 1"])
        }
    }

    @Test func `6 a thousand fields, one change, one update`() async throws {
        _ = try await Scene.run { scene in
            let fields = Fields(Array(0..<1_000)) { fields, action in fields[action.place] = action.value }
            let host = try await scene.scope.host { ThousandReaders(fields: fields, journal: scene.journal) }
            #expect(scene.journal.take().count == 1_000)
            let before = await host.counters.updateCount
            fields.send((500, -1))
            try await host.settle()
            #expect(scene.journal.take() == ["500: -1"])
            #expect(await host.counters.updateCount == before + 1)
        }
    }

    @Test func `5 an equal description is not updated`() async throws {
        let tick = Subject(0)
        let room = Subject("hall")
        _ = try await Scene.run { scene in
            let host = try await scene.scope.host { RoomParent(tick: tick, room: room, journal: scene.journal) }
            for number in 1...5 {
                tick.send(number)
                try await host.settle()
            }
            room.send("attic")
            try await host.settle()
            #expect(scene.journal.all == ["room hall", "room attic"])
        }
    }

    @Test func `16 snapshots are consistent`() async throws {
        _ = try await Scene.run { scene in
            let store = scene.store
            let journal = scene.journal
            let writer = Task {
                for number in 1...100 {
                    try await store.write { tx in
                        for sensor in 0..<3 {
                            try tx.update(Sensor.self, id: "s\(sensor)") { $0.celsius = Double(number) }
                        }
                    }
                }
            }
            let host = try await scene.scope.host { try Snapshot(store, journal) }
            try await writer.value
            try await host.settle()
            // At most once for each commit, plus the first time.
            let count = journal.all.count
            #expect((1...101).contains(count))
            for number in 1...10 {
                try await store.write { tx in
                    for sensor in 0..<3 {
                        try tx.update(Sensor.self, id: "s\(sensor)") { $0.celsius = Double(-number * number + 200) }
                    }
                }
                try await host.settle()
                // All three values that the component reads changed at once.
                #expect(journal.all.count == count + number)
            }
            #expect(Set(journal.all) == ["whole"])
            #expect(scene.notices.all.isEmpty)
        }
    }

    @Test func `17 a change after an update's read and before its watch is not lost`() async throws {
        _ = try await Scene.run { scene in
            let sensor = try scene.store.model(Sensor.self, id: "s0")
            let (store, runs) = (scene.store, Numbers())
            _ = try await scene.scope.host {
                Overtaken(journal: scene.journal, sensor: sensor) {
                    guard runs.next() == 1 else { return }
                    let isWritten = DispatchSemaphore(value: 0)
                    Thread.detachNewThread {
                        _ = try? store.write { tx in try tx.update(Sensor.self, id: "s0") { $0.celsius = 99 } }
                        isWritten.signal()
                    }
                    isWritten.wait()
                }
            }
            await scene.journal.until { $0.contains("celsius 99.0") }
        }
    }

    /// `MODELSTORE_LONG=1` runs it as often as the contract requires.
    @Test func `17 late is not lost`() async throws {
        let runs = TestLength.isLong ? 100_000 : 300
        _ = try await Scene.run { scene in
            let sensor = try scene.store.model(Sensor.self, id: "s0")
            for run in 1...runs {
                let seen = Subject(-1.0)
                let value = Double(run)
                let write = Task { try await scene.set("s0", value) }
                let scope = try scene.scope.child("run")
                _ = try await scope.host { Late(sensor: sensor, seen: seen) }
                try await write.value
                // The test does not settle the host, so the host must notice the change by itself.
                let last = await seen.values.first { $0 == value }
                #expect(last == value, "run \(run)")
                scope.close()
                await scope.waitUntilClosed()
            }
        }
    }
}
