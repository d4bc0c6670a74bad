import Foundation
import Glibc
import LMDB
import Testing
import TestSupport

/// The small files that processes write through a map: full disks and truncation must not end a process.
@Suite(.timeLimit(.minutes(TestLength.waitMinutes))) struct WakeFileTests {
    /// Runs `body` with a folder that is removed afterwards.
    private static func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "wake-file-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private static func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(unsafe stat(path, &status) == 0)
        return status
    }

    @Test func `a wake is counted, and seen by a program that only reads`() throws {
        try Self.inFolder { folder in
            let writer = try WakeFile(in: folder, fileMode: 0o600, isReadOnly: false)
            let reader = try WakeFile(in: folder, fileMode: 0o600, isReadOnly: true)
            #expect(reader.count == 0)
            writer.wakeAll()
            #expect(reader.count == 1 && writer.count == 1)
            reader.wakeAll()
            #expect(writer.count == 1)
        }
    }

    @Test func `a truncated file counts nothing and ends no process, and a new opening repairs it`() throws {
        try Self.inFolder { folder in
            let file = try WakeFile(in: folder, fileMode: 0o600, isReadOnly: false)
            file.wakeAll()
            #expect(unsafe truncate(file.path, 0) == 0)
            #expect(file.count == 0)
            file.wakeAll()
            file.wakeWaiting()
            file.wait(whileCountIs: 0, milliseconds: 1)
            let again = try WakeFile(in: folder, fileMode: 0o600, isReadOnly: false)
            again.wakeAll()
            #expect(again.count == 1 && file.count == 1)
        }
    }

    @Test func `the pages of the wake file and of the lock file have their blocks, also in files that were sparse`()
        throws
    {
        try Self.inFolder { folder in
            for name in [WakeFile.name, "lock.mdb"] {
                // A sparse file, as earlier versions made it. LMDB takes over the size of its lock file.
                let descriptor = unsafe open(folder + "/" + name, O_RDWR | O_CREAT, 0o600)
                #expect(ftruncate(descriptor, 131_072) == 0)
                close(descriptor)
            }
            let environment = try LMDBEnvironment.open(at: folder)
            defer { environment.close() }
            let file = try WakeFile(in: folder, fileMode: 0o600, isReadOnly: false)
            #expect(try Self.status(file.path).st_blocks * 512 >= 4_096)
            let lock = try Self.status(folder + "/lock.mdb")
            #expect(lock.st_size == 131_072 && Int(lock.st_blocks) * 512 >= 131_072)
        }
    }

    @Test func `a reader of an environment that does not exist leaves no file`() throws {
        try Self.inFolder { folder in
            #expect(throws: LMDBError.self) {
                try LMDBEnvironment.open(at: folder, options: LMDBEnvironment.Options(isReadOnly: true)).close()
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left == [])
        }
    }

    @Test func `a new lock file has room for the readers that were asked for, and no hole`() throws {
        try Self.inFolder { folder in
            let environment = try LMDBEnvironment.open(at: folder, options: .init(maximumReaders: 300))
            defer { environment.close() }
            let lock = try Self.status(folder + "/lock.mdb")
            #expect(lock.st_size == 128 + 300 * 64 && Int(lock.st_blocks) * 512 >= Int(lock.st_size))
        }
    }
}
