import Foundation
import ModelStore
import ModelStoreReplay
import StoreEngine
import StoreRuntime
import Synchronization
import ResealedTraces
import Testing

@Suite("Record and replay") struct ReplayTests {
    private func store() throws -> Store { try Store.temporary(records: Room.self, Sensor.self, Ticket.self) }

    /// Adds some records of each type.
    private func fill(_ store: Store) async throws {
        try await store.write { tx in
            try tx.insert(Room(name: "kitchen"))
            try tx.insert(Room(name: "attic", floor: 2))
            try tx.insert(Sensor(id: "a", room: Reference("kitchen"), serial: "1", celsius: 20))
            try tx.insert(Sensor(id: "b", room: Reference("kitchen"), serial: "2", celsius: .nan, tags: ["x", "y"]))
        }
        try await store.send(AddTicket(text: "first"))
        // The two records exchange their unique values.
        try await store.write { tx in
            try tx.update(Sensor.self, id: "a") { $0.serial = "tmp" }
            try tx.update(Sensor.self, id: "b") { $0.serial = "1" }
            try tx.update(Sensor.self, id: "a") { $0.serial = "2" }
        }
        try await store.send(MoveSensor(id: "a", room: "attic"))
        try await store.write { tx in try tx.delete(Room.self, id: "kitchen") }
        try await store.write { tx in
            try tx.insert(Sensor(id: "b", serial: "9", celsius: -1))
            try tx.delete(Sensor.self, id: "a")
            try tx.insert(Sensor(id: "a", serial: "2", celsius: 1))
        }
        try await store.send(AddTicket(text: "second"))
    }

    @Test func `A feed from its beginning is replayed to the same records and the same feed`() async throws {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        var options = RecordingOptions()
        options.start = .oldest
        let recorded = try store.record(to: folder.file("t"), options: options)
        #expect(try recorded.rowCount == 0 && recorded.changeSetCount == Int(store.position.sequence))
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(try summary.hasEqualHashes && summary.position == store.position)
        #expect(summary.changeSetCount == recorded.changeSetCount)
        let again = try Store(at: folder.file("store"), records: Room.self, Sensor.self, Ticket.self)
        #expect(try again.read { try $0._reading.contentHash() } == store.read { try $0._reading.contentHash() })
        #expect(try again.findings() == [])
        again.close()
    }

    @Test func `A feed from its beginning can declare a type before the type that it refers to`()
        async throws
    {
        let (store, folder) = (try Store.temporary(records: Player.self, Team.self), try Folder())
        try await store.write { tx in
            try tx.insert(Player(name: "a"))
            try tx.insert(Team(name: "t", leader: Reference("a")))
            try tx.update(Player.self, id: "a") { $0.team = Reference("t") }
        }
        var options = RecordingOptions()
        options.start = .oldest
        try store.record(to: folder.file("t"), options: options)
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(try summary.hasEqualHashes && summary.position == store.position)
        let again = try Store(at: folder.file("store"), records: Player.self, Team.self)
        #expect(try again.findings() == [])
        again.close()
    }

    @Test func `Who records or replays is told how far it has come`() async throws {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        var options = RecordingOptions()
        options.start = .oldest
        let recording = try FeedRecording(store, to: folder.file("t"), options)
        var recorded: [Int] = []
        try recording.advance(to: store.feedRange.upperBound) { recorded.append($0) }
        let summary = try recording.finish()
        #expect(recorded.last == summary.changeSetCount)
        let replayed = Mutex<[Int]>([])
        var replay = ReplayOptions()
        replay.onProgress = { count in replayed.withLock { $0.append(count) } }
        try await Replayer.replay(folder.file("t"), options: replay)
        #expect(replayed.withLock(\.last) == summary.changeSetCount)
    }

    @Test func `Live queries from before the recorder are recorded from their next delivery on, by each recorder`()
        async throws
    {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        var warm = store.updates(of: Sensor.where { $0.celsius < 100 }).makeAsyncIterator()
        var pairs = store.updates(of: Sensor.order { $0.id.ascending }, Room.order { $0.name.ascending })
            .makeAsyncIterator()
        _ = try await (warm.next(), pairs.next())
        for round in 1...2 {
            let recorder = try await Recorder(store, to: folder.file("t\(round)"))
            for step in 1...3 {
                try await store.write { try $0.update(Sensor.self, id: "a") { $0.celsius = Double(round * 10 + step) } }
                _ = try await (warm.next(), pairs.next())
            }
            try await recorder.finish()
            let summary = try await Replayer.replay(folder.file("t\(round)"))
            // The second result of the pair does not change.
            #expect(summary.deliveryCount == 3 + 3 && summary.hasEqualHashes, "\(summary)")
        }
    }

    @Test func `Scopes whose names hold a slash are opened and closed again`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        let outer = try store.scope("GET /orders")
        let inner = try outer.child("a/b")
        try await store.send(AddTicket(text: "x"))
        inner.close()
        outer.close()
        try await recorder.finish()
        let text = String(decoding: try folder.read("t"), as: UTF8.self)
        #expect(text.contains("GET /orders/a/b"))
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(summary.hasEqualHashes && summary.changeSetCount == 1)
    }

    @Test func `A masked field that is not named as one is an error`() async throws {
        let (store, folder) = (try store(), try Folder())
        try store.record(to: folder.file("t"))
        var options = ReplayOptions()
        options.maskedFields = ["celsius"]
        let error = await #expect(throws: StoreError.self) {
            try await Replayer.replay(folder.file("t"), options: options)
        }
        #expect(error?.code == .unknownField)
    }

    @Test func `A masked field that no record type has is an error that names the nearest`() async throws {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        var recording = RecordingOptions()
        recording.start = .oldest
        try store.record(to: folder.file("t"), options: recording)
        var options = ReplayOptions()
        options.maskedFields = ["Sensor.celsius", "Sensr.serial"]
        let error = await #expect(throws: StoreError.self) {
            try await Replayer.replay(folder.file("t"), options: options)
        }
        #expect(error?.code == .unknownField && error?.remedy == "did you mean Sensor.serial?")
        options.maskedFields.removeLast()
        #expect(try await Replayer.replay(folder.file("t"), options: options).changeSetCount > 0)
    }

    @Test func `A trace that begins with records goes on from them`() async throws {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        let recorder = try await Recorder(store, to: folder.file("t"))
        try await store.send(AddTicket(text: "third"))
        try await store.write { try $0.update(Sensor.self, id: "a") { $0.celsius = 30 } }
        let recorded = try await recorder.finish()
        #expect(recorded.changeSetCount == 2 && recorded.rowCount > 3)
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(try summary.hasEqualHashes && summary.position == store.position)
    }

    @Test func `Actions are run by the code of today, with the time, identifiers and random numbers of then`()
        async throws
    {
        let (store, folder) = (try store(), try Folder())
        try await fill(store)
        var options = RecordingOptions()
        options.start = .oldest
        try store.record(to: folder.file("t"), options: options)
        let replay = ReplayOptions(
            actions: ActionCatalog(MoveSensor.self, AddTicket.self), records: Room.self, Sensor.self, Ticket.self)
        let summary = try await Replayer.replay(folder.file("t"), options: replay)
        #expect(summary.actionCount == 3 && summary.skippedActionCount == 0)
    }

    @Test func `A trace may begin at any position that the feed still tells of`() async throws {
        let folder = try Folder()
        var options = StoreOptions()
        options.limits.retainedChangeSets = 20
        let store = try Store.temporary(records: Room.self, Sensor.self, Ticket.self, options: options)
        try await fill(store)
        for number in 0..<60 { try await store.send(AddTicket(text: "\(number)")) }
        try await store.write { try $0.delete(Sensor.self, id: "b") }
        var recording = RecordingOptions()
        recording.start = .oldest
        let oldest = try store.feedRange.lowerBound
        let recorded = try store.record(to: folder.file("t"), options: recording)
        #expect(
            try oldest > 0 && recorded.rowCount > 20 && recorded.changeSetCount == Int(store.position.sequence - oldest)
        )
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(try summary.hasEqualHashes && summary.position == store.position)
    }

    @Test func `Scopes, clocks and subscriptions stand in the trace where they were`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        let scope = try store.scope("app")
        let child = try scope.child("part")
        var updates = store.updates(of: Room.where { $0.floor > 1 }.limit(3)).makeAsyncIterator()
        _ = try await updates.next()
        recorder.clockAdvanced(by: .milliseconds(1_500))
        try await store.write { try $0.insert(Room(name: "attic", floor: 2)) }
        _ = try await updates.next()
        child.close()
        scope.close()
        try await recorder.finish()
        let lines = try String(decoding: folder.read("t"), as: UTF8.self).split(separator: "\n").map(String.init)
        let wanted = [
            #"{"open":"app"}"#, #"{"open":"app/part"}"#,
            #"{"subscribe":1,"type":"Room","where":"floor > 1","limit":3}"#, #"{"deliver":1,"at":3,"rows":[]}"#,
            #"{"advance":"PT1.5S"}"#, #"{"shown":4}"#,
            #"{"deliver":1,"at":4,"changes":[["insert",0,{"name":"attic","floor":2}]]}"#, #"{"close":"app/part"}"#,
            #"{"close":"app"}"#,
        ]
        #expect(lines.filter { wanted.contains($0) } == wanted, "\(lines.dropFirst(2))")
        #expect(try await Replayer.replay(folder.file("t")).deliveryCount == 2)
    }

    @Test func `Counts, and whether there is anything, are recorded and replayed`() async throws {
        let (store, folder) = (try store(), try Folder())
        var old = store.counts(of: FetchRequest<Room>()).makeAsyncIterator()
        _ = try await old.next()
        let recorder = try await Recorder(store, to: folder.file("t"))
        var counts = store.counts(of: Ticket.where { $0.number > 0 }).makeAsyncIterator()
        var existence = store.existence(of: Room.where { $0.floor > 1 }).makeAsyncIterator()
        #expect(try await counts.next()?.value == 0)
        #expect(try await existence.next()?.value == false)
        for number in 1...3 {
            try await store.send(AddTicket(text: "\(number)"))
            #expect(try await counts.next()?.value == number)
        }
        try await store.write { try $0.insert(Room(name: "attic", floor: 2)) }
        #expect(try await existence.next()?.value == true)
        #expect(try await old.next()?.value == 1)
        try await recorder.finish()
        let lines = try String(decoding: folder.read("t"), as: UTF8.self).split(separator: "\n").map(String.init)
        let subscription = #"{"subscribe":1,"type":"Ticket","where":"number > 0","count":true}"#
        #expect(lines.count { $0 == subscription } == 1)
        let given = lines.filter { $0.hasPrefix(#"{"deliver":1,"#) }
        #expect(given.map { $0.suffix(11) } == (0...3).map { #","count":\#($0)}"# }, "\(given)")
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(summary.deliveryCount == 4 + 2 + 1 && summary.omittedSubscriptionCount == 0)
    }

    @Test func `Another number is a divergence`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        var counts = store.counts(of: FetchRequest<Ticket>()).makeAsyncIterator()
        _ = try await counts.next()
        try await store.send(AddTicket(text: "x"))
        _ = try await counts.next()
        try await recorder.finish()
        let text = try String(decoding: folder.read("t"), as: UTF8.self)
        try folder.write(Resealed.text(text.replacing(#""count":1}"#, with: #""count":2}"#)).utf8, to: "changed")
        let divergence = await #expect(throws: ReplayDivergence.self) {
            try await Replayer.replay(folder.file("changed"))
        }
        let (expected, found) = (divergence?.expected ?? "", divergence?.found ?? "")
        #expect(expected.contains(#""count":2"#) && found.contains(#""count":1"#))
    }

    @Test func `Of values that a closure makes the trace says that it lacks them`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        do {
            let all = FetchRequest<Ticket>()
            var values = store.values(of: all) { view, request in try view.fetch(request).count }.makeAsyncIterator()
            _ = try await values.next()
            try await store.send(AddTicket(text: "x"))
            #expect(try await values.next()?.value == 1)
        }
        try await recorder.finish()
        let text = try String(decoding: folder.read("t"), as: UTF8.self)
        #expect(text.contains(#"{"subscribe":1,"type":"Ticket","omitted":"a closure computes the values"}"#))
        #expect(text.contains(#"{"unsubscribe":1}"#) && !text.contains(#"{"deliver""#))
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(summary.omittedSubscriptionCount == 1 && summary.hasEqualHashes)
    }

    @Test func `A second recorder is refused, and leaves the file of the first alone`() async throws {
        let (store, folder) = (try store(), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        let error = await #expect(throws: StoreError.self) { _ = try await Recorder(store, to: folder.file("t")) }
        #expect(error?.code == .inUse)
        try await fill(store)
        let recorded = try await recorder.finish()
        #expect(try await recorder.finish() == recorded)
        #expect(try await Replayer.replay(folder.file("t")).changeSetCount == recorded.changeSetCount)
    }

    @Test func `A schema that changes in the middle is followed`() async throws {
        let folder = try Folder()
        let path = folder.file("source")
        var store = try Store(at: path, records: Room.self)
        try await store.write { try $0.insert(Room(name: "hall")) }
        store.close()
        store = try Store(at: path, records: Room.self, Sensor.self)
        try await store.write { try $0.insert(Sensor(id: "s", room: "hall", serial: "1", celsius: 2)) }
        store.close()
        store = try Store(at: path, records: Later.Room.self, Sensor.self, Ticket.self)
        try await store.write { try $0.update(Later.Room.self, id: "hall") { $0.name2 = "great hall" } }
        try await store.send(AddTicket(text: "x"))
        var recording = RecordingOptions()
        recording.start = .oldest
        try store.record(to: folder.file("t"), options: recording)
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(try summary.hasEqualHashes && summary.position == store.position)
        let again = try Store(at: folder.file("store"), records: Later.Room.self, Sensor.self, Ticket.self)
        #expect(try again.read { try $0.first(Later.Room.where { $0.name2 == "great hall" }) }?.name == "hall")
        #expect(try again.findings() == [])
        again.close()
        store.close()
    }
}

/// A later version of the program, whose rooms have an additional field with an index.
private enum Later {
    @Record
    struct Room {
        @ID var name: String
        var floor: Int = 0
        @Indexed var name2: String = ""
    }
}
