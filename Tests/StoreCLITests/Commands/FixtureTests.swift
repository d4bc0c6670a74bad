import Foundation
import StoreEngine
import Testing

/// Stores that earlier versions of this library made, kept forever. Each must open with its original content, and keep its
/// format.
///
/// A folder is added to `Fixtures` when the format grows, or when catalogs can express more. Its name begins with the format, as
/// in `format-2-migrated`. Fixtures never change afterwards.
@Suite("Stores of earlier versions") struct FixtureTests {
    @Test func `there is one of each format`() {
        #expect(Fixture.all.map(\.name).contains("format-1-first"))
        for format in 1...StoreFormat.version { #expect(Fixture.all.map(\.format).contains(format)) }
    }

    @Test(arguments: Fixture.all) func `a store of an earlier version holds what it held`(fixture: Fixture) throws {
        let tool = try Tool()
        try fixture.unpack(to: tool.store)
        let expected = try fixture.text("export.jsonl")
        let schema = try fixture.text("schema.json")
        // First the test only reads the store, then it runs commands that write.
        for command in [["export"], ["verify"], ["migrate", "--schema", fixture.path("schema.json")], ["verify"]] {
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
        #expect(try OldStore(tool.store).format == fixture.format)
    }
}
