import Foundation
import ModelStore
import Testing

@testable import Hostwatch

@Suite("Mirror") struct MirrorTests {
    static func mount(_ target: String, free: UInt64?) -> Mount {
        Mount(
            target: target, source: "/dev/x", type: "ext4", options: ["rw"], totalBytes: 100, freeBytes: free,
            availableBytes: free, totalFiles: 10, freeFiles: 5)
    }

    @Test func `New, changed and gone records become inserts, updates and deletes, the rest stays`() throws {
        let store = try Store.temporary(records: Mount.self)
        let first = [Self.mount("/", free: 50), Self.mount("/a", free: 1), Self.mount("/b", free: nil)]
        let inserted = try store.write(returning: .position) { try Mirror.apply(first, in: &$0) }
        #expect(inserted.result == Mirror.Count(inserted: 3))
        let second = [Self.mount("/", free: 40), Self.mount("/b", free: nil), Self.mount("/c", free: 7)]
        let changed = try store.write(returning: .position) { try Mirror.apply(second, in: &$0) }
        #expect(changed.result == Mirror.Count(inserted: 1, updated: 1, deleted: 1, unchanged: 1))
        #expect(changed.position.sequence == inserted.position.sequence + 1)
        #expect(try store.read { try $0.all(Mount.self) } == second)
        let same = try store.write(returning: .position) { try Mirror.apply(second, in: &$0) }
        #expect(same.result == Mirror.Count(unchanged: 3))
        #expect(same.position == changed.position)
    }

    @Test func `A start time that only the clock moved is no change`() throws {
        let directory = try TemporaryFiles(["readme": ""])
        let mirror = try HostMirror(directory: directory.path + "/store")
        defer { mirror.close() }
        var snapshot = try HostReader().read()
        let first = try mirror.apply(snapshot)
        #expect(first.processes.inserted == snapshot.processes.count)
        let position = try mirror.store.position
        for index in snapshot.processes.indices { snapshot.processes[index].started += 1 }
        let second = try mirror.apply(snapshot)
        #expect(second.processes == Mirror.Count(unchanged: snapshot.processes.count))
        #expect(try mirror.store.position == position)
    }
}
