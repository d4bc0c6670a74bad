import Foundation
import ModelStore
import ModelStoreReplay
import ResealedTraces
import StoreEngine
import StoreRuntime
import Testing

@Suite("Divergences") struct DivergenceTests {
    /// A later version of the program. Its action of the same name treats hot sensors differently.
    private enum Tomorrow {
        struct Heat: Action {
            static var actionName: String { "Heat" }
            var id: String
            var by: Double

            func run(in tx: inout WriteTransaction) throws {
                try tx.update(Sensor.self, id: id) { $0.celsius = min($0.celsius + by, 100) }
            }
        }
    }

    private struct Heat: Action {
        var id: String
        var by: Double

        func run(in tx: inout WriteTransaction) throws {
            try tx.update(Sensor.self, id: id) { $0.celsius += by }
        }
    }

    private func recorded(in folder: Folder) async throws {
        let store = try Store.temporary(records: Room.self, Sensor.self, Ticket.self)
        try await store.write { try $0.insert(Sensor(id: "s", serial: "1", celsius: 20)) }
        let recorder = try await Recorder(store, to: folder.file("t"))
        for _ in 0..<10 { try await store.send(Heat(id: "s", by: 15)) }
        try await recorder.finish()
    }

    @Test func `The hash of every change set is compared`() async throws {
        let folder = try Folder()
        try await recorded(in: folder)
        let lines = try String(decoding: folder.read("t"), as: UTF8.self).split(separator: "\n").map(String.init)
        let commits = lines.indices.filter { lines[$0].hasPrefix(#"{"commit""#) }
        #expect(commits.count == 10)
        for index in commits {
            let parts = lines[index].split(separator: #","hash":""#, maxSplits: 1)
            var changed = lines
            // The first digit of the hash.
            let digit = try #require(parts.last?.first)
            changed[index] = parts[0] + #","hash":""# + (digit == "1" ? "2" : "1") + parts[1].dropFirst()
            try folder.write(Resealed.text(changed.joined(separator: "\n")).utf8, to: "changed")
            let divergence = await #expect(throws: ReplayDivergence.self) {
                try await Replayer.replay(folder.file("changed"))
            }
            #expect(divergence?.line == index + 1)
            #expect(divergence?.reason == "the hash of the change set differs")
        }
    }

    @Test func `An action that does something else today is found at its frame`() async throws {
        let folder = try Folder()
        try await recorded(in: folder)
        let types = (Room.self, Sensor.self, Ticket.self)
        let same = ReplayOptions(actions: ActionCatalog(Heat.self), records: types.0, types.1, types.2)
        #expect(try await Replayer.replay(folder.file("t"), options: same).actionCount == 10)
        let changed = ReplayOptions(actions: ActionCatalog(Tomorrow.Heat.self), records: types.0, types.1, types.2)
        let divergence = try #require(
            await #expect(throws: ReplayDivergence.self) {
                try await Replayer.replay(folder.file("t"), options: changed)
            })
        // Both versions reach 20 + 5 * 15 = 95; the next step differs.
        let lines = try String(decoding: folder.read("t"), as: UTF8.self).split(separator: "\n")
        let line = lines[divergence.line - 1]
        #expect(line.contains(#""name":"Heat""#) && line.contains(#""set":{"celsius":110"#))
        #expect(divergence.expected.contains("110") && divergence.found.contains("100"))
        #expect(divergence.cause.contains(#""name":"Heat""#))
    }

    @Test func `An action that fails today is a divergence with its error`() async throws {
        struct Failing: Action {
            static var actionName: String { "Heat" }
            func run(in tx: inout WriteTransaction) throws { throw StoreError(.conditionNotMet, "too hot") }
        }
        let folder = try Folder()
        try await recorded(in: folder)
        let options = ReplayOptions(
            actions: ActionCatalog(Failing.self), records: Room.self, Sensor.self, Ticket.self)
        let divergence = await #expect(throws: ReplayDivergence.self) {
            try await Replayer.replay(folder.file("t"), options: options)
        }
        #expect(divergence?.found.contains("too hot") == true)
    }

    @Test func `The cause of an update is a change set of what was asked for, and none that came later`() async throws {
        let (store, folder) = (try Store.temporary(records: Room.self, Sensor.self, Ticket.self), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        var rooms = store.updates(of: FetchRequest<Room>()).makeAsyncIterator()
        _ = try await rooms.next()
        try await store.write { try $0.insert(Room(name: "before")) }
        _ = try await rooms.next()
        try await store.write { try $0.insert(Room(name: "attic")) }
        for number in 1...3 { try await store.send(AddTicket(text: "\(number)")) }
        // The subscriber receives both of the following commits in one update.
        _ = try await rooms.next()
        try await store.write { try $0.insert(Room(name: "cellar")) }
        try await store.write { try $0.insert(Room(name: "hall")) }
        try await store.send(AddTicket(text: "last"))
        _ = try await rooms.next()
        try await recorder.finish()
        let text = try String(decoding: folder.read("t"), as: UTF8.self)
        let lines = text.split(separator: "\n")
        func line(of name: String) throws -> Int {
            try #require(lines.firstIndex { $0.hasPrefix(#"{"commit""#) && $0.contains(name) }) + 1
        }
        for (name, count) in [("attic", 1), ("hall", 2)] {
            let changed = lines.map { line in
                line.hasPrefix(#"{"deliver""#) ? line.replacing(#""name":"\#(name)""#, with: #""name":"x""#) : line
            }
            try folder.write(Resealed.text(changed.joined(separator: "\n")).utf8, to: "changed")
            let divergence = await #expect(throws: ReplayDivergence.self) {
                try await Replayer.replay(folder.file("changed"))
            }
            let cause = try #require(divergence?.cause)
            #expect(try cause.hasPrefix("line \(line(of: name)): {\"commit\""), "\(cause)")
            #expect(
                try cause.hasSuffix("one of 2 possible change sets, the first in line \(line(of: "cellar"))")
                    == (count == 2))
        }
    }

    @Test func `A replay stops where it is told to, and leaves the store there`() async throws {
        let folder = try Folder()
        try await recorded(in: folder)
        let end = try TraceReader(path: folder.file("t")).header.start.sequence
        var options = ReplayOptions()
        options.until = end + 4
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"), options: options)
        #expect(summary.changeSetCount == 4 && summary.position?.sequence == end + 4)
        let store = try Store(at: folder.file("store"), records: Room.self, Sensor.self, Ticket.self)
        #expect(try store.read { try $0.get(Sensor.self, id: "s")?.celsius } == 80)
        store.close()
    }

    @Test func `Redacted values do not reach the trace, and equal ones stay equal`() async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Room.self, Sensor.self, Ticket.self)
        try await store.write { tx in
            for number in 0..<4 {
                try tx.insert(
                    Sensor(
                        id: "s\(number)", serial: "secret-\(number)", celsius: 1, note: "shared \(number % 2) secret",
                        tags: ["secret"]))
            }
        }
        var options = RecordingOptions()
        options.redactedFields = ["Sensor.serial", "Sensor.note", "Sensor.tags"]
        let recorder = try await Recorder(store, to: folder.file("t"), options: options)
        try await store.send(Heat(id: "s1", by: 1))
        var updates = store.updates(of: Sensor.where { $0.note == "shared 1 secret" }).makeAsyncIterator()
        _ = try await updates.next()
        try await store.write { try $0.update(Sensor.self, id: "s2") { $0.note = "another secret" } }
        try await recorder.finish()
        #expect(!String(decoding: try folder.read("t"), as: UTF8.self).contains("secret"))
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"))
        #expect(!summary.hasEqualHashes && summary.changeSetCount == 2)
        let replayed = try Store(at: folder.file("store"), records: Room.self, Sensor.self, Ticket.self)
        let notes = try replayed.read { try $0.fetch(Sensor.order { $0.id.ascending }).map(\.note) }
        #expect(notes[1] == notes[3] && notes[0] != notes[1] && notes[2] != notes[0])
        replayed.close()
        options.redactedFields = ["Sensor.nothing"]
        let error = await #expect(throws: StoreError.self) {
            _ = try await Recorder(store, to: folder.file("u"), options: options)
        }
        #expect(error?.code == .unknownField)
    }

    @Test func `An action that returns something else today is a divergence`() async throws {
        struct Count: Action {
            func run(in tx: inout WriteTransaction) throws -> Int {
                try tx.insert(Room(name: "counted"))
                return 17
            }
        }
        enum Later {
            struct Count: Action {
                static var actionName: String { "Count" }
                func run(in tx: inout WriteTransaction) throws -> Int {
                    try tx.insert(Room(name: "counted"))
                    return 23
                }
            }
        }
        let folder = try Folder()
        let store = try Store.temporary(records: Room.self, Sensor.self, Ticket.self)
        let recorder = try await Recorder(store, to: folder.file("t"))
        _ = try await store.send(Count())
        try await recorder.finish()
        let options = ReplayOptions(
            actions: ActionCatalog(Later.Count.self), records: Room.self, Sensor.self, Ticket.self)
        let divergence = await #expect(throws: ReplayDivergence.self) {
            try await Replayer.replay(folder.file("t"), options: options)
        }
        #expect(divergence?.expected.contains("17") == true && divergence?.found.contains("23") == true)
    }
}
