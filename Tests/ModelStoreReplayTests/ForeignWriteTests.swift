import Foundation
import LMDB
import ModelStore
import ModelStoreReplay
import StoreEngine
import Testing

@testable import StoreRuntime

/// Raw transactions stand in for another program, because the store's writer does not see them.
@Suite("Traces of stores that another program has written to") struct ForeignWriteTests {
    private static func key(_ name: String) -> [UInt8] { RecordKey.of(Room.self, id: name, .publicSeeds) }

    private func recorded(
        in folder: Folder, after body: (inout LMDBWriteTransaction, OpenType) throws -> Void
    ) async throws -> Store {
        let store = try Store.temporary(records: Room.self)
        try await store.write { try $0.insert(Room(name: "attic")) }
        var raw = try store.core.environment.beginWrite()
        try body(&raw, try #require(store.core.state.catalog.types.first))
        try raw.commit()
        try await store.write { try $0.upsert(Room(name: "attic", floor: 2)) }
        var options = RecordingOptions()
        options.start = .oldest
        try store.record(to: folder.file("t"), options: options)
        return store
    }

    @Test func `What changed no records is replayed`() async throws {
        let folder = try Folder()
        let store = try await recorded(in: folder) { raw, _ in
            let database = try #require(try raw.openDatabase(named: "theirs", create: true))
            let bytes: [UInt8] = [1]
            try unsafe raw.put(database, key: bytes.span.bytes, value: bytes.span.bytes)
        }
        let summary = try await Replayer.replay(folder.file("t"))
        #expect(try summary.hasEqualHashes && summary.position == store.position)
    }

    @Test func `What changed records is named by the divergence that it causes`() async throws {
        let folder = try Folder()
        let store = try await recorded(in: folder) { raw, type in
            let key = Self.key("attic")
            let isDeleted = try unsafe raw.delete(type.database, key: key.span.bytes)
            #expect(isDeleted)
        }
        let divergence = await #expect(throws: ReplayDivergence.self) { try await Replayer.replay(folder.file("t")) }
        #expect(divergence?.reason.contains("a program that is not ModelStore wrote change set 3") == true)
        // After this position, the trace is complete.
        var options = RecordingOptions()
        for try await set in store.changes(from: .oldest) where set.sequence == 3 {
            options.start = .after(set.position)
            break
        }
        options.replacesFile = true
        try store.record(to: folder.file("t"), options: options)
        #expect(try await Replayer.replay(folder.file("t")).changeSetCount == 1)
    }
}
