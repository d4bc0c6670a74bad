import Foundation
import ModelStore
import ModelStoreReplay
import StoreEngine
import Testing

/// A type before and after a change: one field is renamed and moved, one is removed, and one is new.
private enum Before {
    @Record struct Heater {
        @ID var id: String
        var watts: Int
        var gone: Int
        var room: String
    }

    struct Heat: Action {
        static var actionName: String { "Heat" }
        var id: String

        func run(in tx: inout WriteTransaction) throws { try tx.update(Heater.self, id: id) { $0.watts += 100 } }
    }
}

private enum After {
    @Record struct Heater {
        @ID var id: String
        var isOn: Bool = false
        @Renamed(from: "room") var place: String
        var watts: Int
    }

    struct Heat: Action {
        static var actionName: String { "Heat" }
        var id: String

        func run(in tx: inout WriteTransaction) throws { try tx.update(Heater.self, id: id) { $0.watts += 100 } }
    }

    /// This version has a planted bug.
    struct Overheat: Action {
        static var actionName: String { "Heat" }
        var id: String

        func run(in tx: inout WriteTransaction) throws { try tx.update(Heater.self, id: id) { $0.watts += 1_000 } }
    }
}

@Suite("Replays with a record type that has changed since") struct ChangedTypeTests {
    private func recorded(in folder: Folder, from start: RecordingOptions.Start = .newest) async throws {
        let store = try Store.temporary(records: Before.Heater.self)
        try await store.write { try $0.insert(Before.Heater(id: "a", watts: 1, gone: 2, room: "attic")) }
        var options = RecordingOptions()
        options.start = start
        options.replacesFile = true
        let recorder = try await Recorder(store, to: folder.file("t"), options: options)
        var updates = store.updates(of: Before.Heater.where { $0.watts > 0 }).makeAsyncIterator()
        _ = try await updates.next()
        try await store.send(Before.Heat(id: "a"))
        _ = try await updates.next()
        // This write has no action.
        try await store.write { tx in
            try tx.insert(Before.Heater(id: "b", watts: 5, gone: 6, room: "cellar"))
            try tx.update(Before.Heater.self, id: "a") { heater in (heater.room, heater.gone) = ("kitchen", 3) }
        }
        _ = try await updates.next()
        try await store.write { _ = try $0.delete(Before.Heater.self, id: "a") }
        try await store.send(Before.Heat(id: "b"))
        try await recorder.finish()
    }

    private func options(_ actions: ActionCatalog, masked: [String]) -> ReplayOptions {
        var options = ReplayOptions(actions: actions, records: After.Heater.self)
        options.comparison = .semantic
        options.maskedFields = masked
        return options
    }

    @Test func `The records of then come to the types of today, and so do change sets without an action`() async throws
    {
        let folder = try Folder()
        try await recorded(in: folder)
        let options = options(ActionCatalog(After.Heat.self), masked: ["Heater.gone", "Heater.isOn"])
        let summary = try await Replayer.replay(folder.file("t"), into: folder.file("store"), options: options)
        #expect(summary.changeSetCount == 4 && summary.actionCount == 2 && summary.deliveryCount == 3)
        let store = try Store(at: folder.file("store"), records: After.Heater.self)
        let rows = try store.read { try $0.fetch(FetchRequest<After.Heater>()) }
        #expect(rows.map(\.place) == ["cellar"] && rows.map(\.watts) == [105] && rows.map(\.isOn) == [false])
        store.close()
    }

    @Test func `A subscription that names a field as it was called then is made again`() async throws {
        let folder = try Folder()
        let store = try Store.temporary(records: Before.Heater.self)
        try await store.write { try $0.insert(Before.Heater(id: "a", watts: 1, gone: 2, room: "attic")) }
        let recorder = try await Recorder(store, to: folder.file("t"))
        let request = Before.Heater.where { $0.room != "cellar" }.order { $0.room.descending }
        var updates = store.updates(of: request).makeAsyncIterator()
        _ = try await updates.next()
        try await store.send(Before.Heat(id: "a"))
        _ = try await updates.next()
        try await recorder.finish()
        let options = options(ActionCatalog(After.Heat.self), masked: ["Heater.gone", "Heater.isOn"])
        let summary = try await Replayer.replay(folder.file("t"), options: options)
        #expect(summary.actionCount == 1 && summary.deliveryCount == 2 && summary.omittedSubscriptionCount == 0)
    }

    @Test func `Fields that were added, or that the replay's store does not have, differ until they are masked`()
        async throws
    {
        let folder = try Folder()
        // If a trace includes its types, the store keeps a field that the program no longer declares.
        let needed: [(RecordingOptions.Start, [String])] = [
            (.newest, ["Heater.isOn"]), (.oldest, ["Heater.isOn", "Heater.gone"]),
        ]
        for (start, masked) in needed {
            try await recorded(in: folder, from: start)
            for left in masked {
                let lacking = options(ActionCatalog(After.Heat.self), masked: masked.filter { $0 != left })
                await #expect(throws: ReplayDivergence.self, "without \(left)") {
                    try await Replayer.replay(folder.file("t"), options: lacking)
                }
            }
            let options = options(ActionCatalog(After.Heat.self), masked: masked)
            #expect(try await Replayer.replay(folder.file("t"), options: options).actionCount == 2)
        }
    }

    @Test func `An action that does something else is still found`() async throws {
        let folder = try Folder()
        try await recorded(in: folder)
        let options = options(ActionCatalog(After.Overheat.self), masked: ["Heater.gone", "Heater.isOn"])
        let divergence = await #expect(throws: ReplayDivergence.self) {
            try await Replayer.replay(folder.file("t"), options: options)
        }
        #expect(divergence?.expected.contains(#""watts":101"#) == true && divergence?.found.contains("1001") == true)
    }
}
