import Foundation
import ModelStore
import TestSupport
import Testing

@Record
private struct Room {
    @ID var id: Int
    var name: String
}

@Record
private struct Chair {
    @ID var id: Int
    @Reference(onDelete: .cascade) var room: Reference<Room>
    @Indexed var text: String
}

@Suite("Deletes in a full store", .timeLimit(.minutes(TestLength.waitMinutes))) struct FullStoreTests {
    private static let limit = 6 << 20

    private static func open(_ directory: TestDirectory) throws -> Store {
        var options = StoreOptions()
        options.maximumByteCount = limit
        options.durability = .relaxed
        return try Store(at: directory.path, records: Room.self, Chair.self, options: options)
    }

    private static func byteCount(_ directory: TestDirectory) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + name)
            return sum + (attributes[.size] as? Int ?? 0)
        }
    }

    /// Inserts rooms with 50 chairs until the store is full.
    private static func fill(_ store: Store, from first: Int = 0) throws -> Int {
        for room in first... {
            do {
                try store.write { tx in
                    try tx.insert(Room(id: room, name: "room \(room)"))
                    for chair in 0..<50 {
                        let text = "chair \(chair) " + String(repeating: "x", count: 200)
                        try tx.insert(Chair(id: room * 50 + chair, room: Reference(room), text: text))
                    }
                }
            } catch let error as StoreError where error.code == .storeFull {
                return room
            }
        }
        return 0
    }

    @Test func `a delete that cascades works in a full store, and its space is used again`() throws {
        let directory = try TestDirectory()
        let store = try Self.open(directory)
        let count = try Self.fill(store)
        #expect(count > 20)
        for room in 0..<count / 2 {
            try store.write { tx in _ = try tx.delete(Room.self, id: room) }
            #expect(try Self.byteCount(directory) <= Self.limit)
        }
        #expect(try store.read { try $0.count(Chair.self) } == (count - count / 2) * 50)
        let more = try Self.fill(store, from: count) - count
        #expect(more > count / 8, "\(more) rooms after \(count)")
        #expect(try Self.byteCount(directory) <= Self.limit)
    }

    @Test func `a closure that catches the error of a full store commits nothing`() throws {
        let directory = try TestDirectory()
        let store = try Self.open(directory)
        _ = try Self.fill(store)
        let error = #expect(throws: StoreError.self) {
            try store.write { tx in
                for room in 100_000..<200_000 {
                    _ = try? tx.insert(Room(id: room, name: String(repeating: "n", count: 1_000)))
                }
            }
        }
        #expect(error?.code == .storeFull)
        #expect(try store.read { try $0.get(Room.self, id: 100_000) } == nil)
    }
}
