import Foundation
import Glibc
import StoreEngine
import Testing

@testable import StoreRuntime

/// A file with several names has several lock files, so a store with such a file is not opened.
@Suite struct LinkedFileTests {
    private static func storeFolder() throws -> StoreFolder {
        let folder = try StoreFolder()
        let store = try Store(at: folder.path, records: Sensor.self)
        try store.write { tx in _ = try tx.insert(Sensor(id: "a", room: "r", serial: "1")) }
        store.close()
        return folder
    }

    private static func failure(_ path: String, isReadOnly: Bool) -> StoreError? {
        var options = StoreOptions()
        options.isReadOnly = isReadOnly
        return storeError { try Store(at: path, records: Sensor.self, options: options).close() }
    }

    @Test(arguments: ["data.mdb", "lock.mdb"], [false, true])
    func `a store with a file that has a second name is not opened by either name`(
        file: String, isReadOnly: Bool
    ) throws {
        let (folder, other) = (try Self.storeFolder(), try StoreFolder())
        #expect(unsafe link(folder.path + "/" + file, other.path + "/" + file) == 0)
        for path in [folder.path, other.path] {
            let failure = Self.failure(path, isReadOnly: isReadOnly)
            #expect(failure?.code == .linkedFile && failure?.description.contains("\(file) has 2 names") == true)
        }
        #expect(unsafe unlink(other.path + "/" + file) == 0)
        #expect(Self.failure(folder.path, isReadOnly: isReadOnly) == nil)
    }

    @Test(arguments: ["data.mdb", "lock.mdb"], [false, true])
    func `a symbolic link is not followed`(file: String, isReadOnly: Bool) throws {
        let (folder, other) = (try Self.storeFolder(), try StoreFolder())
        // The link may lead to a file that exists or not.
        for target in [folder.path + "/" + file, other.path + "/missing"] {
            #expect(unsafe symlink(target, other.path + "/" + file) == 0)
            let failure = Self.failure(other.path, isReadOnly: isReadOnly)
            #expect(failure?.code == .linkedFile && failure?.description.contains("\(file) is a symbolic link") == true)
            #expect(unsafe unlink(other.path + "/" + file) == 0)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == [])
    }

    @Test(arguments: ["data.mdb", "lock.mdb"]) func `a pipe is refused at once`(file: String) throws {
        let folder = try StoreFolder()
        #expect(unsafe mkfifo(folder.path + "/" + file, 0o600) == 0)
        #expect(Self.failure(folder.path, isReadOnly: false)?.code == .notAStore)
    }

    @Test func `a store whose directory has a second name by a symbolic link is opened`() throws {
        let (folder, other) = (try Self.storeFolder(), try StoreFolder())
        #expect(unsafe symlink(folder.path, other.path + "/store") == 0)
        #expect(Self.failure(other.path + "/store", isReadOnly: false) == nil)
    }

    @Test func `restore copies a file, and neither a link nor what a link leads to`() throws {
        let (folder, backup, target) = (try Self.storeFolder(), try StoreFolder(), try StoreFolder())
        #expect(unsafe symlink(folder.path + "/data.mdb", backup.path + "/data.mdb") == 0)
        #expect(storeError { try Store.restore(from: backup.path, to: target.path) }?.code == .linkedFile)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target.path) == [])
        #expect(unsafe unlink(backup.path + "/data.mdb") == 0 && mkfifo(backup.path + "/data.mdb", 0o600) == 0)
        #expect(storeError { try Store.restore(from: backup.path, to: target.path) }?.code == .notAStore)
        // A backup by hard links is copied, so that later writes do not change it.
        #expect(unsafe unlink(backup.path + "/data.mdb") == 0)
        #expect(unsafe link(folder.path + "/data.mdb", backup.path + "/data.mdb") == 0)
        try Store.restore(from: backup.path, to: target.path)
        #expect(Self.failure(target.path, isReadOnly: false) == nil)
    }
}
