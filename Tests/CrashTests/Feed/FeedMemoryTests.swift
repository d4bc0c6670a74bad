import ChildPrograms
import Foundation
import TestSupport
import Testing

/// The memory that a reader of large change sets uses.
@Suite(.timeLimit(.minutes(TestLength.isLong ? 60 : 20))) struct FeedMemoryTests {
    /// Returns by how many KiB a process grows that reads a change set of `count` changes in parts of `part` changes.
    private func growth(_ directory: String, count: Int, part: Int) throws -> Int {
        let lines = try Command.run(FeedWorker.path, ["drain", directory, String(count), String(part)])
        let words = (lines.first ?? "").split(separator: " ")
        #expect(lines.last == "done" && words.first == "grown", "\(lines)")
        return try #require(words.last.flatMap { Int($0) }, "\(lines)")
    }

    @Test(.disabled(if: TestRun.variable("MODELSTORE_SANITIZER") != nil, "a sanitizer keeps what was freed"))
    func `a change set of very many changes costs a reader no more memory than its parts`() throws {
        let directory = try ScratchDirectory()
        let (small, large, part) = (4_000, TestLength.isLong ? 1_000_000 : 40_000, 1_000)
        for count in [small, large] {
            try Command.run(FeedWorker.path, ["flood", directory.path("\(count)"), String(count)])
        }
        let few = try growth(directory.path("\(small)"), count: small, part: part)
        let many = try growth(directory.path("\(large)"), count: large, part: part)
        let whole = try growth(directory.path("\(large)"), count: large, part: large)
        TestRun.note("\(small) changes in parts of \(part): \(few) KiB, \(large): \(many) KiB, as a whole \(whole) KiB")
        #expect(many < few + 2_048)
        #expect(whole > many + 4_096, "were parts not to matter, this test would show nothing")
    }
}
