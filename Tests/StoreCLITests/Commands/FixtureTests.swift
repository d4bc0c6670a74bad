import Foundation
import Testing

/// Stores that earlier versions of this library made, kept forever. Each must open with its original content.
///
/// A folder is added to `Fixtures` when the format grows, or when catalogs can express more. It contains `data.mdb.gz`, the data
/// file of a compacted copy, and `export.jsonl` and `schema.json`, the output of `export` and `schema --output json` at that
/// time. Fixtures never change afterwards.
@Suite("Stores of earlier versions") struct FixtureTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")

    private static let names: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: fixtures.path).sorted()) ?? []

    @Test func `there are some`() { #expect(Self.names.contains("format-1-first")) }

    @Test(arguments: names) func `a store of an earlier version holds what it held`(name: String) throws {
        let folder = Self.fixtures.appending(path: name)
        let tool = try Tool()
        try FileManager.default.createDirectory(atPath: tool.store, withIntermediateDirectories: true)
        try unpack(folder.appending(path: "data.mdb.gz"), to: tool.store + "/data.mdb")
        let expected = try String(contentsOf: folder.appending(path: "export.jsonl"), encoding: .utf8)
        let schema = try String(contentsOf: folder.appending(path: "schema.json"), encoding: .utf8)
        // First the test only reads the store, then it runs commands that write.
        for command in [["export"], ["verify"], ["migrate", "--schema", folder.path + "/schema.json"], ["verify"]] {
            let run = try tool.run(command)
            #expect(run.status == 0, "\(command): \(run.errors)")
            if command == ["export"] { #expect(run.output == expected) }
        }
        #expect(try tool.run("schema", "--output", "json").output == schema)
        #expect(try tool.run("export").output == expected)
        // The exported content can be imported again.
        try tool.write("all.jsonl", expected)
        let again = try tool.run("import", "all.jsonl")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try tool.run("export").output == expected)
        #expect(try tool.run("verify").status == 0)
    }

    private func unpack(_ archive: URL, to path: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/gzip")
        process.arguments = ["-d", "-c", archive.path]
        try Data().write(to: URL(filePath: path))
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: path))
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
