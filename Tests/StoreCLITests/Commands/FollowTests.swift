import ChildPrograms
import Foundation
import Glibc
import StoreEngine
import StoreRuntime
import TestSupport
import Testing

/// `feed --follow` next to writing processes: interrupted, killed, and with its output closed.
@Suite("Following the feed", .timeLimit(.minutes(TestLength.waitMinutes))) struct FollowTests {
    private static func writeLogs(_ numbers: ClosedRange<Int>, _ store: Store) throws {
        for number in numbers { try store.write { try Sample.putLog(number, in: &$0) } }
    }

    @Test func `Every change set of all processes comes once and in order, also after a restart`() throws {
        let tool = try Sample.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let begin = try store.position
        let follower = try Follower(tool, since: begin.description)
        try tool.write("many.jsonl", (0..<2_000).map { "{\"number\": \(5_000 + $0), \"text\": \"x\"}\n" }.joined())
        var others: [Tool.Started] = []
        for round in 0..<4 {
            others.append(try tool.start(["import", "Log", "many.jsonl"]))
            for number in 0..<3 {
                others.append(
                    try tool.start(["insert", "Seat", #"{"hall":"\#(round)","row":\#(number),"taken":true}"#]))
            }
            try Self.writeLogs(1_000 + round * 50...1_049 + round * 50, store)
        }
        for other in others { #expect(try other.finish().status == 0) }
        let middle = try store.position
        let lines = try follower.lines(upTo: middle.sequence)
        #expect(lines.positions == Array(Int64(begin.sequence) + 1...Int64(middle.sequence)))
        // Repeated imports of the same records change nothing.
        let counts = lines.compactMap { $0["changes"]?.array?.count }
        let total: Int = counts.reduce(0, +)
        #expect(total == 2_212, "200 and 12 and 2,000, in \(counts.count) change sets")
        #expect(lines.last?["token"]?.string == middle.description)
        let run = try follower.end()
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")

        try Self.writeLogs(2_000...2_020, store)
        let second = try Follower(tool, since: try #require(lines.last?["token"]?.string))
        try Self.writeLogs(2_021...2_040, store)
        let newest = try store.position.sequence
        let more = try second.lines(upTo: newest)
        #expect(more.positions == Array(Int64(middle.sequence) + 1...Int64(newest)))
        #expect(try second.end(SIGTERM).status == 0)
    }

    @Test func `Killed at any moment, it goes on after the last whole line without a hole`() throws {
        let tool = try Sample.empty()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        var random = TestRandom(seed: 17)
        var token = try store.position.description
        var seen: [Int64] = []
        let begin = try store.position.sequence
        for round in 0..<6 {
            let follower = try Follower(tool, since: token)
            try Self.writeLogs(round * 200 + 1...round * 200 + Int.random(in: 50...200, using: &random), store)
            let enough = Int.random(in: 1...50, using: &random)
            try follower.waitForOutput { $0.count { $0 == "\n" } >= enough }
            follower.kill(SIGKILL)
            follower.started.process.waitUntilExit()
            let lines = try follower.lines()
            seen += lines.positions
            token = try #require(lines.last?["token"]?.string)
        }
        let newest = try store.position.sequence
        if seen.last != Int64(newest) {
            let last = try Follower(tool, since: token)
            seen += try last.lines(upTo: newest).positions
            #expect(try last.end().status == 0)
        }
        #expect(seen == Array(Int64(begin) + 1...Int64(newest)))
    }

    @Test func `Only what is wanted comes, and the limit ends it`() throws {
        let tool = try Sample.empty()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let since = try store.position.sequence
        let follower = try Follower(tool, "--type", "Log", "--where", "number > 3", "--limit", "2", since: "\(since)")
        try Self.writeLogs(1...9, store)
        let run = try follower.started.finish()
        #expect(run.status == 0)
        let lines = try run.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        #expect(lines.positions == [Int64(since) + 4, Int64(since) + 5])
        #expect(lines.map { $0["changes"]?[0]?["id"]?.number?.int64 } == [4, 5])
    }

    @Test func `It holds no lock and no snapshot while it waits`() throws {
        let tool = try Sample.tool()
        let follower = try Follower(tool, since: "0")
        let lines = try follower.lines(upTo: 6)
        #expect(lines.count == 6)
        try tool.waitUntilNobodyReads()
        #expect(try tool.run("insert", "Log", "{\"text\": \"x\"}").status == 0)
        _ = try follower.lines(upTo: 7)
        #expect(try follower.end().status == 0)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can run a command as another user"))
    func `Whoever may only read the store can follow it`() throws {
        let tool = try Sample.tool()
        let follower = try Follower(onlyReading: tool, ["feed", "--follow", "--since", "6", "--output", "jsonl"])
        for number in 0..<5 { #expect(try tool.run("insert", "Log", "{\"text\": \"\(number)\"}").status == 0) }
        #expect(try follower.lines(upTo: 11).positions == [7, 8, 9, 10, 11])
        #expect(try follower.end().status == 0)
    }

    @Test func `It ends quietly when nobody reads its output, also while nothing is written`() throws {
        let tool = try Sample.tool()
        #expect(try tool.firstLine(of: "feed --follow --events").hasPrefix("{\"op\":\"schema\""))
    }

    @Test func `An interrupt ends it although its reader takes nothing`() throws {
        let tool = try Sample.empty()
        try tool.write("many.jsonl", (0..<5_000).map { "{\"text\": \"line \($0)\"}\n" }.joined())
        try tool.run("import", "Log", "many.jsonl")
        // More data than the pipe can hold.
        let pipe = Pipe()
        let started = try tool.start(["feed", "--follow", "--output", "jsonl"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        _ = pipe.fileHandleForReading.readData(ofLength: 1)
        let run = try Follower(started).end()
        #expect(run.status == 0 && run.errors.isEmpty)
        try pipe.fileHandleForReading.close()
    }

    @Test(.enabled(if: ForeignWriter.shared != nil, "needs Python with py-lmdb"))
    func `A write by a program that is not ModelStore comes as a reset`() async throws {
        let tool = try Sample.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let newest = try store.position
        let follower = try Follower(tool, "--type", "Log", since: newest.description)
        try #require(ForeignWriter.shared).write(to: tool.store)
        // A program that can write and reads the feed notes the foreign commit.
        var feed = store.changes(since: newest).makeAsyncIterator()
        let set = try #require(try await feed.next())
        #expect(set.sequence == newest.sequence + 1)
        let lines = try follower.lines(upTo: set.sequence)
        #expect(lines.last?["changes"]?[0]?["kind"] == .string("reset"))
        #expect(lines.last?["changes"]?[0]?["type"] == .string("*"))
        #expect(try follower.end().status == 0)
    }

    @Test func `A change set of two hundred thousand changes is one line and takes a bounded memory`() throws {
        let tool = try Sample.empty()
        let count = 200_000
        try tool.write("many.jsonl", (0..<count).map { "{\"text\": \"line \($0)\"}\n" }.joined())
        #expect(try tool.run("import", "Log", "many.jsonl").status == 0)
        let started = try tool.start(["feed", "--since", "3", "--output", "jsonl"])
        var peak = 0
        // Samples the memory of another process.
        while started.process.isRunning {
            peak = max(peak, try ProcessTests.anonymousMemory(of: started.process.processIdentifier))
            usleep(20_000)
        }
        let run = try started.finish()
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 1)
        let set = try JSONReader.read(String(try #require(lines.first)))
        let changes = try #require(set["changes"]?.array)
        #expect(changes.count == count)
        #expect(changes.last?["after"]?["text"] == .string("line \(count - 1)"))
        #expect(set["token"]?.string?.isEmpty == false)
        let isSanitized = ProcessInfo.processInfo.environment["MODELSTORE_SANITIZER"] != nil
        #expect(peak > 0 && (peak < 64 << 20 || isSanitized), "\(peak) bytes of memory")
    }
}
