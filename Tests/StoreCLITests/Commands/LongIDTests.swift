import StoreEngine
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
