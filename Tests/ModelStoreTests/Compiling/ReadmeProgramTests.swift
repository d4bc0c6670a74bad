import Foundation
import Testing

/// The first program of the README, as its readers copy it.
@Suite("The first program of the README", .serialized, .timeLimit(.minutes(5))) struct ReadmeProgramTests {
    private static func readme() throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../README.md")
        return try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
    }

    /// Returns the first block of Swift code, with its last line end.
    private static func program() throws -> String {
        let readme = try readme()
        let begin = try #require(readme.firstRange(of: "```swift\n"))
        let rest = readme[begin.upperBound...]
        return String(rest[..<(try #require(rest.firstRange(of: "```\n")).lowerBound)])
    }

    @Test func `It has at most 25 lines, and needs no import but ModelStore`() throws {
        let lines = try Self.program().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect((10...25).contains(lines.count))
        #expect(lines.filter { $0.hasPrefix("import ") } == ["import ModelStore"])
        #expect(lines.contains { $0.hasPrefix("@main") })
    }

    @Test(.enabled(if: Compiler.isAvailable)) func `It passes the type checker`() throws {
        #expect(try Compiler.errors(in: Self.program()) == [])
    }

    @Test(.enabled(if: Compiler.isAvailable)) func `It runs, and prints the lines that the README announces`() throws {
        let output = try Compiler.output(ofProgram: Self.program())
        #expect(output == "stored: [21.5]\nlive: [30.0]\nwritten: s1\n")
        let readme = try Self.readme()
        for line in output.split(separator: "\n") {
            #expect(readme.contains("`\(line)`"), "the README does not announce \(line)")
        }
    }
}
