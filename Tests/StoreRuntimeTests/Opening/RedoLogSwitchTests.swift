import Foundation
import LMDB
import StoreEngine
import TestSupport
import Testing

@testable import StoreRuntime

@Suite struct RedoLogSwitchTests {
    private static let first = Sensor(id: "a", room: "r", serial: "1")
    private static let second = Sensor(id: "b", room: "r", serial: "2")

    private func open(_ path: String, log: Bool = true, upgrades: Bool = false) throws -> Store {
        var options = StoreOptions()
        options.usesRedoLog = log
        options.upgradesFormat = upgrades
        return try Store(at: path, records: Sensor.self, options: options)
    }

    private func format(_ store: Store) throws -> UInt32 {
        let transaction = try store.core.beginRead()
        let reading = transaction._reading
        return try StoreFormat.header(reading.state.databases, reading.snapshot).format
    }

    /// Copies the files of a store that is open, as a crash of the system leaves them, with its data file of before.
    private func crashed(_ path: String, data: String) throws -> StoreFolder {
        let folder = try StoreFolder()
        for name in RedoFiles.names {
            try FileManager.default.copyItem(atPath: path + "/" + name, toPath: folder.path + "/" + name)
        }
        try FileManager.default.copyItem(atPath: data, toPath: folder.path + "/data.mdb")
        return folder
    }

    @Test func `a new store has a log and the newest format`() throws {
        let folder = try StoreFolder()
        let store = try open(folder.path)
        try store.write { tx in _ = try tx.insert(Self.first) }
        #expect(try format(store) == 4)
        let usage = try #require(try store.usage().redoLog)
        #expect(usage.byteCount > 0 && usage.checkpointAge > 0 && usage.pinAge > 0)
        #expect(try store.usage().readerCount == 0, "the pin is no reader")
        let report = store.ownership.report()
        #expect(report.redoLog == usage && report.isEmpty)
        #expect("\(report)".hasPrefix("nothing is alive\nRedo log: \(usage.byteCount) bytes, "))
        #expect(try JSONDecoder().decode(OwnershipReport.self, from: JSONEncoder().encode(report)) == report)
        #expect(try store.changeSet(1)?.changes.first?.kind == .schema, "the feed begins as without a log")
        #expect(try store.findings() == [])
        store.close()
        #expect(store.ownership.report().redoLog == nil)
        let again = try open(folder.path)
        #expect(try again.all(Sensor.self) == [Self.first])
        again.close()
    }

    private func turn(isOn: Bool, _ folder: StoreFolder) throws {
        try RedoLogSwitch.turn(isOn: isOn, at: folder.path, options: StoreOptions())
    }

    @Test(arguments: [(3, 2), (4, 4)] as [(UInt32, UInt32)])
    func `turned off, a store has no log, and one of format 3 the earlier format, until it is turned on`(
        _ logged: UInt32, _ unlogged: UInt32
    ) throws {
        let folder = try StoreFolder()
        if logged == 3 {
            try open(folder.path, log: false).close()
            try OlderFormat.give(3, toStoreAt: folder.path)
        }
        let store = try open(folder.path)
        try store.write { tx in _ = try tx.insert(Self.first) }
        let feed = try store.position
        store.close()
        let kept = try open(folder.path, log: false)
        #expect(try format(kept) == logged && kept.usage().redoLog != nil, "the option is for new stores")
        kept.close()
        try turn(isOn: false, folder)
        let off = try open(folder.path)
        #expect(try format(off) == unlogged)
        #expect(try off.usage().redoLog == nil && off.ownership.report().redoLog == nil)
        #expect(try off.position == feed, "turning the log off is no write of another program")
        #expect(try off.findings() == [])
        off.close()
        #expect(!RedoFiles.exist(in: folder.path))
        let still = try open(folder.path, upgrades: true)
        #expect(try still.usage().redoLog == nil && format(still) == unlogged)
        still.close()
        try turn(isOn: true, folder)
        let on = try open(folder.path)
        #expect(try format(on) == logged)
        #expect(try on.usage().redoLog != nil)
        #expect(try on.position == feed)
        #expect(try on.all(Sensor.self) == [Self.first])
        on.close()
    }

    @Test func `a store of the earlier format gets a log when a program raises the format, with the same feed`() throws
    {
        let folder = try StoreFolder()
        try open(folder.path, log: false).close()
        try OlderFormat.give(2, toStoreAt: folder.path)
        let old = try open(folder.path, log: false)
        try old.write { tx in _ = try tx.insert(Self.first) }
        let feed = try old.position
        old.close()
        let unchanged = try open(folder.path)
        #expect(try format(unchanged) == 2 && unchanged.usage().redoLog == nil)
        unchanged.close()
        let store = try open(folder.path, upgrades: true)
        #expect(try format(store) == 3)
        #expect(try store.usage().redoLog != nil)
        #expect(try store.position == feed)
        store.close()
    }

    @Test func `while another store has it open, the log neither comes nor goes`() throws {
        let folder = try StoreFolder()
        let store = try open(folder.path, log: false)
        #expect(
            storeError { try RedoLogSwitch.turn(isOn: true, at: folder.path, options: StoreOptions()) }?.code == .inUse)
        let second = try open(folder.path, upgrades: true)
        #expect(try second.usage().redoLog == nil && format(second) == 4)
        second.close()
        store.close()
    }

    @Test func `a restored store keeps nothing of the log of the store before`() throws {
        let folder = try StoreFolder()
        let store = try open(folder.path)
        try store.write { tx in _ = try tx.insert(Self.first) }
        let backup = try StoreFolder()
        try store.backup(to: backup.path + "/copy")
        #expect(!RedoFiles.exist(in: backup.path + "/copy"))
        let data = backup.path + "/data.mdb"
        try FileManager.default.copyItem(atPath: folder.path + "/data.mdb", toPath: data)
        try store.write { tx in _ = try tx.insert(Self.second) }
        let crashed = try crashed(folder.path, data: data)
        store.close()
        try Store.restore(from: backup.path + "/copy", to: crashed.path)
        let restored = try open(crashed.path)
        #expect(try restored.all(Sensor.self) == [Self.first])
        #expect(try restored.findings() == [])
        restored.close()
    }

    @Test func `a copy with a log that has to be run is restored with all its commits`() throws {
        let folder = try StoreFolder()
        let store = try open(folder.path)
        try store.write { tx in _ = try tx.insert(Self.first) }
        let aside = try StoreFolder()
        let data = aside.path + "/data.mdb"
        try FileManager.default.copyItem(atPath: folder.path + "/data.mdb", toPath: data)
        try store.write { tx in _ = try tx.insert(Self.second) }
        let crashed = try crashed(folder.path, data: data)
        store.close()
        let target = try StoreFolder()
        try Store.restore(from: crashed.path, to: target.path + "/store")
        let restored = try open(target.path + "/store")
        #expect(try restored.all(Sensor.self) == [Self.first, Self.second])
        restored.close()
    }

    @Test func `a store whose log is damaged can be replaced by a copy`() throws {
        let folder = try StoreFolder()
        let store = try open(folder.path)
        for number in 0..<5 {
            try store.write { tx in _ = try tx.insert(Sensor(id: "\(number)", room: "r", serial: "\(number)")) }
        }
        let backup = try StoreFolder()
        try store.backup(to: backup.path + "/copy")
        let damaged = try crashed(folder.path, data: folder.path + "/data.mdb")
        store.close()
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: damaged.path + "/redo.log"))
        try file.seek(toOffset: 124)
        try file.write(contentsOf: Data([0xFF, 0xFF]))
        try file.close()
        #expect(storeError { _ = try open(damaged.path) }?.code == .damaged)
        try Store.restore(from: backup.path + "/copy", to: damaged.path)
        let restored = try open(damaged.path)
        #expect(try restored.all(Sensor.self).count == 5)
        restored.close()
    }

    @Test func `a copy of a store with a log gets its own log, and keeps the format`() throws {
        let folder = try StoreFolder()
        let store = try open(folder.path)
        try store.write { tx in _ = try tx.insert(Self.first) }
        let backup = try StoreFolder()
        try store.backup(to: backup.path + "/copy")
        store.close()
        #expect(!RedoFiles.exist(in: backup.path + "/copy"))
        let copy = try open(backup.path + "/copy", log: false)
        #expect(try format(copy) == 4 && copy.usage().redoLog != nil)
        #expect(try copy.all(Sensor.self) == [Self.first])
        copy.close()
    }

    @Test func `a new store that shall have no log has the newest format, with the mark`() throws {
        let folder = try StoreFolder()
        try open(folder.path, log: false).close()
        let store = try open(folder.path, upgrades: true)
        #expect(try format(store) == 4 && store.usage().redoLog == nil)
        store.close()
    }

    @Test func `an interrupted creation holds no store for readers, and the next open for writing completes it`() throws
    {
        let folder = try StoreFolder()
        try folder.tamper { raw in
            let databases = try #require(try StoreFormat.openDatabases(&raw, create: true))
            try StoreFormat.writeVersion(3, databases, &raw)
        }
        var reading = StoreOptions()
        reading.isReadOnly = true
        #expect(storeError { _ = try Store(at: folder.path, records: [], options: reading) }?.code == .notAStore)
        let store = try open(folder.path)
        try store.write { tx in _ = try tx.insert(Self.first) }
        #expect(try store.usage().redoLog != nil)
        #expect(try store.findings() == [])
        store.close()
    }
}
