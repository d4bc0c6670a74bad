import Foundation
import LMDB
import StoreEngine
import StoreRuntime
import Testing

@Suite struct HealthyStoreTests {
    @Test func `nothing is found in a healthy store, and all of it is counted`() throws {
        let sample = try SampleStore()
        var found: [VerifyFinding] = []
        let summary = try Store.verify(at: sample.folder.path) { found.append($0) }
        #expect(found.isEmpty, "\(found)")
        #expect(summary.typeCount == 3)
        #expect(summary.recordCount == 10)
        #expect(summary.entryCount == 5 * 3 + 2 * 3 + 3 * 2)
        #expect(summary.changeSetCount == Int(SampleStore.newest))
        #expect(summary.changeCount == 3 + 5 + 3 + 4 + 2 + 2 + 1)
    }

    @Test func `an open store is verified while it is in use`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "b", serial: "c")) }
        var found: [VerifyFinding] = []
        let summary = try store.verify { found.append($0) }
        #expect(found.isEmpty, "\(found)")
        #expect(summary.recordCount == 1)
        store.close()
        #expect(throws: StoreError.self) { try store.verify { _ in } }
    }

    @Test func `a store with a failed sync is not verified, because memory may not show what was written`() throws {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        try store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "b", serial: "c")) }
        try store.verify { _ in }
        // The flag of a failed sync of the data file (`CheckpointFile.Flags.data`).
        let side = try FileHandle(forUpdating: URL(filePath: folder.path + "/redo.checkpoint"))
        try side.seek(toOffset: 8_193)
        try side.write(contentsOf: [1])
        try side.close()
        #expect(storeError { try store.verify { _ in } }?.code == .reopenNeeded)
        store.close()
        #expect(try folder.findings() == [])
    }

    @Test(arguments: [1, 2, 3])
    func `a feed that retention has cut is healthy`(retained: Int) throws {
        let sample = try SampleStore(retained: retained)
        #expect(try sample.folder.findings() == [])
    }

    @Test func `a copy in its new epoch is healthy`() throws {
        let sample = try SampleStore()
        let copy = try StoreFolder()
        let original = try Store(at: sample.folder.path, records: Sensor.self)
        try original.backup(to: copy.path)
        original.close()
        let opened = try Store(at: copy.path, records: Sensor.self)
        var found: [VerifyFinding] = []
        try opened.verify { found.append($0) }
        try opened.write { tx in _ = try tx.insert(Sensor(id: "new", room: "b", serial: "c")) }
        try opened.verify { found.append($0) }
        opened.close()
        #expect(found.isEmpty, "\(found)")
    }

    @Test func `an environment of another program is no store`() throws {
        let folder = try StoreFolder()
        try folder.tamper { raw in try raw.put("mine", [1], [2]) }
        let error = #expect(throws: StoreError.self) { try folder.findings() }
        #expect(error?.code == .notAStore)
    }
}
