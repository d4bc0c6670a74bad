import Foundation
import Testing

@Suite("Completion scripts") struct CompletionTests {
    @Test(arguments: ["bash", "zsh", "fish"]) func `There is one, and its shell takes it`(shell: String) throws {
        let tool = try Tool()
        let run = try tool.run("--generate-completion-script", shell)
        #expect(run.status == 0)
        for word in ["import", "restore", "output", "clear-stale"] { #expect(run.output.contains(word), "\(word)") }
        let path = ["/usr/bin/", "/bin/"].map { $0 + shell }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path else { try Test.cancel("there is no \(shell) here") }
        try tool.write("script", run.output)
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = ["-n", tool.path("script")]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func `Names of record types come from the store`() throws {
        let tool = try Sample.tool()
        let run = try tool.run(
            ["---completion", "get", "--", "positional@0", "1", "0"] + ["store-cli", "--store", "store", "get", "S"])
        #expect(run.output.split(separator: "\n").contains("Sensor"), "\(run)")
    }
}
