import Foundation
import Glibc
import Testing

@testable import LMDB

@Suite
struct FileSystemTests {
    @Test(arguments: [
        (UInt32(0x6969), "NFS"), (0xFF53_4D42, "SMB"), (0xFE53_4D42, "SMB"), (0x00C3_6400, "Ceph"), (0x0102_1997, "9P"),
        (0x6573_5546, "FUSE"), (0x5346_414F, "AFS"), (0x0BD0_0BD0, "Lustre"),
    ])
    func `Network file systems are known by their magic number`(magic: UInt32, name: String) {
        #expect(FileSystemKind.networkName(magic: magic) == name)
    }

    @Test(arguments: [UInt32(0xEF53), 0x0102_1994, 0x5846_5342, 0x9123_683E, 0x794C_7630, 0xF2F5_2010])
    func `Local file systems pass`(magic: UInt32) {
        #expect(FileSystemKind.networkName(magic: magic) == nil)
    }

    @Test
    func `New files take the mode asked for, whatever the umask`() throws {
        for mode: UInt32 in [0o600, 0o640, 0o666] {
            let store = try TemporaryStore(LMDBEnvironment.Options(syncs: false, fileMode: mode))
            for file in ["data.mdb", "lock.mdb"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: store.path + "/" + file)
                #expect(attributes[.posixPermissions] as? Int == Int(mode), "\(file)")
            }
        }
    }

    @Test
    func `A store opened read-only reads and refuses to write`() throws {
        let directory = try TemporaryDirectory()
        let writing = try LMDBEnvironment.open(at: directory.path, options: .test)
        try writing.store([("a", "1")])
        writing.close()
        let options = LMDBEnvironment.Options(isReadOnly: true, syncs: false)
        let reading = try LMDBEnvironment.open(at: directory.path, options: options)
        defer { reading.close() }
        #expect(try reading.value("a") == "1")
        #expect(code { _ = try reading.beginWrite() } == .readOnly)
    }

    @Test(.enabled(if: MemoryFileSystem.isAvailable, "needs the right to mount a tmpfs"))
    func `A store on read-only media opens read-only without a lock, and says why not otherwise`() throws {
        let disk = try MemoryFileSystem(byteCount: 1 << 22)
        let writing = try LMDBEnvironment.open(at: disk.path, options: .test)
        try writing.store([("a", "1")])
        writing.close()
        try FileManager.default.removeItem(atPath: disk.path + "/lock.mdb")
        try disk.makeReadOnly()
        let error = #expect(throws: LMDBError.self) { try LMDBEnvironment.open(at: disk.path, options: .test).close() }
        #expect(error?.code == .readOnly)
        #expect(error?.remedy?.contains("read-only") == true)
        let options = LMDBEnvironment.Options(isReadOnly: true, syncs: false)
        let reading = try LMDBEnvironment.open(at: disk.path, options: options)
        defer { reading.close() }
        #expect(try reading.value("a") == "1")
        #expect(try reading.readers() == [])
        #expect(try reading.clearStaleReaders() == 0)
        #expect(try reading.info().pageSize >= 4096)
    }

    @Test(.enabled(if: MemoryFileSystem.isAvailable, "needs the right to mount a tmpfs"))
    func `A full disk fails the commit for sure, and the environment stays usable`() throws {
        let disk = try MemoryFileSystem(byteCount: 1 << 20)
        let environment = try LMDBEnvironment.open(at: disk.path, options: LMDBEnvironment.Options())
        defer { environment.close() }
        try environment.store([("kept", "1")])
        let large = String(repeating: "x", count: 100_000)
        let error = #expect(throws: LMDBError.self) {
            try environment.store((0..<30).map { ("\($0)", large) })
        }
        #expect(error?.code == .diskFull)
        #expect(error?.isOutcomeUnknown == false)
        #expect(try environment.value("kept") == "1")
        #expect(try environment.value("0") == nil)
        try environment.store([("small", "2")])
        #expect(try environment.value("small") == "2")
    }

    @Test
    func `A limit on file size is a full disk too`() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 1 << 20, rlim_max: 1 << 20)
            guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
            let store = try TemporaryStore()
            try store.environment.store([("kept", "1")])
            let large = String(repeating: "x", count: 2_000_000)
            let failure = code { try store.environment.store([("large", large)]) }
            guard failure == .diskFull || failure == .ioError else { exit(3) }
            try store.environment.store([("small", "2")])
            guard try store.environment.value("kept") == "1", try store.environment.value("small") == "2" else {
                exit(4)
            }
        }
    }
}
