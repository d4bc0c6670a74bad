import Foundation
import StoreEngine
import ResealedTraces
import Testing

/// What `record` and `replay` do, as processes.
@Suite("store-cli record and replay") struct RecordReplayTests {
    /// A store with changes of each kind, and its trace.
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
        // As if somebody had changed the trace and its checksums: the recorded hash is another's.
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

    @Test func `A followed store is recorded until the end is asked for`() throws {
        let tool = try Sample.tool()
        let recording = try tool.start(["record", "live.trace", "--follow"])
        let deadline = Date() + 240
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
}
