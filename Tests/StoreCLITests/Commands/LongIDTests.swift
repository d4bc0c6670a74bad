import StoreEngine
import TestSupport
import Testing

/// Commands on records whose ids share a beginning and are too long for a key.
@Suite("store-cli with long ids") struct LongIDTests {
    private static let ids = (0..<12).map { number in
        String(repeating: "p", count: 245) + "\(number * 7 % 12 + 10)" + String(repeating: "q", count: number * 60)
    }

    private func tool() throws -> Tool {
        let tool = try Sample.empty()
        let rows = Self.ids.enumerated().map { number, id in
            #"{"id": "\#(id)", "room": "r", "serial": "\#(number)", "tags": []}"# + "\n"
        }
        try tool.write("long.jsonl", rows.joined())
        #expect(try tool.run("import", "Sensor", "long.jsonl").status == 0)
        return tool
    }

    private func ids(_ output: String) throws -> [String] {
        try output.split(separator: "\n").map { try JSONReader.read(String($0))["id"]?.string ?? "" }
    }

    @Test(arguments: ["id", "-id", "room"])
    func `Pages put together are all records in order`(order: String) throws {
        let tool = try tool()
        var (found, token): ([String], String?) = ([], nil)
        repeat {
            let after = token.map { ["--after", $0] } ?? []
            let run = try tool.run(["--output", "jsonl", "query", "Sensor", "--sort", order, "--limit", "5"] + after)
            #expect(run.status == 0, "\(run)")
            found += try ids(run.output)
            token = run.errors.split(separator: " ").last.map { $0.trimmingPrefix("--after ") }?
                .split(separator: "\n").first.map(String.init)
        } while token != nil && found.count < 20
        #expect(found == (order == "-id" ? Self.ids.sorted().reversed() : Self.ids.sorted()))
    }

    /// Creates a store of format 3, whose keys have no secret, and a file with records of a new type.
    private func oldTool(_ records: [JSONValue]) throws -> Tool {
        let tool = try Tool()
        try #require(Fixture.all.first { $0.name == "format-3-long" }).unpack(to: tool.store)
        try tool.write("new.jsonl", records.map { JSONWriter.text(of: $0) + "\n" }.joined())
        return tool
    }

    @Test func `An id with the key of another one is bad data, which an import can skip`() throws {
        let ids = [CollidingText.text(0), CollidingText.text(37), "short"]
        let tool = try oldTool(ids.map { .object([JSONMember("id", .string($0))]) })
        let command = ["import", "New", "new.jsonl", "--id", "id"]
        let stopped = try tool.run(command)
        #expect(stopped.status == 65 && stopped.errors.contains("new.jsonl, line 2: the id "), "\(stopped)")
        let skipped = try tool.run(command + ["--on-error", "skip"])
        #expect(skipped.status == 0 && skipped.errors.contains("imported 2 records: 2 added"), "\(skipped)")
        #expect(skipped.errors.contains("skipped new.jsonl, line 2: the id "), "\(skipped)")
        let inserted = try tool.run("insert", "New", JSONWriter.text(of: .object([JSONMember("id", .string(ids[1]))])))
        #expect(inserted.status == 65, "\(inserted)")
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `A unique value with the key of too many others is bad data, which an import can skip`() throws {
        let tool = try oldTool(
            (0..<70).map { number in
                .object([
                    JSONMember("id", .number(JSONNumber(number))),
                    JSONMember("mark", .string(CollidingText.text(number))),
                ])
            })
        let command = ["import", "New", "new.jsonl", "--id", "id", "--unique", "mark"]
        let stopped = try tool.run(command)
        #expect(stopped.status == 65 && stopped.errors.contains("new.jsonl, line 65: mark of 64"), "\(stopped)")
        let skipped = try tool.run(command + ["--on-error", "skip"])
        #expect(skipped.status == 0 && skipped.errors.contains("64 added, 0 already there, 6 skipped"), "\(skipped)")
        #expect(try tool.run("verify").status == 0)
    }

    @Test func `Records are listed and exported in the order of their ids`() throws {
        let tool = try tool()
        let sorted = Self.ids.sorted()
        let low = sorted[4]
        let all = try tool.run("--output", "jsonl", "query", "Sensor")
        let exported = try tool.run("--output", "jsonl", "export", "Sensor")
        let behind = try tool.run("--output", "jsonl", "query", "Sensor", "--where", #"id > "\#(low)""#)
        let found = try [all, exported, behind].map { try ids($0.output) }
        #expect(found == [sorted, sorted, sorted.filter { $0 > low }])
    }
}
