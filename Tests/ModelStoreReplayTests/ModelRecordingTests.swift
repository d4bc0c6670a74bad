import Foundation
import ModelStore
import ModelStoreReplay
import StoreEngine
import Testing

@Record private struct Cell {
    @ID var row: Int
    @ID var column: String
    var text: String
}

@Suite("Recording models") struct ModelRecordingTests {
    private func trace(_ folder: Folder) throws -> [String] {
        try String(decoding: folder.read("t"), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `The values of a model are recorded and replayed as those of a query for its record`() async throws {
        let (store, folder) = (try Store.temporary(records: Room.self, Sensor.self), try Folder())
        try await store.write { try $0.insert(Sensor(id: "s", serial: "1", celsius: 20)) }
        let recorder = try await Recorder(store, to: folder.file("t"))
        do {
            let model = try store.model(Sensor.self, id: "s")
            var values = model.values(of: \.celsius).makeAsyncIterator()
            #expect(await values.next() == 20)
            // The values do not include this change. The second subscriber starts after it.
            try await store.write { try $0.update(Sensor.self, id: "s") { $0.note = "noted" } }
            var changes = model.changes.makeAsyncIterator()
            #expect(await changes.next()?.new?.note == "noted")
            try await store.write { try $0.update(Sensor.self, id: "s") { $0.celsius = 30 } }
            #expect(await values.next() == 30)
            #expect(await changes.next()?.new?.celsius == 30)
        }
        try await recorder.finish()
        let lines = try trace(folder)
        #expect(lines.contains(#"{"subscribe":1,"type":"Sensor","where":"id == \"s\""}"#), "\(lines)")
        let given = lines.filter { $0.contains(#""changes":[["#) && $0.hasPrefix(#"{"deliver""#) }
        let wanted = [#"{"celsius":30.0,"note":"noted"}"#, #"{"celsius":30.0}"#]
        #expect(
            given.map { $0.split(separator: "changes", maxSplits: 1).last.map(String.init) }
                == wanted.map { #"":[["update",0,\#($0)]]}"# })
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(summary.deliveryCount == 4 && summary.omittedSubscriptionCount == 0 && summary.hasEqualHashes)
    }

    @Test func `A subscription to a model ends with its record, whatever comes under its id`() async throws {
        let (store, folder) = (try Store.temporary(records: Cell.self), try Folder())
        try await store.write { try $0.insert(Cell(row: 1, column: "a", text: "x")) }
        let model = try store.model(Cell.self, id: Cell.ID(row: 1, column: "a"))
        let recorder = try await Recorder(store, to: folder.file("t"))
        var changes = model.changes.makeAsyncIterator()
        #expect(await changes.next()?.kind == .current)
        try await store.write { _ = try $0.delete(Cell.self, id: model.id) }
        try await store.write { try $0.insert(Cell(row: 1, column: "a", text: "y")) }
        #expect(await changes.next()?.kind == .deleted)
        try await recorder.finish()
        let lines = try trace(folder)
        #expect(lines.contains(#"{"subscribe":1,"type":"Cell","where":"row == 1 && column == \"a\""}"#), "\(lines)")
        #expect(lines.count { $0 == #"{"unsubscribe":1}"# } == 1)
        #expect(try await Replayer.replay(folder.file("t")).deliveryCount == 1)
    }

    @Test func `A value that an earlier recorder was told last is told to the next one, too`() async throws {
        let (store, folder) = (try Store.temporary(records: Room.self), try Folder())
        try await store.write { try $0.insert(Room(name: "attic", floor: 1)) }
        var floors = try store.model(Room.self, id: "attic").values(of: \.floor).makeAsyncIterator()
        #expect(await floors.next() == 1)
        func take(_ floor: Int) async throws {
            try await store.write { try $0.update(Room.self, id: "attic") { $0.floor = floor } }
            #expect(await floors.next() == floor)
        }
        for _ in 1...2 {
            let recorder = try await Recorder(store, to: folder.file("t"), options: .replacing)
            try await take(5)
            try await recorder.finish()
            #expect(try await Replayer.replay(folder.file("t")).deliveryCount == 1)
            // No recorder is running.
            try await take(6)
        }
    }

    @Test func `A model from before the recorder is recorded from its next value on`() async throws {
        let (store, folder) = (try Store.temporary(records: Room.self), try Folder())
        try await store.write { try $0.insert(Room(name: "attic", floor: 1)) }
        var floors = try store.model(Room.self, id: "attic").values(of: \.floor).makeAsyncIterator()
        #expect(await floors.next() == 1)
        for round in 1...2 {
            let recorder = try await Recorder(store, to: folder.file("t"), options: .replacing)
            for floor in [5, 6] {
                try await store.write { try $0.update(Room.self, id: "attic") { $0.floor = floor * round } }
                #expect(await floors.next() == floor * round)
            }
            try await recorder.finish()
            #expect(try trace(folder).contains { $0.contains(#""rows":[{"name":"attic","floor":\#(5 * round)}]"#) })
            #expect(try await Replayer.replay(folder.file("t")).deliveryCount == 2)
        }
    }
}
