import Foundation
import ModelStore
import ModelStoreReplay
import StoreEngine
import StoreRuntime
import Testing

@Suite("Replays of long steps") struct LongStepTests {
    /// Returns inserts of one change set each, which the replay applies as one step.
    private func writes(
        _ count: Int, _ body: @escaping @Sendable (inout WriteTransaction, Int) throws -> Void
    ) -> [ReplayedWrite] {
        (0..<count).map { number in
            ReplayedWrite(
                time: Date(timeIntervalSinceReferenceDate: 0), originName: "test", processID: 1, epoch: 1,
                .closure { tx in try body(&tx, number) })
        }
    }

    @Test func `A step in which the schema changes is shown as one`() async throws {
        let (store, folder) = (try Store.temporary(records: Room.self, Ticket.self), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        var rooms = store.updates(of: FetchRequest<Room>()).makeAsyncIterator()
        _ = try await rooms.next()
        var all = writes(2) { tx, number in
            if number == 0 { try tx.insert(Room(name: "attic")) } else { try tx.insert(Ticket(text: "x")) }
        }
        var change = all[0]
        let number = try #require(store.recordTypes.map(\.id).max()) + 1
        change.content = .schema(try RecordType(id: number, declared: Sensor.recordSchema))
        all.insert(change, at: 1)
        let made = try store.replay(all)
        #expect(made.positions.count == 3)
        #expect(try await rooms.next()?.position == made.positions.last)
        try await recorder.finish()
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(summary.changeSetCount == 3 && summary.deliveryCount == 2 && summary.hasEqualHashes)
    }

    @Test(arguments: [1_000, 1_021, 2_500])
    func `A step of more change sets than a replay makes at a time is shown as one`(count: Int) async throws {
        let (store, folder) = (try Store.temporary(records: Room.self, Ticket.self), try Folder())
        let recorder = try await Recorder(store, to: folder.file("t"))
        var rooms = store.updates(of: FetchRequest<Room>()).makeAsyncIterator()
        _ = try await rooms.next()
        // The first change set contains the room, and the update has the position of the last one.
        let made = try store.replay(
            writes(count) { tx, number in
                if number == 0 { try tx.insert(Room(name: "attic")) } else { try tx.insert(Ticket(text: "\(number)")) }
            })
        #expect(made.positions.count == count)
        #expect(try await rooms.next()?.position == made.positions.last)
        // A record that is inserted and deleted within a step causes no update.
        _ = try store.replay(
            writes(count) { tx, number in
                switch number {
                case 0: try tx.insert(Room(name: "cellar"))
                case count - 1: try tx.delete(Room.self, id: "cellar")
                default: try tx.insert(Ticket(text: "\(number)"))
                }
            })
        try await store.write { try $0.update(Room.self, id: "attic") { $0.floor = 1 } }
        _ = try await rooms.next()
        try await recorder.finish()
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(summary.changeSetCount == 2 * count + 1 && summary.deliveryCount == 3 && summary.hasEqualHashes)
    }
}
