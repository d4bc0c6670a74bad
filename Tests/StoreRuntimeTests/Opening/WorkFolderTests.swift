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

    private func leave() throws -> String {
        let left = try WorkFolder(in: folder.path)
        try Data([1, 2, 3]).write(to: URL(filePath: left.path + "/data.mdb"))
        return left.path
    }

    @Test func `opening for writing removes what a killed process left, and reading does not`() throws {
        try makeOld(try leave())
        var options = StoreOptions()
        options.isReadOnly = true
        try Store(at: folder.path, records: Sensor.self, options: options).close()
        #expect(try work().count == 1)
        try Store(at: folder.path, records: Sensor.self).close()
        #expect(try work() == [])
    }

    @Test func `a folder in use stays, also after a long time, and so does a new one`() throws {
        let held = try WorkFolder(in: folder.path)
        try makeOld(held.path)
        let young = try leave()
        try Store(at: folder.path, records: Sensor.self).close()
        #expect(Set(try work()) == Set([held.path, young].map { URL(filePath: $0).lastPathComponent }))
        held.remove()
    }

    @Test func `a folder that is kept has a name that no sweep removes`() throws {
        let kept = try WorkFolder(in: folder.path).keep()
        try makeOld(kept)
        try Store(at: folder.path, records: Sensor.self).close()
        #expect(FileManager.default.fileExists(atPath: kept))
    }
}
