import Foundation
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

@Suite("Restore") struct RestoreTests {
    @Test func `A store that a process has open is not replaced`() throws {
        let tool = try Sample.tool()
        try tool.run("backup", "copy")
        let store = try Store(at: tool.store, records: [])
        let refused = try tool.run("restore", "copy")
        #expect(refused.status == 1)
        #expect(refused.errors.contains("process \(ProcessInfo.processInfo.processIdentifier) has store open"))
        // The process that has the store open is refused, too, and keeps LMDB's lock.
        #expect(throws: StoreError.self) { try Store.restore(from: tool.path("copy"), to: tool.store) }
        #expect(try tool.run("restore", "copy").status == 1)
        store.close()
        #expect(try tool.run("restore", "copy").status == 0)
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `A restored store starts a new epoch`() throws {
        let tool = try Sample.tool()
        try tool.run("backup", "copy")
        let before = try position(tool)
        try Store.restore(from: tool.path("copy"), to: tool.store)
        let after = try position(tool)
        #expect(after.store == before.store)
        #expect(after.epoch != before.epoch)
    }

    @Test func `A damaged or foreign copy changes nothing`() throws {
        let tool = try Sample.tool()
        try tool.run("backup", "copy")
        let before = try tool.run("export").output
        let data = try Data(contentsOf: URL(filePath: tool.path("copy/data.mdb")))
        for (name, bytes) in [("short", data.prefix(9_000)), ("noise", Data((0..<20_000).map { UInt8($0 & 0xFF) }))] {
            try FileManager.default.createDirectory(atPath: tool.path(name), withIntermediateDirectories: false)
            try bytes.write(to: URL(filePath: tool.path(name + "/data.mdb")))
            let run = try tool.run("restore", name)
            #expect([1, 66].contains(run.status), "\(run.errors)")
            #expect(try tool.run("export").output == before)
            #expect(try leftovers(tool) == [])
        }
    }

    @Test func `A copy that is in use is restored as it is at the moment`() throws {
        let tool = try Sample.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        #expect(try tool.run("--store", "second", "restore", "store").status == 0)
        #expect(try tool.run("--store", "second", "export").output == tool.run("export").output)
    }

    @Test func `Killed at any moment it leaves the old store or the new one`() throws {
        let tool = try Sample.tool()
        try tool.write("more.jsonl", (0..<20_000).map { "{\"text\": \"line \($0)\"}" }.joined(separator: "\n"))
        try tool.run("backup", "old")
        try tool.run("import", "Log", "more.jsonl")
        try tool.run("backup", "new")
        try tool.run("restore", "old")
        var (killed, random) = (0, TestRandom(seed: 3))
        for round in 0..<24 {
            let wanted = round.isMultiple(of: 2) ? "new" : "old"
            let running = try tool.start(["restore", wanted])
            // There is no event to wait for, so the moment is random.
            usleep(UInt32.random(in: 0...40_000, using: &random))
            kill(running.process.processIdentifier, SIGKILL)
            if try running.finish().status != 0 { killed += 1 }
            try ageUnlockedFolders(tool)
            let lines = try tool.run("export", "Log").output.split(separator: "\n").count
            #expect([1, 20_001].contains(lines))
            #expect(try tool.run("insert", "Log", "{\"text\": \"x\"}").status == 0)
            #expect(try tool.run("restore", wanted).status == 0)
            #expect(try leftovers(tool) == [])
        }
        #expect(killed > 0)
        #expect(try tool.run("verify").status == 0)
    }

    private func position(_ tool: Tool) throws -> Position {
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        return try store.position
    }

    /// Makes a work folder old enough for the next command to remove it. A command that is killed before it locks its folder
    /// leaves one that counts as new for a minute.
    private func ageUnlockedFolders(_ tool: Tool) throws {
        for name in try leftovers(tool) where name.hasPrefix(".modelstore-new-") {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -120)], ofItemAtPath: tool.store + "/" + name)
        }
    }

    private func leftovers(_ tool: Tool) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: tool.store).filter { $0.hasPrefix(".") }
    }
}
