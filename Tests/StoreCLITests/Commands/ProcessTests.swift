import ChildPrograms
import Foundation
import Glibc
import LMDB
import StoreEngine
import StoreRuntime
import Synchronization
import TestSupport
import Testing

/// `store-cli` among other processes: next to services, killed, with its output closed, and as root.
@Suite("Processes") struct ProcessTests {
    @Test func `Two hundred thousand rows take a bounded memory`() throws {
        let tool = try Sample.empty()
        var text = ""
        text.reserveCapacity(24 << 20)
        for number in 0..<200_000 {
            text += "{\"id\":\"sensor \(number)\",\"room\":\"r\(number % 7)\",\"serial\":\"\(number)\",\"tags\":[]}\n"
        }
        try tool.write("big.jsonl", text)
        text = ""
        // The command prints nothing, so the pipe signals only the end of the process.
        let end = Pipe()
        let started = try tool.start(["import", "Sensor", "big.jsonl"], output: end.fileHandleForWriting)
        try end.fileHandleForWriting.close()
        var peak = 0
        repeat {
            peak = max(peak, try Self.anonymousMemory(of: started.process.processIdentifier))
        } while Self.isOpen(end, afterMilliseconds: 20)
        let run = try started.finish()
        #expect(run.errors == "imported 200000 records: 200000 added, 0 already there\n")
        // A sanitizer takes several times the memory of the program.
        let isSanitized = ProcessInfo.processInfo.environment["MODELSTORE_SANITIZER"] != nil
        #expect(peak > 0 && (peak < 200 << 20 || isSanitized), "\(peak) bytes of memory")
        #expect(try tool.run("export", "Sensor").output.split(separator: "\n").count == 200_000)
    }

    @Test func `One fraction at the end of many integers makes them all doubles`() throws {
        let tool = try Sample.empty()
        let rows = (0..<20_000).map { "\($0),\($0 == 19_999 ? "0.5" : String($0)),\($0)" }
        try tool.write("many.csv", "id,balance,whole\n" + rows.joined(separator: "\n"))
        let run = try tool.run("import", "Account", "many.csv", "--id", "id", "--index", "balance")
        #expect(run.errors == "imported 20000 records: 20000 added, 0 already there\n")
        #expect(try tool.run("get", "Account", "7", "--output", "csv").output.hasSuffix("\n7,7.0,7\n"))
        #expect(try tool.run("get", "Account", "19999", "--output", "csv").output.hasSuffix("\n19999,0.5,19999\n"))
    }

    /// Returns whether a pipe still has a writer, after a short wait for its end.
    private static func isOpen(_ pipe: Pipe, afterMilliseconds limit: Int32) -> Bool {
        var wanted = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&wanted, 1, limit) == 0
    }

    /// Returns the anonymous memory of a process, which excludes mapped files.
    static func anonymousMemory(of process: Int32) throws -> Int {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    @Test(.enabled(if: Python.interpreter != nil, "needs Python with py-lmdb"))
    func `A command that waits for another writer says for which, and gives up after its timeout`() throws {
        let tool = try Sample.tool()
        let other = try #require(try LockedWriter(on: tool.store))
        let hasty = try tool.run("--timeout", "0.05", "set", "Sensor", "s1", "room=attic")
        #expect(hasty.status == 75)
        #expect(hasty.output == "")
        #expect(
            hasty.errors.hasPrefix("error: the write did not begin within 0.05 seconds: process \(other.processID) ("))
        #expect(hasty.errors.hasSuffix(") holds the store's writer; retry it, or allow a longer timeout\n"))
        let patient = try tool.run("set", "Sensor", "s1", "room=attic", "--timeout", "1.5")
        #expect(patient.status == 75)
        let lines = patient.errors.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("process \(other.processID) (") == true)
        #expect(
            lines.first?.hasSuffix(") holds the store's writer; waiting for it (--timeout SECONDS limits that)") == true
        )
        try other.whileStopped {
            let stopped = try tool.run("--timeout", "0.05", "set", "Sensor", "s1", "room=attic")
            #expect(stopped.status == 75)
            #expect(stopped.errors.contains("), which is stopped, holds the store's writer;"), "\(stopped.errors)")
        }
        try other.release()
        #expect(try tool.run("set", "Sensor", "s1", "room=attic", "--timeout", "20").status == 0)
        #expect(try tool.run("set", "Sensor", "s1", "room=attic", "--timeout", "soon").status == 64)
    }

    @Test(.enabled(if: Python.interpreter != nil, "needs Python with py-lmdb"))
    func `A backup, a compacted copy and a restore from a store do not wait for its stopped writer`() throws {
        let tool = try Sample.tool()
        let content = try tool.run("export").output
        let other = try #require(try LockedWriter(on: tool.store))
        try other.whileStopped {
            for arguments in [["backup", "copy"], ["compact", "small"], ["--store", "new", "restore", "store"]] {
                let run = try tool.run(["--timeout", "0.05"] + arguments)
                #expect(run.status == 0, "\(arguments): \(run.errors)")
                #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
            }
        }
        try other.release()
        for name in ["copy", "small", "new"] {
            #expect(try tool.run("--store", name, "export").output == content)
            #expect(try tool.run("--store", name, "verify").status == 0)
        }
    }

    @Test(arguments: ["backup", "restore"])
    func `A copy shows its progress on a terminal only`(command: String) throws {
        let tool = try Sample.empty()
        let text = String(repeating: "a long line ", count: 10_000)
        try tool.write("many.jsonl", (0..<30).map { "{\"text\": \"\($0) \(text)\"}" }.joined(separator: "\n"))
        try tool.run("import", "Log", "many.jsonl")
        let arguments = command == "backup" ? ["backup", "made"] : ["--store", "made", "restore", "store"]
        let terminal = try PseudoTerminal(columns: 100, rows: 12)
        let started = try tool.start(arguments, errors: terminal.handle)
        terminal.takeRest()
        #expect(try started.finish().status == 0)
        terminal.takeRest()
        let drawn = String(decoding: terminal.bytes, as: UTF8.self)
        #expect(drawn.contains("copying  [") && drawn.contains(" bytes"), "\(drawn)")
        try FileManager.default.removeItem(atPath: tool.path("made"))
        let silent = try tool.run(arguments)
        #expect(silent.status == 0 && !silent.errors.contains("copying"), "\(silent.errors)")
    }

    @Test func `An export whose reader does not read releases its snapshot, and writes everything later`() throws {
        let tool = try Sample.empty()
        try tool.write("many.jsonl", (0..<20_000).map { "{\"text\": \"line \($0)\"}" }.joined(separator: "\n"))
        try tool.run("import", "Log", "many.jsonl")
        let pipe = Pipe()
        let exporting = try tool.start(["export", "Log"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let first = pipe.fileHandleForReading.readData(ofLength: 1)
        try tool.waitUntilNobodyReads()
        #expect(exporting.process.isRunning)
        let rest = pipe.fileHandleForReading.readDataToEndOfFile()
        #expect(try exporting.finish().status == 0)
        #expect((first + rest).split(separator: UInt8(ascii: "\n")).count == 20_000)
    }

    @Test func `The readers are listed while all slots are taken`() throws {
        let tool = try Tool()
        var options = StoreOptions()
        options.maximumReaders = 2
        // The pin of a redo log would take a slot.
        options.usesRedoLog = false
        let store = try Store(at: tool.store, records: [], options: options)
        try store.read { _ in
            try store.read { _ in
                let types = try tool.run("types")
                #expect(
                    types.status == 74 && types.errors.contains("all slots of the reader table are taken"), "\(types)")
                let readers = try tool.run("--output", "jsonl", "readers")
                #expect(readers.status == 0 && readers.output.split(separator: "\n").count == 2, "\(readers)")
            }
        }
        store.close()
        #expect(try tool.run("types").status == 0)
    }

    @Test func `A store with thousands of types opens, lists them, and writes to each`() throws {
        // More than an environment opens at once by default, and in the long form as many as a store should ever have.
        let count = TestLength.isLong ? 20_000 : 1_000
        let tool = try Tool()
        let types = (0..<count).map {
            #"{"name": "T\#($0)", "id": ["id"], "fields": [{"name": "id", "type": "string"}, {"name": "n", "type": "int64"}]}"#
        }
        try tool.write("schema.json", #"{"types": ["# + types.joined(separator: ",") + "]}")
        #expect(
            try tool.run("create", "--schema", "schema.json").errors == "created store with \(count) record types\n")
        for name in ["T0", "T\(count - 1)"] {
            #expect(try tool.run("insert", name, #"{"id": "x", "n": 1}"#).status == 0)
        }
        let lines = try tool.run("--output", "csv", "types").output.split(separator: "\n")
        #expect(lines.count == count + 1 && lines.last?.hasPrefix("T\(count - 1),1,") == true)
        #expect(try tool.run("verify").status == 0)
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

    @Test func `A lock file that it made keeps telling that the store is in use`() throws {
        let tool = try Sample.empty()
        try tool.write("many.jsonl", (0..<20_000).map { "{\"text\": \"line \($0)\"}" }.joined(separator: "\n"))
        try tool.run("import", "Log", "many.jsonl")
        // The lock file is missing, as in a store that was just made or moved. The command creates it. As root, it also gives the
        // file to the store's owner.
        try FileManager.default.removeItem(atPath: tool.path("store/lock.mdb"))
        // More data than the pipe can hold keeps the process in its transaction.
        let pipe = Pipe()
        let exporting = try tool.start(["export", "Log"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let first = pipe.fileHandleForReading.readData(ofLength: 1)
        let process = "/proc/\(exporting.process.processIdentifier)"
        let locks = try FileManager.default.contentsOfDirectory(atPath: process + "/fd").compactMap { descriptor in
            let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/fd/\(descriptor)")
            guard file == tool.path("store/lock.mdb") else { return nil as String? }
            return try String(contentsOfFile: "\(process)/fdinfo/\(descriptor)", encoding: .utf8)
        }
        let isHeld = locks.joined().split(separator: "\n").contains { $0.hasPrefix("lock:") && $0.hasSuffix(" 0 0") }
        #expect(isHeld, "\(locks)")
        let rest = pipe.fileHandleForReading.readDataToEndOfFile()
        #expect(try exporting.finish().status == 0)
        #expect((first + rest).split(separator: UInt8(ascii: "\n")).count == 20_000)
    }

    @Test func `Reading waits for no writer, and waiting for input holds no lock`() throws {
        let tool = try Sample.tool()
        let pipe = Pipe()
        let waiting = try tool.start(["import", "Log", "-"], input: pipe.fileHandleForReading)
        // More data than a pipe can hold: once all of it is written, the process has opened the store and is reading.
        let lines = (0..<20_000).map { "{\"text\": \"line \($0)\"}\n" }.joined()
        try pipe.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let reading = Mutex<Tool.Run?>(nil)
        _ = try store.write { [folder = tool.folder] transaction in
            // The child runs inside a write transaction of this process.
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
        #expect(try waiting.finish().errors == "imported 20001 records: 20001 added, 0 already there\n")
    }

    @Test func `Readers of other processes are listed with how far they are behind`() throws {
        let tool = try Sample.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let rows = try store.read { transaction in
            let head = try transaction._reading.feedHead()
            let before = try tool.run("readers", "--output", "jsonl").output
            #expect(before.contains("\"behind\":0,\"position\":\(head.sequence),\"pin\":false}"))
            try tool.run("insert", "Log", "{\"text\": \"x\"}")
            try tool.run("insert", "Log", "{\"text\": \"y\"}")
            #expect(try tool.run("stat").output.contains("oldestReaderBehind  2\n"))
            return try tool.run("readers", "--output", "jsonl").output
        }
        let reader = try #require(try? JSONReader.read(String(rows.split(separator: "\n")[0])))
        #expect(reader["process"]?.number?.int64 == Int64(ProcessInfo.processInfo.processIdentifier))
        #expect(reader["command"]?.string?.isEmpty == false)
        let age = try #require(reader["processAgeSeconds"]?.number?.int64)
        #expect(age >= 0 && Double(age) <= ProcessInfo.processInfo.systemUptime)
        #expect(rows.contains("\"behind\":2,\"position\":null,\"pin\":false}"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "it needs script, of bsdutils"))
    func `Progress is for terminals only, and tables keep to their width`() throws {
        let tool = try Sample.empty()
        try tool.write("many.jsonl", (0..<20_000).map { "{\"text\": \"line \($0)\"}" }.joined(separator: "\n"))
        #expect(try tool.run("import", "Log", "many.jsonl").errors.contains("\u{1B}") == false)
        let command = "'\(Tool.executable)' --store '\(tool.store)'"
        let importing = "script -qec \"stty cols 60; \(command) import Log many.jsonl\" /dev/null >shown </dev/null"
        #expect(try shell(importing, in: tool) == 0)
        let shown = try String(contentsOfFile: tool.path("shown"), encoding: .utf8)
        #expect(shown.contains("\r\u{1B}[Kchecking"))
        #expect(shown.hasSuffix("imported 20000 records: 20000 added, 0 already there\r\n"))
        let verifying = "script -qec \"stty cols 60; \(command) verify\" /dev/null >shown </dev/null"
        #expect(try shell(verifying, in: tool) == 0)
        let verified = try String(contentsOfFile: tool.path("shown"), encoding: .utf8)
        #expect(verified.contains("\r\u{1B}[Kverifying"))
        #expect(verified.contains("\u{1B}[Kverified 3 record types, 40000 records"), "\(verified.suffix(300))")
        #expect(try tool.run("verify").errors.contains("\u{1B}") == false)
        let text = String(repeating: "wide ", count: 40)
        try tool.run("upsert", "Log", "{\"number\": 1, \"text\": \"\(text)\"}")
        let get = "script -qec \"stty cols 60; \(command) get Log 1\" /dev/null >shown </dev/null"
        #expect(try shell(get, in: tool) == 0)
        let lines = try String(contentsOfFile: tool.path("shown"), encoding: .utf8).split(separator: "\r\n")
        #expect(lines.map(\.count).max() == 60)
        #expect(lines.last?.hasSuffix("…") == true)
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

    @Test func `A field that an imported file names with a dot is set by that name`() throws {
        let tool = try Sample.empty()
        try tool.write("load.csv", "id,cpu.load\n1,0.5\n")
        #expect(try tool.run("import", "Load", "load.csv", "--id", "id").status == 0)
        #expect(try tool.run("set", "Load", "1", "cpu.load=0.75", "--output", "csv").output == "id,cpu.load\n1,0.75\n")
        #expect(try tool.run("set", "Load", "1", "cpu.laod=1").status == 64)
    }

    @Test func `Arguments that are no text are refused, and taken for no others`() throws {
        let tool = try Sample.tool()
        try tool.run("insert", "Log", "{\"number\": 50, \"text\": \"\u{FFFD}\"}")
        let command = "'\(Tool.executable)' --store '\(tool.store)'"
        for arguments in [
            "get Log $'5\\xff0'", "set Log 50 text=$'\\xfe'", "delete Log $'\\xff'",
            "insert Log $'{\"text\": \"\\xff\"}'",
        ] {
            #expect(try shell("\(command) \(arguments) 2>errors", in: tool) == 64)
            let errors = try String(contentsOfFile: tool.path("errors"), encoding: .utf8)
            #expect(errors.hasPrefix("error: argument ") && errors.contains("is not UTF-8"))
        }
        #expect(try tool.run("get", "Log", "50", "--output", "csv").output == "number,text\n50,\u{FFFD}\n")
    }

    @Test func `Nothing is written into the store when the standard files are closed`() throws {
        let tool = try Sample.tool()
        let command = "'\(Tool.executable)' --store '\(tool.store)'"
        #expect(try shell("\(command) insert Log '{\"text\": \"x\"}' <&- >printed 2>&-", in: tool) == 0)
        #expect(try shell("\(command) get Log 99 <&- >&- 2>&-", in: tool) == 1)
        #expect(try shell("\(command) verify <&- >&- 2>&-", in: tool) == 0)
        #expect(try tool.run("get", "Log", "2", "--output", "csv").output == "number,text\n2,x\n")
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `Results for a closed output are an error, before anything is changed`() throws {
        let tool = try Sample.tool()
        let command = "'\(Tool.executable)' --store '\(tool.store)'"
        for arguments in [
            "query Log", "export", "get Log 1", "insert Log '{\"text\": \"x\"}'", "set Log 1 text=y",
        ] {
            #expect(try shell("\(command) \(arguments) >&- 2>errors", in: tool) == 74, "\(arguments)")
            let errors = try String(contentsOfFile: tool.path("errors"), encoding: .utf8)
            #expect(errors.hasPrefix("error: standard output is closed; "), "\(arguments): \(errors)")
        }
        #expect(try tool.run("query", "Log", "--output", "csv").output == "number,text\n1,begun\n")
        #expect(try shell("\(command) delete Log 1 >&- 2>errors", in: tool) == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `New files belong to the owner of the store, also when root makes them`() throws {
        let tool = try Sample.tool()
        let data = tool.store + "/data.mdb"
        #expect(unsafe chown(tool.store, 4_321, 4_322) == 0 && chown(data, 4_321, 4_322) == 0)
        #expect(unsafe chmod(data, 0o660) == 0)
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
        try tool.run("record", "day.trace")
        #expect(try owner(tool.path("day.trace")) == "4321:4322 660")
        #expect(unsafe chown(tool.path("copy/data.mdb"), 0, 0) == 0)
        #expect(try tool.run("restore", "copy").status == 0)
        #expect(try owner(data) == "4321:4322 660")
        #expect(unsafe mkdir(tool.path("given"), 0o770) == 0 && chown(tool.path("given"), 4_321, 4_322) == 0)
        try tool.run("--store", "given", "create", "--schema", "schema.json")
        #expect(try owner(tool.path("given/data.mdb")) == "4321:4322 640")
        #expect(unsafe mkdir(tool.path("replays"), 0o770) == 0 && chown(tool.path("replays"), 4_321, 4_322) == 0)
        try tool.run("replay", "day.trace", "--into", "replays/new")
        #expect(try owner(tool.path("replays/new")) == "4321:4322 750")
        for file in try FileManager.default.contentsOfDirectory(atPath: tool.path("replays/new")) {
            #expect(try owner(tool.path("replays/new/\(file)")) == "4321:4322 640", "\(file)")
        }
    }

    @Test func `A store of a newer format is refused with its own status`() throws {
        let tool = try Sample.tool()
        let environment = try LMDBEnvironment.open(at: tool.store)
        try Self.writeFormat(99, in: environment)
        environment.close()
        for command in ["types", "verify", "get Sensor s1", "delete Sensor s1", "backup b"] {
            let arguments = command.split(separator: " ").map(String.init)
            let run = try tool.run(arguments)
            #expect(run.status == 78, "\(arguments): \(run.errors)")
            #expect(run.errors.contains("format 99"))
        }
    }

    private static func writeFormat(_ version: UInt8, in environment: LMDBEnvironment) throws {
        var transaction = try environment.beginWrite()
        let found = try transaction.openDatabase(named: "metadata", create: false)
        let metadata = try #require(found)
        let (key, value): ([UInt8], [UInt8]) = (Array("format".utf8), [version, 0, 0, 0])
        try unsafe transaction.put(metadata, key: key.span.bytes, value: value.span.bytes)
        try transaction.commit()
    }

    @Test func `A value that is longer than the file is a finding`() throws {
        let tool = try Sample.empty()
        let id = "an id that is nowhere else"
        try tool.run("insert", "Sensor", "{\"id\": \"\(id)\", \"room\": \"r\", \"serial\": \"s\", \"tags\": []}")
        let file = tool.store + "/data.mdb"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let key = Array(id.utf8)
        var patched = 0
        for start in 4_096..<bytes.count - key.count where Array(bytes[start..<start + key.count]) == key {
            // A node consists of the value size in two halves, flags, the key size, and then the key.
            let keySize = Int(bytes[start - 2])
            guard bytes[start - 4] == 0, (key.count..<key.count + 4).contains(keySize) else { continue }
            // The value now has gigabytes, far more than the file.
            bytes[start - 6] = 0xFF
            bytes[start - 5] = 0x7F
            patched += 1
        }
        #expect(patched > 0)
        try Data(bytes).write(to: URL(filePath: file))
        let run = try tool.run("verify")
        #expect(run.status == 1)
        #expect(run.output.contains("storage") && run.output.contains("database records.1"), "\(run)")
        #expect(run.errors.hasPrefix("error: the store is damaged in "))
        #expect(run.errors.hasSuffix("; restore a backup\n"))
    }

    /// Databases with unreadable pages, and the resulting findings of `verify`.
    static let unreadable: [(name: String, findings: [String])] = [
        (
            "records.1",
            [
                "database records.1: storage", "database index.1.0: unchecked", "database index.1.1: unchecked",
                "database index.1.2: unchecked",
            ]
        ),
        ("records.3", ["database records.3: storage"]),
        (
            "catalog",
            ["database catalog: storage"]
                + [
                    "consumers", "feed", "index.1.0", "index.1.1", "index.1.2", "records.1", "records.2", "records.3",
                    "statistics",
                ].map { "database \($0): unchecked" }
        ),
        ("metadata", ["database metadata: storage"]),
    ]

    @Test(arguments: unreadable.map(\.name))
    func `What depends on an unreadable database is named, and its entries are counted`(name: String) throws {
        let expected = try #require(Self.unreadable.first { $0.name == name }).findings
        let tool = try Sample.tool()
        let file = tool.store + "/data.mdb"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let name = Array(name.utf8)
        var patched = 0
        for start in 8..<bytes.count - name.count - 48 where bytes[start..<start + name.count].elementsEqual(name) {
            // A node consists of the value size, flags (a database), the key size, the key and the value. The value ends with the
            // root page number of the database.
            guard bytes[start - 8] == 48, bytes[start - 4] == 2, Int(bytes[start - 2]) == name.count else { continue }
            let root = start + name.count + 40
            bytes.replaceSubrange(root..<root + 8, with: [0, 0, 0, 0, 0, 1, 0, 0])
            patched += 1
        }
        #expect(patched > 0)
        try Data(bytes).write(to: URL(filePath: file))
        let run = try tool.run("verify", "--output", "jsonl")
        #expect(run.status == 1)
        let findings = try run.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        let kinds = findings.map { "\($0["place"]?.string ?? ""): \($0["kind"]?.string ?? "")" }
        // Records beyond the point where the walk stopped must not be reported as lost.
        #expect(kinds == expected, "\(run)")
        let unchecked = expected.count - 1
        let others = unchecked == 0 ? "" : ", and \(unchecked) databases could not be checked"
        #expect(run.errors == "error: the store is damaged in 1 place\(others); restore a backup\n")
        let last = findings.last?["problem"]?.string
        #expect(unchecked == 0 || last?.contains(" readable entr") == true, "\(run)")
    }

    @Test func `What the system denies ends with its own status and names the file`() throws {
        let tool = try Sample.tool()
        // Root has all permissions, so the command then runs as another user.
        let user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : ""
        guard try shell("\(user)test -x '\(Tool.executable)'", in: tool) == 0 else {
            try Test.cancel("no other user may run \(Tool.executable)")
        }
        func expect(_ command: String, _ error: String) throws {
            let run = "\(user)'\(Tool.executable)' --store store \(command) >shown 2>errors"
            let status = try shell(run, in: tool)
            let errors = try String(contentsOfFile: tool.path("errors"), encoding: .utf8)
            #expect(status == 74, "\(command): \(errors)")
            #expect(errors.hasPrefix("error: \(error)"), "\(command)")
        }
        let (data, lock) = (tool.store + "/data.mdb", tool.store + "/lock.mdb")
        for name in ["/redo.checkpoint", "/redo.log"] { #expect(unsafe chmod(tool.store + name, 0o644) == 0) }
        #expect(unsafe chmod(tool.store, 0) == 0)
        for command in ["types", "verify", "get Log 1", "delete Log 1", "--store other restore store"] {
            try expect(command, "store/data.mdb cannot be examined: Permission denied")
        }
        #expect(unsafe chmod(tool.store, 0o755) == 0 && chmod(data, 0) == 0)
        let number = geteuid() == 0 ? 65534 : geteuid()
        func denied(_ use: String, _ file: String, mode: String) -> String {
            "user \(number) may not \(use) store/\(file) (owner \(geteuid()), group \(getegid()), mode \(mode)); give user "
        }
        #expect(unsafe chmod(lock, 0o666) == 0)
        for command in ["types", "verify", "delete Log 1"] {
            try expect(command, denied("read", "data.mdb", mode: "0"))
        }
        #expect(unsafe chmod(data, 0o444) == 0)
        let reading = "\(number) read and write access to it with chown, chgrp or chmod"
        try expect(
            "delete Log 1",
            denied("write to", "data.mdb", mode: "444") + reading + ", or open the store read-only\n")
        #expect(unsafe chmod(lock, 0o640) == 0)
        for command in ["types", "verify"] {
            try expect(
                command, denied("write to the file that lists readers,", "lock.mdb", mode: "640") + reading + "\n")
        }
        try expect("delete Log 1", denied("write to the lock file", "lock.mdb", mode: "640") + reading + "\n")
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
