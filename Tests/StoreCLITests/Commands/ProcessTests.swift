import Foundation
import Glibc
import LMDB
import StoreEngine
import StoreRuntime
import Synchronization
import Testing

/// `store-cli` among other processes: beside services, killed, with its output closed, as root.
@Suite("Processes") struct ProcessTests {
    @Test func `Two hundred thousand rows take a bounded memory, and a late fraction counts`() throws {
        let tool = try Sample.empty()
        var text = ""
        text.reserveCapacity(24 << 20)
        for number in 0..<200_000 {
            let value = number == 199_990 ? "0.5" : String(number)
            text += "{\"id\":\(number),\"email\":\"user\(number)@example.org\",\"balance\":\(value),\"region\":\"r\(number % 7)\"}\n"
        }
        try tool.write("big.jsonl", text)
        text = ""
        let started = try tool.start(["import", "Big", "big.jsonl", "--id", "id", "--unique", "email"])
        var peak = 0
        while started.process.isRunning {
            peak = max(peak, try Self.anonymousMemory(of: started.process.processIdentifier))
            usleep(20_000)
        }
        let run = try started.finish()
        #expect(run.errors == "imported 200000 records: 200000 added, 0 already there\n")
        #expect(peak > 0 && peak < 200 << 20, "\(peak) bytes of memory")
        #expect(try tool.run("get", "Big", "7", "--output", "csv").output.hasSuffix("7,user7@example.org,7.0,r0\n"))
        #expect(try tool.run("export", "Big").output.split(separator: "\n").count == 200_000)
    }

    /// The memory of a process that is no file's, which is what it took itself.
    private static func anonymousMemory(of process: Int32) throws -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    @Test func `Processes that write at once lose nothing`() throws {
        let tool = try Sample.empty()
        let lines = { (from: Int) in (from..<from + 500).map { "{\"text\": \"line \($0)\"}" }.joined(separator: "\n") }
        try tool.write("a.jsonl", lines(0))
        try tool.write("b.jsonl", lines(1_000))
        var running = try (0..<12).map { try tool.start(["insert", "Log", "{\"text\": \"alone \($0)\"}"]) }
        running.append(try tool.start(["import", "Log", "a.jsonl"]))
        running.append(try tool.start(["import", "Log", "b.jsonl"]))
        for process in running { #expect(try process.finish().status == 0) }
        let rows = try tool.run("export", "Log").output.split(separator: "\n")
        #expect(rows.count == 1_012)
        #expect(Set(rows.compactMap { $0.split(separator: ",").last }).count == 1_012)
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `Reading waits for no writer, and waiting for input holds no lock`() throws {
        let tool = try Sample.tool()
        let pipe = Pipe()
        let waiting = try tool.start(["import", "Log", "-"], input: pipe.fileHandleForReading)
        usleep(200_000)
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let reading = Mutex<Tool.Run?>(nil)
        _ = try store.write { [folder = tool.folder] transaction in
            // Inside a write transaction of this process.
            let process = Process()
            process.executableURL = URL(filePath: Tool.executable)
            process.arguments = ["--store", folder + "/store", "get", "Log", "1"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            reading.withLock {
                $0 = Tool.Run(
                    status: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self), errors: "")
            }
        }
        #expect(reading.withLock { $0?.output.contains("begun") } == true)
        pipe.fileHandleForWriting.write(Data("{\"text\": \"late\"}\n".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try waiting.finish().errors == "imported 1 record: 1 added, 0 already there\n")
    }

    @Test func `A running service sees what the command line changes`() throws {
        let tool = try Sample.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let before = try store.position
        try tool.run("set", "Sensor", "s1", "room=attic")
        #expect(try store.position.sequence == before.sequence + 1)
        let type = try store.typeIndex(named: "Sensor")
        let record = try store.read { try $0._reading.dynamicRecord(id: [.string("s1")], typeIndex: type) }
        #expect(record?.values[1] == .string("attic"))
        let entry = try store.read { try $0._reading.feedEntry(before.sequence + 1) }
        #expect(entry?.origin.name == "store-cli")
        #expect(entry?.changes.count == 1)
    }

    @Test func `A closed output ends quietly, and one that is full is an error`() throws {
        let tool = try Sample.empty()
        try tool.write("many.jsonl", (0..<5_000).map { "{\"text\": \"line \($0)\"}" }.joined(separator: "\n"))
        try tool.run("import", "Log", "many.jsonl")
        let script = "set -o pipefail; '\(Tool.executable)' --store '\(tool.store)' export 2>errors | head -n 1 >first"
        #expect(try shell(script, in: tool) == 0)
        #expect(try String(contentsOfFile: tool.path("errors"), encoding: .utf8) == "")
        #expect(try shell("'\(Tool.executable)' --store '\(tool.store)' export >/dev/full 2>errors", in: tool) == 74)
        let errors = try String(contentsOfFile: tool.path("errors"), encoding: .utf8)
        #expect(errors == "error: standard output cannot be written: No space left on device\n")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `New files belong to the owner of the store, also when root makes them`() throws {
        let tool = try Sample.tool()
        let data = tool.store + "/data.mdb"
        #expect(unsafe chown(tool.store, 4_321, 4_322) == 0 && chown(data, 4_321, 4_322) == 0 && chmod(data, 0o660) == 0)
        #expect(unsafe unlink(tool.store + "/lock.mdb") == 0)
        try tool.run("types")
        #expect(try owner(tool.store + "/lock.mdb") == "4321:4322 660")
        _ = unsafe unlink(tool.store + "/lock.mdb")
        try tool.run("insert", "Log", "{\"text\": \"x\"}")
        #expect(try owner(tool.store + "/lock.mdb") == "4321:4322 660")
        try tool.run("backup", "copy")
        try tool.run("compact", "small")
        for name in ["copy", "small"] {
            #expect(try owner(tool.path(name) + "/data.mdb") == "4321:4322 660")
            #expect(try owner(tool.path(name)) == "4321:4322 750")
        }
        #expect(unsafe chown(tool.path("copy/data.mdb"), 0, 0) == 0)
        #expect(try tool.run("restore", "copy").status == 0)
        #expect(try owner(data) == "4321:4322 660")
        #expect(unsafe mkdir(tool.path("given"), 0o770) == 0 && chown(tool.path("given"), 4_321, 4_322) == 0)
        try tool.run("--store", "given", "create", "--schema", "schema.json")
        #expect(try owner(tool.path("given/data.mdb")) == "4321:4322 640")
    }

    @Test func `A store of a newer format is refused with its own status`() throws {
        let tool = try Sample.tool()
        let environment = try LMDBEnvironment.open(at: tool.store)
        try Self.writeFormat(99, in: environment)
        environment.close()
        for arguments in [["types"], ["verify"], ["get", "Sensor", "s1"], ["delete", "Sensor", "s1"], ["backup", "b"]] {
            let run = try tool.run(arguments)
            #expect(run.status == 78, "\(arguments): \(run.errors)")
            #expect(run.errors.contains("format 99"))
        }
    }

    private static func writeFormat(_ version: UInt8, in environment: LMDBEnvironment) throws {
        var transaction = try environment.beginWrite()
        guard let metadata = try transaction.openDatabase(named: "metadata", create: false) else { return }
        let (key, value): ([UInt8], [UInt8]) = (Array("format".utf8), [version, 0, 0, 0])
        try unsafe transaction.put(metadata, key: key.span.bytes, value: value.span.bytes)
        try transaction.commit()
    }

    @Test func `Damage that ends the walk is a finding`() throws {
        let tool = try Sample.empty()
        let id = "an id that is nowhere else"
        try tool.run("insert", "Sensor", "{\"id\": \"\(id)\", \"room\": \"r\", \"serial\": \"s\", \"tags\": []}")
        let file = tool.store + "/data.mdb"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let key = Array(id.utf8)
        var patched = 0
        for start in 4_096..<bytes.count - key.count where Array(bytes[start..<start + key.count]) == key {
            // A node: the size of its value in two halves, flags, the size of its key, then the key.
            guard bytes[start - 4] == 0, Int(bytes[start - 2]) >= key.count, Int(bytes[start - 2]) < key.count + 4 else {
                continue
            }
            // A value of gigabytes, far behind the end of the file.
            bytes[start - 6] = 0xFF
            bytes[start - 5] = 0x7F
            patched += 1
        }
        #expect(patched > 0)
        try Data(bytes).write(to: URL(filePath: file))
        let run = try tool.run("verify")
        #expect(run.status == 1)
        #expect(run.output.contains("crash") && run.output.contains("database records.1"), "\(run)")
        #expect(run.errors.hasPrefix("error: the store is damaged in "))
    }

    private func owner(_ path: String) throws -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return "none" }
        return "\(status.st_uid):\(status.st_gid) \(String(status.st_mode & 0o777, radix: 8))"
    }

    private func shell(_ script: String, in tool: Tool) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = URL(filePath: tool.folder)
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
