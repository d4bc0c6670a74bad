import ChildPrograms
import Foundation
import Testing

/// Other programs that know LMDB can inspect and copy a store while a service writes to it.
@Suite(
    .serialized, .timeLimit(.minutes(20)),
    .enabled("MODELSTORE_SKIP_INTEROP=1 leaves these tests out") { TestRun.variable("MODELSTORE_SKIP_INTEROP") != "1" })
struct InteroperabilityTests {
    private let directory: ScratchDirectory
    private var store: String { directory.path("store") }
    private let writer: ChildProcess
    private let checker = StoreChecker()

    /// Starts a service that writes throughout the test.
    init() throws {
        directory = try ScratchDirectory()
        writer = try CrashWorker.write(directory.path("store"), "relaxed", lanes: ["a", "b", "c"])
        // These are enough writes for every index to have some pages.
        for _ in 0..<200 {
            let line = try #require(writer.nextLine())
            #expect(line.hasPrefix("open ") || Acknowledgement(line) != nil, "\(line)")
        }
    }

    @Test func `mdb_stat counts what is in a store`() throws {
        defer { writer.kill() }
        let lines = try Command.run(tool("mdb_stat"), ["-a", store])
        for name in ["catalog", "metadata", "feed", "consumers", "records.1", "index.1.0"] {
            #expect(lines.contains("Status of \(name)"), "\(lines)")
        }
        try stopWriter()
        let records = try Command.run(tool("mdb_stat"), ["-s", "records.1", store])
        let sound = try #require(try checker.check(store).sound)
        let expected = sound.counts.values.map { min($0, 24) }.reduce(0, +)
        #expect(records.contains("  Entries: \(expected)"), "\(records)")
    }

    @Test(arguments: [[], ["-c"]])
    func `mdb_copy copies a store that is being written`(flags: [String]) throws {
        defer { writer.kill() }
        let copy = try emptyDirectory("copy")
        try Command.run(tool("mdb_copy"), flags + [store, copy])
        try expectSoundCopy(copy)
    }

    @Test func `mdb_load makes a store of what mdb_dump wrote of one that is being written`() throws {
        defer { writer.kill() }
        let copy = try emptyDirectory("copy")
        try Command.run(tool("mdb_dump"), ["-a", "-f", directory.path("dump"), store])
        try Command.run(tool("mdb_load"), ["-f", directory.path("dump"), copy])
        try expectSoundCopy(copy)
    }

    @Test func `py-lmdb reads a store that is being written`() throws {
        defer { writer.kill() }
        let reader = try PythonReader(store)
        defer { reader.process.kill() }
        TestRun.note("the store is read by \(reader.version)")
        var last = 0
        let first = try reader.read().transaction
        for _ in 0..<20 {
            let before = writer.linesSoFar().compactMap(Acknowledgement.init)
            let snapshot = try reader.read()
            for write in before {
                let count = snapshot.counts[write.lane] ?? 0
                #expect(count >= write.number, "\(write) was acknowledged before the snapshot")
            }
            #expect(snapshot.entryCount == snapshot.counts.values.map { min($0, 24) }.reduce(0, +))
            #expect(snapshot.transaction >= last)
            last = snapshot.transaction
            // The service continues while Python reads.
            let next = try #require(writer.nextLine())
            #expect(Acknowledgement(next) != nil, "\(next)")
        }
        #expect(last > first)
        try stopWriter()
        let snapshot = try reader.read()
        let sound = try #require(try checker.check(store).sound)
        #expect(snapshot.counts == sound.counts)
    }

    /// Expects that a copy is a sound store of its own, with the content of the store at some moment of this test.
    private func expectSoundCopy(_ copy: String) throws {
        try stopWriter()
        let verdict = try checker.check(copy)
        let sound = try #require(verdict.sound, "\(verdict)")
        let original = try #require(try checker.check(store).sound)
        #expect(sound.epoch != original.epoch, "positions of the copy are taken for those of its original")
        #expect(sound.sequence <= original.sequence)
        for (lane, count) in sound.counts { #expect(count > 0 && count <= original.counts[lane] ?? 0) }
        #expect(sound.counts.count == original.counts.count)
    }

    private func stopWriter() throws {
        writer.send("stop")
        let last = writer.remainingLines().last
        #expect(last == "done")
        #expect(try writer.wait() == .exit(0))
    }

    private func emptyDirectory(_ name: String) throws -> String {
        let path = directory.path(name)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        return path
    }

    private func tool(_ name: String) throws -> String {
        guard let path = Command.find([name]) else {
            throw Command.Failed(
                description: "there is no \(name): `apt-get install lmdb-utils`, or set MODELSTORE_SKIP_INTEROP=1")
        }
        return path
    }
}
