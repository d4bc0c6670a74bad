import Foundation
import LMDB
import StoreEngine
import Testing

@testable import StoreRuntime

/// Changes by other processes to a store that is open here. Raw transactions of this process stand in for them, because the
/// store's writer does not see those either.
@Suite struct ForeignChangeTests {
    private static let a = Sensor(id: "a", room: "r", serial: "1")

    @Test func `a commit by another program than ModelStore makes a reset entry`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in _ = try tx.insert(Self.a) }
        let before = try store.position.sequence
        var raw = try store.core.environment.beginWrite()
        try raw.put("theirs", [1], [2])
        try raw.commit()
        let position = try store.write(returning: .position) { tx in
            _ = try tx.update(Sensor.self, id: "a") { $0.celsius = 1 }
        }.position
        #expect(position.sequence == before + 2)
        let reset = try #require(try store.changeSet(before + 1)?.changes.first)
        #expect(reset.kind == .reset)
        #expect(reset.type == .max)
        // The store does not note the same commit twice.
        let next = try store.write(returning: .position) { tx in
            _ = try tx.update(Sensor.self, id: "a") { $0.celsius = 2 }
        }.position
        #expect(next.sequence == before + 3)
    }

    @Test func `a commit by another program is noted at the next open, too`() throws {
        let sample = try SampleStore()
        try sample.folder.tamper { raw in try raw.put("theirs", [1], [2]) }
        let store = try Store(at: sample.folder.path, records: Sensor.self)
        #expect(try store.changeSet(SampleStore.newest + 1)?.changes.map(\.kind) == [.reset])
        store.close()
        let again = try Store(at: sample.folder.path, records: Sensor.self)
        #expect(try again.position.sequence == SampleStore.newest + 1)
        again.close()
    }

    @Test func `a record type that another process adds is seen by the next write`() throws {
        let store = try Store.temporary(records: Sensor.self)
        try store.write { tx in _ = try tx.insert(Self.a) }
        // Opens the catalog without the store's own state, as another process does.
        _ = try StoreOpening.edit(store.core.environment, options: store.core.options, records: []) { editor in
            try editor.add(Slot.recordSchema)
        }
        #expect(store.recordTypes.map(\.name) == ["Sensor"])
        try store.write { tx in _ = try tx.update(Sensor.self, id: "a") { $0.celsius = 1 } }
        #expect(store.recordTypes.map(\.name) == ["Sensor", "Slot"])
        #expect(try store.findings() == [])
    }

    @Test func `a backup is a store with an epoch of its own from its first writable open`() throws {
        let sample = try SampleStore()
        let copy = try StoreFolder()
        let original = try Store(at: sample.folder.path, records: Sensor.self)
        try original.backup(to: copy.path)
        let copied = try Store(at: copy.path, records: Sensor.self)
        let first = try original.position
        let second = try copied.position
        #expect(first.store == second.store)
        #expect(first.sequence == second.sequence)
        #expect(first.epoch != second.epoch)
        copied.close()
        let again = try Store(at: copy.path, records: Sensor.self)
        #expect(try again.position == second)
        let written = try again.write(returning: .position) { tx in try tx.insert(Self.a) }.position
        #expect(written.epoch == second.epoch)
        #expect(try again.changeSet(written.sequence)?.epoch == second.epoch)
        #expect(try again.findings() == [])
        again.close()
        #expect(storeError { try original.backup(to: copy.path) }?.code == .storeExists)
        original.close()
    }

    @Test(arguments: [false, true], [false, true])
    func `a compacted copy begins with a reset where another program wrote last, also to a store that is just made`(
        isForeign: Bool, isNew: Bool
    ) throws {
        let original = try Store.temporary(records: Sensor.self)
        if !isNew { try original.write { tx in _ = try tx.insert(Self.a) } }
        if isForeign {
            var raw = try original.core.environment.beginWrite()
            try raw.put("theirs", [1], [2])
            try raw.commit()
        }
        let folder = try StoreFolder()
        let newest = try original.position.sequence
        try original.backup(to: folder.path, compacting: true)
        let copy = try Store(at: folder.path, records: Sensor.self)
        #expect(try copy.changeSet(newest + 1)?.changes.map(\.kind) == (isForeign ? [.reset] : nil))
        copy.close()
    }

    @Test(arguments: [false, true])
    func `a compacted copy begins with a reset also where the original has noted the other program's write meanwhile`(
        isForeign: Bool
    ) throws {
        let original = try Store.temporary(records: Sensor.self)
        try original.write { tx in _ = try tx.insert(Self.a) }
        if isForeign {
            var raw = try original.core.environment.beginWrite()
            try raw.put("theirs", [1], [2])
            try raw.commit()
        }
        let folder = try StoreFolder()
        let newest = try original.position.sequence
        try original.core.environment.compact(to: folder.path)
        try original.write { tx in _ = try tx.update(Sensor.self, id: "a") { $0.celsius = 1 } }
        try CompactedCopy(original: original.core, directory: folder.path).settle()
        let copy = try Store(at: folder.path, records: Sensor.self)
        #expect(try copy.changeSet(newest + 1)?.changes.map(\.kind) == (isForeign ? [.reset] : nil))
        copy.close()
    }
}
