import Foundation
import Glibc
import StoreEngine
import ResealedTraces
import TestSupport
import Testing

/// The `record` and `replay` commands, as processes.
@Suite("store-cli record and replay") struct RecordReplayTests {
    /// Creates a store with changes of each kind, and its trace.
    private func recorded() throws -> Tool {
        let tool = try Sample.tool()
        try tool.run("set", "Sensor", "s1", "celsius=-0.5", "note=secret")
        try tool.run("delete", "Sensor", "s2")
        let run = try tool.run("record", "day.trace")
        #expect(run.status == 0 && run.errors.contains("recorded 8 change sets after 0 records"), "\(run)")
        return tool
    }

    private func summary(_ run: Tool.Run) throws -> JSONValue {
        #expect(run.status == 0, "\(run)")
        return try JSONReader.read(run.output)
    }

    @Test(arguments: [[], ["--replace"]]) func `A killed recording leaves no file behind`(options: [String]) throws {
        let tool = try recorded()
        let lines = (0..<3_000).map { "{\"number\": \(100 + $0), \"text\": \"x\"}\n" }.joined()
        #expect(try tool.run("import", "Log", "-", input: lines).status == 0)
        func names() throws -> Set<String> {
            Set(try FileManager.default.contentsOfDirectory(atPath: tool.folder).filter { $0.contains("trace") })
        }
        let before = try names()
        var random = TestRandom(seed: 11)
        for _ in 0..<8 {
            let recording = try tool.start(["record", "new.trace"] + options)
            // There is no event to wait for, so the moment is random.
            usleep(UInt32.random(in: 0...100_000, using: &random))
            kill(recording.process.processIdentifier, SIGKILL)
            recording.process.waitUntilExit()
        }
        #expect(try names().isSubset(of: before.union(["new.trace"])))
        _ = try? FileManager.default.removeItem(atPath: tool.path("new.trace"))
        #expect(try tool.run(["record", "new.trace"] + options).status == 0)
        #expect(try tool.run("replay", "new.trace").status == 0)
    }

    @Test func `A trace gives the same store again, with the same feed`() throws {
        let tool = try recorded()
        let replay = try summary(tool.run("--output", "jsonl", "replay", "day.trace", "--into", "again"))
        #expect(replay["equalHashes"] == true && replay["changeSets"] == 8)
        for command in [["--output", "jsonl", "feed"], ["--output", "json", "schema"]] {
            let (left, right) = (try tool.run(command), try tool.run(["--store", "again"] + command))
            #expect(left == right)
        }
        #expect(try tool.run("--store", "again", "verify").status == 0)
    }

    @Test(arguments: [
        #"{"name": "b", "type": "int8", "renamedFrom": ["a"]}"#, #"{"name": "a", "type": "int64"}"#,
        #"{"name": "a", "type": "int8"}, {"name": "b", "type": "string?"}"#, #"{"name": "b", "type": "string?"}"#,
    ])
    func `Records from before a change of their type are recorded in its form when they are deleted or changed`(
        fields: String
    ) throws {
        let tool = try Sample.empty()
        func migrate(_ fields: String) throws {
            let id = #"{"name": "id", "type": "string"}"#
            try tool.write("types.json", #"{"types": [{"name": "T", "id": ["id"], "fields": [\#(id), \#(fields)]}]}"#)
            let run = try tool.run("migrate", "--schema", "types.json")
            #expect(run.status == 0, "\(run.errors)")
        }
        try migrate(#"{"name": "a", "type": "int8"}"#)
        for id in ["x", "y", "z"] {
            #expect(try tool.run("insert", "T", #"{"id":"\#(id)","a":7}"#).status == 0)
        }
        try migrate(fields)
        #expect(try tool.run("delete", "T", "x").status == 0)
        let field = fields.contains(#""b""#) ? "b" : "a"
        #expect(try tool.run("set", "T", "y", "\(field)=8").status == 0)
        #expect(try tool.run("delete", "T", "--where", "id == 'z'", "--yes").status == 0)
        #expect(try tool.run("record", "day.trace").status == 0)
        let replay = try summary(tool.run("--output", "jsonl", "replay", "day.trace", "--into", "again"))
        #expect(replay["equalHashes"] == true)
    }

    @Test func `A replay stops where it is told to`() throws {
        let tool = try recorded()
        let replay = try summary(
            tool.run("--output", "jsonl", "replay", "day.trace", "--into", "again", "--until", "6"))
        #expect(replay["changeSets"] == 6 && replay["position"] == 6)
        #expect(try tool.run("--store", "again", "get", "Sensor", "s2").status == 0)
    }

    @Test func `Redacted values are not in the trace, and it is replayed`() throws {
        let tool = try recorded()
        #expect(try tool.run("record", "redacted.trace", "--redact", "Sensor.note").status == 0)
        let text = try String(contentsOfFile: tool.path("redacted.trace"), encoding: .utf8)
        #expect(!text.contains("secret") && text.contains("redacted-1"))
        #expect(try summary(tool.run("--output", "jsonl", "replay", "redacted.trace"))["equalHashes"] == false)
    }

    @Test func `What differs is shown, with status 1`() throws {
        let tool = try recorded()
        // Changes the trace and its checksums, so the recorded hash no longer matches.
        #expect(try tool.run("record", "redacted.trace", "--redact", "Sensor.note").status == 0)
        let trace = try String(contentsOfFile: tool.path("redacted.trace"), encoding: .utf8)
        try tool.write(
            "changed.trace", Resealed.text(trace.replacing(#""was":{"celsius":21.5"#, with: #""was":{"celsius":22.5"#)))
        let run = try tool.run("replay", "changed.trace")
        #expect(run.status == 1 && run.errors.contains("the replay diverges at line"), "\(run)")
        #expect(run.errors.contains("22.5") && run.errors.contains("21.5") && run.errors.contains("cause:"))
    }

    @Test func `Mistakes are told with their place`() throws {
        let tool = try recorded()
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: tool.path("day.trace"))))
        bytes[bytes.count / 2] ^= 1
        try tool.write("damaged.trace", bytes)
        let damaged = try tool.run("replay", "damaged.trace")
        #expect(damaged.status == 65 && damaged.errors.contains("line"), "\(damaged)")
        try tool.write("text.trace", "hello\n")
        #expect(try tool.run("replay", "text.trace").status == 65)
        #expect(try tool.run("replay", "none.trace").status == 66)
        #expect(try tool.run("replay", "day.trace/none.trace").status == 66)
        #expect(try tool.run("record", "none/x.trace").status == 74)
        #expect(try tool.run("record", "x.trace", "--redact", "Sensor.nothing").status == 64)
        #expect(!FileManager.default.fileExists(atPath: tool.path("x.trace")))
        #expect(try tool.run("replay", "day.trace", "--into", "store").status == 1)
    }

    @Test func `An existing trace is replaced only when that is asked for`() throws {
        let tool = try recorded()
        let before = try Data(contentsOf: URL(filePath: tool.path("day.trace")))
        let refused = try tool.run("record", "day.trace", "--since", "newest")
        #expect(refused.status == 1 && refused.errors.contains("day.trace exists"), "\(refused)")
        #expect(try Data(contentsOf: URL(filePath: tool.path("day.trace"))) == before)
        let replaced = try tool.run("record", "day.trace", "--since", "newest", "--replace")
        #expect(replaced.status == 0 && replaced.errors.contains("recorded 0 change sets after"), "\(replaced)")
        #expect(try summary(tool.run("--output", "jsonl", "replay", "day.trace"))["equalHashes"] == true)
    }

    @Test(arguments: [[], ["--replace"], ["--replace", "--follow"]])
    func `A recording replaces neither the files of a store nor a file that is no trace`(options: [String]) throws {
        let tool = try recorded()
        try tool.write("note", "mine")
        for (path, status) in [("store/data.mdb", 65 as Int32), ("./store/new.trace", 65), ("note", 1)] {
            let run = try tool.run(["record", path] + options)
            #expect(run.status == status, "\(path): \(run)")
        }
        #expect(try String(contentsOfFile: tool.path("note"), encoding: .utf8) == "mine")
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `A followed store is recorded until the end is asked for`() throws {
        let tool = try Sample.tool()
        let recording = try tool.start(["record", "live.trace", "--follow"])
        let deadline = Date() + 240
        // Another process gives no event for its files.
        while !FileManager.default.fileExists(atPath: tool.path("live.trace")), Date() < deadline { usleep(10_000) }
        try tool.run("set", "Sensor", "s1", "celsius=99")
        // The trace is flushed with each change set.
        while Date() < deadline {
            let text = (try? String(contentsOfFile: tool.path("live.trace"), encoding: .utf8)) ?? ""
            if text.contains(#""celsius":99"#) { break }
            usleep(10_000)
        }
        recording.process.interrupt()
        #expect(try recording.finish().status == 0)
        #expect(try summary(tool.run("--output", "jsonl", "replay", "live.trace"))["equalHashes"] == true)
    }

    @Test func `A mask, an end or a store that cannot be is said`() throws {
        let tool = try recorded()
        let beyond = try tool.run("replay", "day.trace", "--until", "9999")
        #expect(
            beyond.status == 0 && beyond.errors.contains("note: the trace ends with change set 8, before 9999"),
            "\(beyond)")
        let stored = try tool.run("replay", "day.trace", "--store", "store")
        #expect(stored.status == 64 && stored.errors.contains("--into"), "\(stored)")
        let masked = try tool.run("replay", "day.trace", "--mask", "Sensor.celsus")
        #expect(masked.status == 64 && masked.errors.contains("did you mean Sensor.celsius?"), "\(masked)")
        try tool.write("text.trace", "hello\n")
        let text = try tool.run("replay", "text.trace")
        #expect(text.status == 65 && text.errors.components(separatedBy: "line 1").count == 2, "\(text)")
    }

    @Test func `A replay that fails removes what it has made, and nothing else`() throws {
        let tool = try recorded()
        let files = FileManager.default
        let failing = ["replay", "day.trace", "--mask", "Sensor.celsus", "--into"]
        #expect(try tool.run(failing + ["again"]).status == 64)
        #expect(!files.fileExists(atPath: tool.path("again")))
        try files.createDirectory(atPath: tool.path("mine"), withIntermediateDirectories: true)
        try tool.write("mine/note", "mine")
        let taken = try tool.run(failing + ["mine"])
        #expect(taken.status == 66 && taken.errors.contains("mine holds no store, but other files: note"), "\(taken)")
        #expect(try files.contentsOfDirectory(atPath: tool.path("mine")) == ["note"])
        try files.createDirectory(atPath: tool.path("hidden"), withIntermediateDirectories: true)
        try tool.write("hidden/.note", "mine")
        #expect(try tool.run(failing + ["hidden"]).status == 64)
        #expect(try files.contentsOfDirectory(atPath: tool.path("hidden")) == [".note"])
        #expect(try tool.run(failing + ["mine/note"]).status != 0)
        #expect(try String(contentsOfFile: tool.path("mine/note"), encoding: .utf8) == "mine")
        #expect(try tool.run("replay", "day.trace", "--into", "store").status == 1)
        #expect(try tool.run("verify").status == 0)
    }

    /// Starts recording a store into a pipe. A record is larger than the pipe's buffer, so the process waits for a reader.
    private func followedIntoPipe(_ tool: Tool) throws -> (recording: Tool.Started, pipe: Int32) {
        try tool.write("log.jsonl", #"{"text": ""# + String(repeating: "x", count: 300_000) + #""}"# + "\n")
        #expect(try tool.run("import", "Log", "log.jsonl").status == 0)
        #expect(unsafe mkfifo(tool.path("pipe"), 0o600) == 0)
        let pipe = unsafe open(tool.path("pipe"), O_RDONLY | O_NONBLOCK)
        let recording = try tool.start(["record", "pipe", "--follow", "--since", "newest"])
        var wanted = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&wanted, 1, 240_000) == 1)
        return (recording, pipe)
    }

    @Test func `A signal while the first rows are written has the trace finished`() throws {
        let tool = try Sample.tool()
        let (recording, pipe) = try followedIntoPipe(tool)
        recording.process.interrupt()
        _ = fcntl(pipe, F_SETFL, 0)
        let trace = try FileHandle(fileDescriptor: pipe, closeOnDealloc: true).readToEnd()
        let run = try recording.finish()
        #expect(run.status == 0 && run.errors.contains("recorded 0 change sets"), "\(run)")
        try tool.write("day.trace", [UInt8](try #require(trace)))
        #expect(try summary(tool.run("--output", "jsonl", "replay", "day.trace"))["equalHashes"] == true)
    }

    @Test func `A second signal ends a recording with a failure that says that the trace is unfinished`() throws {
        let tool = try Sample.tool()
        let (recording, pipe) = try followedIntoPipe(tool)
        // The signals differ, because two pending signals of one kind merge.
        recording.process.interrupt()
        recording.process.terminate()
        let run = try recording.finish()
        close(pipe)
        #expect(run.status == 1 && run.errors.contains("the trace pipe is unfinished"), "\(run)")
    }
}
