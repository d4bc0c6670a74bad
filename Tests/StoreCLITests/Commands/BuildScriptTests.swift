import Foundation
import Testing

/// Builds of the demo script, with a fake `swift` command.
@Suite("Building for the demo") struct BuildScriptTests {
    private static let setup = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Tools/lib/setup.sh").path

    @Test func `A failure shows the end of the log and ends the script`() throws {
        let tool = try Tool()
        let steps = "for i in $(seq 100); do echo \"[$i/100] Compiling\"; done"
        let run = try build("\(steps); echo 'error: no such module'; exit 1\n", tool)
        #expect(run.status == 1)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("error: the build failed; the last lines of its log:\n[62/100] Compiling\n"))
        #expect(run.errors.hasSuffix("[100/100] Compiling\nerror: no such module\n"))
    }

    @Test func `A build that takes its time says how far it is`() throws {
        let tool = try Tool()
        // Reading a line of the build advances the shell's clock, so the test does not wait.
        let clock = "read() { SECONDS=30; builtin read \"$@\"; }\n"
        let run = try build("echo '[1/2] Compiling one'\n", tool, clock)
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("  [1/2] Compiling one (") && run.output.hasSuffix(" s)\ndone\n"), "\(run)")
    }

    private func build(_ swift: String, _ tool: Tool, _ definitions: String = "") throws -> Tool.Run {
        // The function lets bash read the script instead of executing it. `execve` refuses a file that is open for writing, and a
        // process forked by another test at the wrong moment holds this file open.
        try tool.write("swift", swift)
        let script = """
            source '\(Self.setup)'
            swift() { bash '\(tool.path("swift"))' "$@"; }
            build --product nothing
            echo done
            """
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", definitions + script]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // Both outputs are far smaller than a pipe's buffer.
        process.waitUntilExit()
        return Tool.Run(
            status: process.terminationStatus,
            output: String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            errors: String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
}
