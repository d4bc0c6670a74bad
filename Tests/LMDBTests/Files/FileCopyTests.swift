import Foundation
import Glibc
import LMDB
import Testing

/// Copies of environments in use.
@Suite(.timeLimit(.minutes(5))) struct FileCopyTests {
    private static let pageSize = 4_096
    /// The bytes of a meta page that LMDB uses.
    private static let metaByteCount = 152

    private static func file(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path + "/data.mdb")) }

    /// Copies an environment, and opens the copy for `body`.
    private static func copied(
        _ environment: LMDBEnvironment, _ body: (LMDBEnvironment, TemporaryDirectory) throws -> Void
    ) throws {
        let directory = try TemporaryDirectory()
        try environment.copy(to: directory.path)
        let copy = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { copy.close() }
        try body(copy, directory)
    }

    private static func blockCount(_ path: String) -> Int {
        var status = stat()
        return unsafe stat(path + "/data.mdb", &status) == 0 ? Int(status.st_blocks) : 0
    }

    @Test(arguments: 1...4)
    func `The meta pages are those of the copied commit, and the rest of their pages is empty`(commits: Int) throws {
        let store = try TemporaryStore()
        for number in 1...commits { try store.environment.store([("a", "\(number)")]) }
        let handle = try FileHandle(forUpdating: URL(filePath: store.path + "/data.mdb"))
        for page in 0...1 {
            try handle.seek(toOffset: UInt64(page * Self.pageSize + Self.metaByteCount))
            try handle.write(contentsOf: Data("remains of a table".utf8))
        }
        let original = try Self.file(store.path)
        let number = try store.environment.info().lastTransactionID
        try Self.copied(store.environment) { copy, directory in
            let bytes = try Self.file(directory.path)
            #expect(bytes.count == original.count)
            let newest = (number & 1) * Self.pageSize
            let meta = newest..<newest + Self.metaByteCount
            #expect(bytes[meta] == original[meta])
            var earlier = Data(bytes[meta])
            earlier[0] = UInt8(1 - number & 1)
            earlier[144] = UInt8(number - 1)
            let other = Self.pageSize - newest
            #expect(bytes[other..<other + Self.metaByteCount] == earlier)
            for page in [newest, other] {
                #expect(bytes[page + Self.metaByteCount..<page + Self.pageSize].allSatisfy { $0 == 0 })
            }
            #expect(bytes[(2 * Self.pageSize)...] == original[(2 * Self.pageSize)...])
            #expect(try copy.info().lastTransactionID == number)
            #expect(try copy.value("a") == "\(commits)")
            try copy.store([("a", "later")])
            #expect(try copy.value("a") == "later")
        }
    }

    @Test func `An environment without a commit is copied`() throws {
        let store = try TemporaryStore()
        try Self.copied(store.environment) { copy, _ in
            #expect(try copy.info().lastTransactionID == 0)
            try copy.store([("a", "1")])
            #expect(try copy.value("a") == "1")
        }
    }

    @Test func `A copy within a write transaction has the last commit`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")])
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "a", "2")
        try Self.copied(store.environment) { copy, _ in
            let value = try copy.value("a")
            #expect(value == "1")
        }
        let directory = try TemporaryDirectory()
        try store.environment.compact(to: directory.path)
        try transaction.commit()
        #expect(try store.environment.value("a") == "2")
    }

    @Test(.enabled(if: ForeignProcess.isAvailable, "needs python3 and liblmdb.so.0"))
    func `A copy does not wait for a stopped process that holds the writer lock`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")])
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 30)")
        try other.ask("hold-writer")
        kill(other.processID, SIGSTOP)
        defer { kill(other.processID, SIGCONT) }
        try Self.copied(store.environment) { copy, _ in
            let value = try copy.value("a")
            #expect(value == "1")
        }
        let directory = try TemporaryDirectory()
        try store.environment.compact(to: directory.path)
        #expect(FileManager.default.fileExists(atPath: directory.path + "/data.mdb"))
    }

    @Test(.enabled(if: ForeignProcess.isAvailable, "needs python3 and liblmdb.so.0"))
    func `A file that another process has enlarged past the map is copied whole`() throws {
        let store = try TemporaryStore()
        try store.environment.store([("a", "1")])
        #expect(try store.environment.value("a") == "1")
        let other = try ForeignProcess()
        try other.ask("open \(store.path) \(1 << 30)")
        // The first map has 16 MiB.
        try other.ask("fill large 20 2000000")
        try Self.copied(store.environment) { copy, directory in
            #expect(try Self.file(directory.path).count > 40_000_000)
            let transaction = try copy.beginRead()
            for number in 0..<20 {
                let value = try transaction.snapshot.value("0000000\(number)".suffix(8).description, in: "large")
                #expect(value?.count == 2_000_000)
            }
        }
    }

    @Test func `Pages that a commit frees during a copy keep their content in it`() throws {
        let store = try TemporaryStore()
        let keys = (0..<3_000).map { String(format: "%06d", $0) }
        let padding = String(repeating: "x", count: 1_000)
        try store.environment.store(keys.map { ($0, "first" + padding) })
        let directory = try TemporaryDirectory()
        var copy = try store.environment.beginCopy(to: directory.path)
        var round = 0
        while try copy.advance() {
            // Each commit frees all leaves, and the next ones take pages that no snapshot needs.
            for _ in 0..<3 {
                round += 1
                try store.environment.store(keys.map { ($0, "round \(round)" + padding) })
            }
        }
        #expect(round > 6)
        let copied = try LMDBEnvironment.open(at: directory.path, options: .test)
        defer { copied.close() }
        for key in keys { #expect(try copied.value(key) == "first" + padding) }
    }

    @Test func `Holes stay holes, and a file without its last pages gets its full length`() throws {
        let store = try TemporaryStore()
        for round in 0..<10 { try store.environment.store([("kept", "value \(round)")]) }
        var transaction = try store.environment.beginWrite()
        let database = try transaction.database()
        try transaction.put(database, "small", "1")
        // LMDB gives a large value pages, and does not write them if the transaction deletes it and earlier commits have freed
        // some.
        try transaction.put(database, "large", String(repeating: "x", count: 3_000_000))
        try transaction.put(database, "other", String(repeating: "y", count: 1_000_000))
        try transaction.put(database, "last", String(repeating: "x", count: 3_000_000))
        for key in ["large", "last"] { _ = unsafe try transaction.delete(database, key: key.bytes.span.bytes) }
        try transaction.commit()
        let info = try store.environment.info()
        try Self.copied(store.environment) { copy, directory in
            #expect(try Self.file(store.path).count < (info.lastPage + 1) * Self.pageSize)
            #expect(try copy.value("small") == "1")
            #expect(try copy.value("other")?.count == 1_000_000)
            #expect(try Self.file(directory.path).count == (info.lastPage + 1) * Self.pageSize)
            #expect(Self.blockCount(directory.path) * 512 < 2_000_000)
            try copy.store([("large", String(repeating: "z", count: 2_000_000))])
            #expect(try copy.value("large")?.count == 2_000_000)
        }
    }

    @Test func `A file that is cut during its copy is an error, and no copy is left`() throws {
        let store = try TemporaryStore()
        try store.environment.store((0..<30).map { ("\($0)", String(repeating: "x", count: 100_000)) })
        let directory = try TemporaryDirectory()
        do {
            var copy = try store.environment.beginCopy(to: directory.path)
            #expect(try copy.advance())
            #expect(unsafe truncate(store.path + "/data.mdb", 2_000_000) == 0)
            #expect(code { while try copy.advance() {} } == .truncated)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        #expect(code { try store.environment.copy(to: directory.path) } == .truncated)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }

    @Test func `A copy that is not advanced to its end leaves no file and no reader`() throws {
        let store = try TemporaryStore()
        try store.environment.store((0..<30).map { ("\($0)", String(repeating: "x", count: 100_000)) })
        let directory = try TemporaryDirectory()
        do {
            var copy = try store.environment.beginCopy(to: directory.path)
            #expect(try copy.advance())
            #expect(copy.byteCount > 1_000_000 && copy.byteCount < copy.totalByteCount)
            #expect(try store.environment.readers().compactMap(\.transactionID).count == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        #expect(try store.environment.readers().compactMap(\.transactionID) == [])
    }

    @Test func `A copy does not replace a file`() throws {
        let store = try TemporaryStore()
        let directory = try TemporaryDirectory()
        try Data("theirs".utf8).write(to: URL(filePath: directory.path + "/data.mdb"))
        #expect(throws: LMDBError.self) { try store.environment.copy(to: directory.path) }
        #expect(try Self.file(directory.path) == Data("theirs".utf8))
    }
}
