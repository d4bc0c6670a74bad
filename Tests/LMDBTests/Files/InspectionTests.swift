import Foundation
import LMDB
import Testing

@Suite
struct InspectionTests {
    /// Returns a closed store with some pages, and the path of its data file.
    private func closedStore() throws -> (TemporaryDirectory, data: String) {
        let directory = try TemporaryDirectory()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        for round in 0..<20 { try environment.store([("\(round)", String(repeating: "x", count: 3000))]) }
        environment.close()
        return (directory, directory.path + "/data.mdb")
    }

    private func openError(_ path: String) -> LMDBError? {
        do {
            try LMDBEnvironment.open(at: path, options: .test).close()
            return nil
        } catch {
            return error
        }
    }

    private func overwrite(_ path: String, at offset: UInt64, with bytes: [UInt8]) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    @Test
    func `An empty data file becomes a new store`() throws {
        let directory = try TemporaryDirectory()
        #expect(FileManager.default.createFile(atPath: directory.path + "/data.mdb", contents: nil))
        #expect(openError(directory.path) == nil)
        #expect(openError(directory.path) == nil)
    }

    @Test
    func `A directory that is not there is named`() throws {
        let error = try #require(openError("/nowhere/at/all"))
        #expect(error.code == .noSuchFile)
        #expect(error.path == "/nowhere/at/all")
    }

    @Test(arguments: [10, 100, 5000, 100_000])
    func `A file of another kind is not a store`(count: Int) throws {
        let directory = try TemporaryDirectory()
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 3) })
        try bytes.write(to: URL(fileURLWithPath: directory.path + "/data.mdb"))
        let error = try #require(openError(directory.path))
        #expect(error.code == .notAStore)
        #expect(error.remedy != nil)
    }

    @Test
    func `A directory in place of the data file is not a store`() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path + "/data.mdb", withIntermediateDirectories: false)
        #expect(openError(directory.path)?.code == .notAStore)
    }

    @Test
    func `Another data version is refused, and both versions are named`() throws {
        let (directory, data) = try closedStore()
        try overwrite(data, at: 20, with: [231, 3, 0, 0])
        let error = try #require(openError(directory.path))
        #expect(error.code == .newerFormat)
        #expect(error.detail.contains("version 999") && error.detail.contains("version 1"))
    }

    @Test
    func `A file of LMDB 1.0 is refused by its data version, with the library's`() throws {
        let (directory, data) = try closedStore()
        // The MDB_DATA_VERSION of LMDB 1.0 is 2.
        try overwrite(data, at: 20, with: [2, 0, 0, 0])
        let error = try #require(openError(directory.path))
        #expect(error.code == .newerFormat)
        #expect(error.detail.contains("version 2, and liblmdb 0.9.") && error.remedy?.contains("export") == true)
    }

    @Test
    func `The program runs with the liblmdb that it was compiled with, up to the patch`() throws {
        #expect((LMDBLibrary.running.major, LMDBLibrary.running.minor) == (0, 9))
        let compiled = LMDBLibrary(major: 0, minor: 9, patch: 24)
        try LMDBLibrary(major: 0, minor: 9, patch: 35).requireLayout(of: compiled, path: "/store")
        for (major, minor) in [(1, 0), (0, 10), (1, 9)] {
            let running = LMDBLibrary(major: Int32(major), minor: Int32(minor), patch: 0)
            let error = #expect(throws: LMDBError.self) { try running.requireLayout(of: compiled, path: "/store") }
            #expect(error?.code == .otherLibrary)
            #expect(error?.detail.contains("0.9.24") == true && error?.detail.contains("\(running)") == true)
        }
    }

    @Test
    func `A file of the other byte order is refused`() throws {
        let (directory, data) = try closedStore()
        try overwrite(data, at: 16, with: [0xBE, 0xEF, 0xC0, 0xDE])
        let error = try #require(openError(directory.path))
        #expect(error.code == .notAStore)
        #expect(error.detail.contains("byte order"))
    }

    @Test(arguments: [4096 + 16, 40, 10])
    func `Damage in a meta page is refused`(offset: Int) throws {
        let (directory, data) = try closedStore()
        try overwrite(data, at: UInt64(offset), with: [0, 0, 0, 0])
        #expect(openError(directory.path)?.code == .damaged)
    }

    @Test
    func `A truncated file is refused before it could crash`() throws {
        let (directory, data) = try closedStore()
        let whole = try Data(contentsOf: URL(fileURLWithPath: data))
        for count in stride(from: 4096, to: whole.count, by: 8192) {
            try whole.prefix(count).write(to: URL(fileURLWithPath: data))
            let error = try #require(openError(directory.path), "\(count) of \(whole.count) bytes")
            #expect(error.code == .truncated)
            #expect(error.detail.contains("\(whole.count)") || count <= 8192)
        }
        try whole.write(to: URL(fileURLWithPath: data))
        #expect(openError(directory.path) == nil)
    }

    @Test(arguments: [10_000, 300_000, 30_000_000])
    func `A file is sound that ends before pages which were freed unwritten`(byteCount: Int) throws {
        let directory = try TemporaryDirectory()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        // If earlier commits have freed pages, LMDB also reuses pages within a transaction.
        for round in 0..<10 { try environment.store([("kept", "value \(round)")]) }
        var transaction = try environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "small", "value")
        try transaction.put(database, "large", String(repeating: "x", count: byteCount))
        _ = unsafe try transaction.delete(database, key: "large".bytes.span.bytes)
        try transaction.commit()
        let info = try environment.info()
        environment.close()
        #expect(info.fileBytes < (info.lastPage + 1) * info.pageSize, "this is what the test is about")
        let again = try LMDBEnvironment.open(at: directory.path, options: .test)
        #expect(try again.value("small") == "value")
        again.close()
        // If pages in use are missing, the free list does not excuse the short file.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: directory.path + "/data.mdb"))
        try file.truncate(atOffset: UInt64(3 * info.pageSize))
        try file.close()
        #expect(openError(directory.path)?.code == .truncated)
    }

    @Test(arguments: [UInt64.max, UInt64(1) << 63, UInt64(1) << 62 + 1])
    func `an impossible number of a transaction is damage, also when it comes while the store is open`(
        number: UInt64
    ) throws {
        let (directory, data) = try closedStore()
        let environment = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { environment.close() }
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        // The even and the odd transactions have a meta page each.
        for page in [UInt64(0), 1] {
            try overwrite(data, at: page * 4_096 + 144, with: bytes)
        }
        #expect(throws: LMDBError.self) { _ = try environment.beginRead() }
        #expect(throws: LMDBError.self) { _ = try environment.beginWrite() }
        let copy = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: data, toPath: copy.path + "/data.mdb")
        let error = try #require(openError(copy.path))
        #expect(error.code == .damaged)
    }
}
