import ChildPrograms
import Foundation
import TestSupport
import Testing

/// The resources of a service that works for a long time.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 120 : 10))) struct SoakTests {
    /// A day has 24 shifts. The long form runs twenty days with a commit each second, which takes some ten minutes.
    private static let shiftCount = TestLength.isLong ? 480 : 24
    private static let commitCount = TestLength.isLong ? 3_600 : 600

    /// The samples of a run, one for each shift: numbers by their names.
    private func samples(_ shifts: Int, _ commits: Int, _ extra: String...) throws -> [[String: Int]] {
        let directory = try ScratchDirectory(inMemory: true)
        let worker = try ChildProcess(
            BuiltProgram.path("SoakWorker"),
            [directory.path("store"), String(shifts), String(commits), String(TestRun.seed)] + extra,
            // With several arenas, the memory of the allocator depends on which threads ran.
            environment: ["MALLOC_ARENA_MAX": "1"])
        var samples: [[String: Int]] = []
        while let line = worker.nextLine(seconds: 600) {
            let words = line.split(separator: " ")
            guard words.first == "sample" else {
                #expect(line == "done", "\(line); MODELSTORE_SEED=\(TestRun.seed)")
                break
            }
            var sample: [String: Int] = [:]
            for word in words.dropFirst() {
                let parts = word.split(separator: "=")
                sample[String(parts[0])] = parts.count == 2 ? Int(parts[1]) : nil
            }
            samples.append(sample)
            TestRun.noteProgress(line)
        }
        let end = try worker.wait()
        #expect(end == .exit(0), "after \(samples.count) shifts; MODELSTORE_SEED=\(TestRun.seed)")
        try #require(samples.count == shifts)
        return samples
    }

    /// How much more than in the second quarter of a run a resource may take in the last one.
    private struct Tolerance {
        let name: String
        /// In parts of a hundred, and in the unit of the sample.
        let percent: Int
        let units: Int

        /// Returns the growth, if it exceeds the tolerance.
        func excess(_ samples: [[String: Int]]) -> String? {
            let quarter = samples.count / 4
            func most(_ range: Range<Int>) -> Int { samples[range].compactMap { $0[name] }.max() ?? 0 }
            let (early, late) = (most(quarter..<2 * quarter), most(3 * quarter..<samples.count))
            guard late > early + early * percent / 100 + units else { return nil }
            return "\(name) grew from \(early) to \(late)"
        }
    }

    private static let tolerances = [
        Tolerance(name: "resident", percent: 5, units: 1_024), Tolerance(name: "anonymous", percent: 5, units: 1_024),
        Tolerance(name: "descriptors", percent: 0, units: 4), Tolerance(name: "threads", percent: 0, units: 4),
        Tolerance(name: "file", percent: 20, units: 256), Tolerance(name: "feed", percent: 10, units: 16),
        Tolerance(name: "readers", percent: 0, units: 2),
    ]

    @Test(.disabled(if: TestRun.variable("MODELSTORE_SANITIZER") != nil, "a sanitizer keeps freed memory"))
    func `a service that works for days needs no more memory, descriptors, threads and disk than before`() throws {
        let samples = try samples(Self.shiftCount, Self.commitCount)
        TestRun.note("soak: first \(text(samples[0])), last \(text(samples[samples.count - 1]))")
        #expect(Self.tolerances.compactMap { $0.excess(samples) } == [], "MODELSTORE_SEED=\(TestRun.seed)")
        // Without models, scopes and pins that are alive.
        #expect(samples.allSatisfy { $0["objects"] == 0 }, "MODELSTORE_SEED=\(TestRun.seed)")
        // In each shift but the first, a position of the shift before and a left consumer have expired.
        #expect(samples.dropFirst().allSatisfy { $0["expired"] == 2 }, "\(samples.map { $0["expired"] })")
    }

    @Test(.disabled(if: TestRun.variable("MODELSTORE_SANITIZER") != nil, "a sanitizer keeps freed memory"))
    func `a service that keeps each model is found out`() throws {
        let samples = try samples(8, 600, "leak")
        TestRun.note("soak with a leak: first \(text(samples[0])), last \(text(samples[samples.count - 1]))")
        #expect(samples.allSatisfy { $0["objects"] ?? 0 > 0 })
        #expect(Self.tolerances.contains { $0.name == "anonymous" && $0.excess(samples) != nil })
    }

    private func text(_ sample: [String: Int]) -> String {
        sample.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
}
