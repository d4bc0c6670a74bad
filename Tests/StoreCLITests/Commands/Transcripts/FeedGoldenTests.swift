import Foundation
import StoreEngine
import StoreExpressions
import StoreRuntime
import Testing

/// The output of `feed` and `consumers`, compared with golden files.
@Suite("The feed, word by word") struct FeedGoldenTests {
    private static let forms = ["table", "json", "jsonl", "csv"]

    /// Creates a folder with a store that contains each kind of change.
    private static func tool() throws -> Tool {
        let tool = try Sample.tool()
        try tool.run("set", "Sensor", "s1", "celsius=-0.5", "note=a\u{1B}[31mb")
        try tool.run("set", "Seat", #"["a,b", 3]"#, "taken=true")
        try tool.run("delete", "Sensor", "s2")
        return tool
    }

    @Test func `feed`() throws {
        var transcript = Transcript(try Self.tool())
        for form in Self.forms { try transcript.run("--output", form, "feed") }
        for form in Self.forms { try transcript.run("--output", form, "feed", "--since", "newest") }
        try transcript.run("feed", "--since", "7", "--limit", "1")
        try transcript.run("feed", "--limit", "0", "--output", "json")
        try transcript.run("feed", "--type", "Log", "--type", "Seat", "--since", "3")
        try transcript.run("feed", "--type", "Sensor", "--where", "celsius < 0", "--since", "3", "--output", "jsonl")
        try transcript.run(
            "feed", "--type", "Sensor", "--where", "room == 'attic'", "--since", "3", "--output", "jsonl")
        try transcript.expect("feed")
    }

    @Test func `a change set prints as the command prints it`() async throws {
        let tool = try Self.tool()
        try tool.run("undo", "9")
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let newest = try store.position.sequence
        var feed = store.changes(from: .oldest).makeAsyncIterator()
        var lines: [String] = []
        while let set = try await feed.next() {
            lines += "\(set)".split(separator: "\n").map(Self.cells)
            for change in set.changes { #expect("\(set)".contains("\(change)".prefix { $0 != " " })) }
            if set.sequence == newest { break }
        }
        let printed = try tool.run("feed", "--output", "table").output.split(separator: "\n").dropFirst(2)
        #expect(lines == printed.map(Self.cells))
        #expect(lines.count > 9)
        #expect(lines.last?.contains("store-cli (undo of 9)") == true)
    }

    /// Returns the cells of a line, which two spaces or more separate, in one form. Empty cells are as wide as their column, so
    /// they are left out.
    private static func cells(_ line: Substring) -> String {
        line.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: " | ")
    }

    @Test func `feed --events`() throws {
        var transcript = Transcript(try Self.tool())
        try transcript.run("feed", "--events", "--since", "2")
        try transcript.run("feed", "--events", "--since", "8", "--name", "thermo")
        try transcript.run("feed", "--events", "--since", "newest")
        try transcript.run("feed", "--events", "--snapshot")
        try transcript.run("feed", "--events", "--snapshot", "--type", "Sensor", "--where", "celsius < 0")
        try transcript.expect("feed-events")
    }

    @Test func `mistakes in feed`() throws {
        let tool = try Self.tool()
        let token = try #require(try JSONReader.read(tool.run("--output", "json", "stat").output)["token"]?.string)
        var transcript = Transcript(tool)
        for position in ["9999", "yesterday", "-1", "", "18446744073709551616", token + "x"] {
            try transcript.run("feed", "--since", position)
        }
        let parts = token.split(separator: ".").map(String.init)
        let diverged = [parts[0], parts[1], parts[2], parts[3] == "1" ? "2" : "1"].joined(separator: ".")
        let other = (["00000000-0000-0000-0000-000000000000"] + parts[1...]).joined(separator: ".")
        for position in [diverged, other] { try transcript.run("feed", "--since", position) }
        try transcript.run("feed", "--limit", "-1")
        try transcript.run("feed", "--type", "Sensr")
        try transcript.run("feed", "--where", "celsius > 1")
        try transcript.run("feed", "--type", "Log", "--type", "Seat", "--where", "taken")
        try transcript.run("feed", "--type", "Sensor", "--where", "celcius > 1")
        try transcript.run("feed", "--events", "--output", "csv")
        try transcript.run("feed", "--name", "thermo")
        try transcript.run("feed", "--snapshot")
        try transcript.run("feed", "--events", "--snapshot", "--since", "3")
        try transcript.run("feed", "--events", "--snapshot", "--limit", "3")
        try transcript.run("--store", "nowhere", "feed", "--follow")
        try transcript.expect("feed-mistakes")
    }

    @Test func `a position that has left the feed is refused with the oldest`() throws {
        let tool = try Sample.empty()
        var options = StoreOptions()
        options.limits.retainedChangeSets = 3
        let store = try Store(at: tool.store, records: [], options: options)
        for number in 1...20 { try store.write { try Sample.putLog(number, in: &$0) } }
        store.close()
        let first = try tool.run("feed", "--output", "jsonl").output.split(separator: "\n")[0]
        let oldest = try #require(try JSONReader.read(String(first))["position"]?.number?.int64)
        #expect(oldest > 10)
        let run = try tool.run("feed", "--since", "2")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(
            run.errors == "error: change sets after 2 are no longer retained, and the oldest is \(oldest); the oldest "
                + "position is \(oldest - 1)\n")
        #expect(try tool.run("feed", "--since", "\(oldest - 1)").status == 0)
    }

    @Test func `a position that has left the feed is resumed by the difference where the store remembers it`() throws {
        let tool = try Sample.empty()
        var options = StoreOptions()
        options.limits.retainedChangeSets = 2
        options.limits.changedRecordLimit = 100
        let store = try Store(at: tool.store, records: [], options: options)
        for number in 1...4 { try store.write { try Sample.putLog(number, in: &$0) } }
        let start = try store.position
        try store.write { tx in
            let log = try tx._reading.catalog.requireTypeIndex(named: "Log")
            let id = try DynamicID.parse(["4"], of: tx._reading.catalog.types[log])
            _ = try tx.delete(dynamicID: id, typeIndex: log)
        }
        for number in 5...9 { try store.write { try Sample.putLog(number, in: &$0) } }
        // Retention trims the feed between commits, some time after the last one.
        let deadline = Date() + 240
        while Date() < deadline, try store.read({ try $0._reading.trailHead()?.count }) != 7 { usleep(1_000) }
        store.close()
        var transcript = Transcript(tool)
        for form in Self.forms {
            try transcript.run("--output", form, "feed", "--difference", "--since", "\(start.sequence)")
        }
        let logs = ["feed", "--difference", "--since", "\(start.sequence)", "--type", "Log"]
        try transcript.run(logs + ["--where", "number < 6", "--limit", "0", "--output", "csv"])
        try transcript.run("feed", "--difference", "--since", "newest")
        try transcript.run("feed", "--difference", "--since", "99")
        try transcript.run("feed", "--difference")
        try transcript.run("feed", "--difference", "--since", "3", "--events")
        try transcript.run("stat", "--output", "jsonl")
        try transcript.expect("feed-difference")
        #expect(try tool.run("feed", "--difference", "--since", start.description).status == 0)
    }

    @Test func `consumers`() async throws {
        let tool = try Self.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let held = try await store.holdConsumer("mailer")
        var options = ConsumerOptions()
        options.start = .newest
        _ = try await store.holdConsumer("archive of all", options)
        try await held.acknowledge(try #require(try await Self.first(store)))
        var transcript = Transcript(tool)
        for form in Self.forms { try transcript.run("--output", form, "consumers") }
        for form in ["table", "jsonl"] { try transcript.run("--output", form, "stat") }
        for position in ["3", "oldest", "newest", "99", "here"] {
            try transcript.run("consumers", "reset", "mailer", "--to", position)
            try transcript.run("--output", "csv", "consumers")
        }
        try transcript.run("consumers", "reset", "nobody", "--to", "oldest")
        try transcript.run("consumers", "reset", "mailer")
        try transcript.run("consumers", "delete", "mailer")
        try transcript.run("--store", tool.store, "consumers", "delete", "mailer", "--yes")
        try transcript.run("consumers", "delete", "mailer", "--yes")
        try transcript.run("consumers", "create", "mailer", "--at", "3")
        try transcript.run("consumers", "create", "later", "--at", "newest")
        try transcript.run("consumers", "create", "mailer", "--at", "oldest")
        try transcript.run("consumers", "create", "other")
        try transcript.run("consumers", "drop", "mailer")
        try transcript.run("consumers", "list", "--output", "csv")
        try transcript.expect("consumers")
        // `delete` took the consumer away while it was held.
        await #expect(throws: StoreError.self) { try await held.acknowledge(try #require(try await Self.first(store))) }
    }

    @Test func `the list of consumers says why a lag is an upper bound`() async throws {
        let tool = try Sample.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let filters = [
            "outdated": #"{"type":"Probe"}"#, "unread": #"{"type":"Sensor","condition":"celsius is hot"}"#,
            "read": #"{"type":"Sensor","condition":"celsius > 99"}"#,
        ]
        for (name, filter) in filters {
            _ = try await store.holdConsumer(name)
            let interest = try ConsumerInterest(from: Array(#"{"filters":[\#(filter)]}"#.utf8))
            _ = try await store.write { tx in try tx.put(interest, ofConsumer: name) }
        }
        #expect(
            try tool.run("consumers").errors == """
                note: outdated wants at most 6 change sets: its filter does not match the store's schema
                note: unread wants at most 2 change sets: its filter has a condition that only its own program can read

                """)
    }

    @Test func `a wait for a consumer ends when another process moves it, or deletes it`() async throws {
        let tool = try Self.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        for name in ["moved", "deleted"] { _ = try await store.holdConsumer(name) }
        let newest = try store.position
        let waits = ["moved", "deleted"].map { name in
            Task { try await store.wait(forConsumer: name, toPass: newest) }
        }
        #expect(try tool.run("consumers", "reset", "moved", "--to", "3").status == 0)
        #expect(try tool.run("consumers", "reset", "moved", "--to", "newest").status == 0)
        try await waits[0].value
        #expect(try tool.run("consumers", "delete", "deleted", "--yes").status == 0)
        let error = await #expect(throws: StoreError.self) { try await waits[1].value }
        #expect(error?.code == .consumerNotFound)
    }

    @Test func `the lag counts what a filter wants, also in another process`() async throws {
        let tool = try Self.tool()
        let store = try Store(at: tool.store, records: [])
        defer { store.close() }
        let types = try store.read { $0._reading.catalog.types.map(\.type) }
        let seat = try #require(types.first { $0.name == "Seat" })
        let taken = try ExpressionParser.condition("taken == true", of: seat, among: types, named: "a filter")
        let conditions: [String: ConditionNode?] = ["seats": nil, "taken": taken]
        for (name, condition) in conditions {
            var options = ConsumerOptions()
            options.start = .after(sequence: 3)
            options.feed.filters = [FeedFilter(typeName: "Seat", condition: condition)]
            _ = try await store.holdConsumer(name, options)
        }
        let run = try tool.run("--output", "csv", "consumers")
        let rows = run.output.split(separator: "\n").map { $0.split(separator: ",").prefix(3) }
        #expect(rows.dropFirst().map { $0.joined(separator: " ") } == ["seats 3 2", "taken 3 1"])
        #expect(run.errors == "")
    }

    private static func first(_ store: Store) async throws -> ChangeSet? {
        var feed = store.changes(from: .oldest).makeAsyncIterator()
        return try await feed.next()
    }
}
