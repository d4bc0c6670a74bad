import Foundation
import StoreEngine
import Testing

@testable import StoreRuntime

/// The hidden folders in which backups, restores and new stores are made.
@Suite struct WorkFolderTests {
    private let folder: StoreFolder

    init() throws {
        folder = try StoreFolder()
        try Store(at: folder.path, records: Sensor.self).close()
    }

    private func work() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix(".") }
    }

    private func makeOld(_ path: String) throws {
        let past = Date(timeIntervalSinceNow: -120)
        try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: path)
    }

    /// Leaves a folder, as a process that is killed before or after it has locked the folder.
    private func leave(isLocked: Bool = true) throws -> String {
        let left = try WorkFolder(in: folder.path).path
        try Data([1, 2, 3]).write(to: URL(filePath: left + "/data.mdb"))
        if isLocked { return left }
        let unlocked = left.replacing("-work-", with: "-new-")
        try FileManager.default.moveItem(atPath: left, toPath: unlocked)
        return unlocked
    }

    @Test func `opening for writing removes what a killed process left, and reading does not`() throws {
        _ = try leave()
        try makeOld(try leave(isLocked: false))
        var options = StoreOptions()
        options.isReadOnly = true
        try Store(at: folder.path, records: Sensor.self, options: options).close()
        #expect(try work().count == 2)
        try Store(at: folder.path, records: Sensor.self).close()
        #expect(try work() == [])
    }

    @Test func `a folder in use stays, also after a long time, and so does a new one`() throws {
        let held = try WorkFolder(in: folder.path)
        try makeOld(held.path)
        let young = try leave(isLocked: false)
        try Store(at: folder.path, records: Sensor.self).close()
        #expect(Set(try work()) == Set([held.path, young].map { URL(filePath: $0).lastPathComponent }))
        held.remove()
    }

    @Test func `a folder that is kept has a name that no sweep removes`() throws {
        let work = try WorkFolder(in: folder.path)
        let kept = work.keep()
        work.remove()
        try Store(at: folder.path, records: Sensor.self).close()
        #expect(FileManager.default.fileExists(atPath: kept))
    }

    @Test func `a new store in memory removes what a killed process left in memory`() async {
        await #expect(processExitsWith: .success) {
            // The lock ends with the value.
            let left = try WorkFolder(in: WorkFolder.memory).path
            let running = try WorkFolder(in: WorkFolder.memory)
            let store = try Store.temporary(records: Sensor.self)
            #expect(!FileManager.default.fileExists(atPath: left))
            #expect(FileManager.default.fileExists(atPath: running.path))
            running.remove()
            store.close()
            #expect(!FileManager.default.fileExists(atPath: store.path))
        }
    }
}
