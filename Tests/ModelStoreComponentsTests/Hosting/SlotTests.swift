import ModelStore
import ModelStoreComponents
import TestSupport
import Testing

/// A state declared after a request that may be tied to a store.
@Component
private struct Listing {
    let journal: Journal
    let handed: Subject<Binding<Int>?>
    @FetchRequest var rows: LiveRecords<Sensor>
    @State var taps = 0

    init(_ scene: Scene, isTied: Bool, handed: Subject<Binding<Int>?>) throws {
        journal = scene.journal
        self.handed = handed
        let all = Sensor.order { $0.id.ascending }
        _rows = isTied ? try FetchRequest(all, in: scene.store) : FetchRequest(all)
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(rows.count) rows, \(taps) taps")
        let taps = $taps
        context.onAppear { handed.send(taps) }
    }
}

@Component
private struct ListingParent {
    let scene: Scene
    let isTied: Subject<Bool>
    let handed: Subject<Binding<Int>?>

    func update(_ context: inout ComponentContext) throws {
        context.place(try Listing(scene, isTied: isTied.value, handed: handed))
    }
}

/// A state declared after a publisher of either kind.
@Component
private struct Showing {
    let journal: Journal
    let handed: Subject<Binding<Int>?>
    @ObservedPublisher var unit: String
    @State var taps = 0

    init(_ journal: Journal, _ units: Subject<String>, isSequence: Bool, handed: Subject<Binding<Int>?>) {
        self.journal = journal
        self.handed = handed
        _unit = isSequence ? ObservedPublisher(wrappedValue: "none", units.values) : ObservedPublisher(units)
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(unit), \(taps) taps")
        let taps = $taps
        context.onAppear { handed.send(taps) }
    }
}

@Component
private struct ShowingParent {
    let journal: Journal
    let subject: Subject<String>
    let sequence: Subject<String>
    let isSequence: Subject<Bool>
    let handed: Subject<Binding<Int>?>

    func update(_ context: inout ComponentContext) {
        let isSequence = isSequence.value
        context.place(Showing(journal, isSequence ? sequence : subject, isSequence: isSequence, handed: handed))
    }
}

/// A state inside a conditional compilation block, with a property observer.
@Component
private struct Watchful {
    let journal: Journal
    let handed: Subject<Binding<Int>?>
    #if os(Linux)
    @State var taps = 0 {
        didSet { journal.add("set to \(taps)") }
    }
    #endif

    func update(_ context: inout ComponentContext) {
        journal.add("\(taps) taps")
        handed.send($taps)
        context.onAppear { taps = 1 }
    }
}

/// The sensors of a room, by a request with one field of interest.
@Component
private struct Room {
    let journal: Journal
    @FetchRequest var sensors: LiveRecords<Sensor>

    init(_ journal: Journal, _ room: String, byNote: Bool) {
        self.journal = journal
        let request = Sensor.where { $0.room == room }.order { $0.id.ascending }
        _sensors = byNote ? FetchRequest(request, fields: \.note) : FetchRequest(request, fields: \.celsius)
    }

    func update(_ context: inout ComponentContext) {
        journal.add("\(sensors.map { "\($0.id) \($0.celsius)" })")
    }
}

@Component
private struct RoomParent {
    let journal: Journal
    let room: Subject<String>
    let byNote: Subject<Bool>

    func update(_ context: inout ComponentContext) {
        context.place(Room(journal, room.value, byNote: byNote.value))
    }
}

/// The hosted storage of a place belongs to the same property in every update.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct SlotTests {
    private let handed = Subject<Binding<Int>?>(nil)

    @Test func `a state behind a hosted request stays through updates of the component's own`() async throws {
        try await Scene.run { scene in
            let host = try await scene.scope.host { try Listing(scene, isTied: false, handed: handed) }
            #expect(scene.journal.take() == ["3 rows, 0 taps"])
            let taps = try #require(handed.value)
            for number in 1...3 {
                taps.wrappedValue = number
                try await host.settle()
                #expect(scene.journal.take() == ["3 rows, \(number) taps"])
            }
        }
    }

    @Test func `a request that names fields is followed by those, and by what comes and goes`() async throws {
        let (room, byNote) = (Subject("hall"), Subject(false))
        try await Scene.run(sensors: 2) { scene in
            let (store, journal) = (scene.store, scene.journal)
            let host = try await scene.scope.host { RoomParent(journal: journal, room: room, byNote: byNote) }
            func expect(
                _ expected: [String], _ write: @escaping @Sendable (inout WriteTransaction) throws -> Void
            ) async throws {
                try await store.write { tx in try write(&tx) }
                try await host.settle()
                #expect(journal.take() == expected)
            }
            #expect(journal.take() == [#"["s0 20.0", "s1 20.0"]"#])
            try await expect([]) { try $0.update(Sensor.self, id: "s0") { $0.note = "other" } }
            try await expect([#"["s0 21.0", "s1 20.0"]"#]) { try $0.update(Sensor.self, id: "s0") { $0.celsius = 21 } }
            try await expect([#"["s1 20.0"]"#]) { try $0.delete(Sensor.self, id: "s0") }
            try await expect([]) { try $0.insert(Sensor(id: "s2", room: "attic")) }
            // Another request for the same field, and then a request for another field.
            room.send("attic")
            try await host.settle()
            #expect(journal.take() == [#"["s2 20.0"]"#])
            byNote.send(true)
            try await host.settle()
            #expect(journal.take() == [#"["s2 20.0"]"#])
            try await expect([]) { try $0.update(Sensor.self, id: "s2") { $0.celsius = 5 } }
            try await expect([#"["s2 5.0"]"#]) { try $0.update(Sensor.self, id: "s2") { $0.note = "new" } }
        }
    }

    @Test func `a state under a condition, and with an observer, is hosted`() async throws {
        try await Scene.run { scene in
            let host = try await scene.scope.host { Watchful(journal: scene.journal, handed: handed) }
            #expect(scene.journal.take() == ["0 taps", "set to 1", "1 taps"])
            try #require(handed.value).wrappedValue = 7
            try await host.settle()
            #expect(scene.journal.take() == ["7 taps"])
        }
    }

    @Test(arguments: [true, false])
    func `a state behind a request stays when another is tied to a store`(isTiedFirst: Bool) async throws {
        let isTied = Subject(isTiedFirst)
        try await Scene.run { scene in
            let host = try await scene.scope.host { ListingParent(scene: scene, isTied: isTied, handed: handed) }
            let taps = try #require(handed.value)
            taps.wrappedValue = 5
            try await host.settle()
            #expect(scene.journal.take().last == "3 rows, 5 taps")
            for _ in 0..<2 {
                isTied.update { $0.toggle() }
                try await host.settle()
                #expect(scene.journal.take() == ["3 rows, 5 taps"])
            }
            try await scene.store.write { try $0.delete(Sensor.self, id: "s0") }
            taps.wrappedValue = 6
            try await host.settle()
            #expect(scene.journal.take().last == "2 rows, 6 taps")
        }
    }

    @Test(arguments: [true, false])
    func `a state behind a publisher stays when another kind is followed`(isSequenceFirst: Bool) async throws {
        let isSequence = Subject(isSequenceFirst)
        let (subject, sequence) = (Subject("subject"), Subject("sequence"))
        try await Scene.run { scene in
            let journal = scene.journal
            let host = try await scene.scope.host {
                ShowingParent(
                    journal: journal, subject: subject, sequence: sequence, isSequence: isSequence, handed: handed)
            }
            let taps = try #require(handed.value)
            taps.wrappedValue = 5
            await journal.until { $0.last == "\(isSequenceFirst ? "sequence" : "subject"), 5 taps" }
            for isNowSequence in [!isSequenceFirst, isSequenceFirst] {
                _ = journal.take()
                isSequence.send(isNowSequence)
                try await host.settle()
                await journal.until { $0.last == "\(isNowSequence ? "sequence" : "subject"), 5 taps" }
                #expect(journal.all.allSatisfy { $0.hasSuffix("5 taps") })
            }
        }
    }
}
