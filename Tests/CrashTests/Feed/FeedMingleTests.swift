import ChildPrograms
import Foundation
import TestSupport
import Testing

/// Processes that write, and follow the writes of all of them.
@Suite(.timeLimit(.minutes(TestLength.isLong ? 60 : 20))) struct FeedMingleTests {
    @Test(arguments: 0..<(TestLength.isLong ? 100 : 2))
    func `each process sees its own writes and those of others as one feed, without a hole`(round: Int) throws {
        let directory = try ScratchDirectory()
        // This process creates the store.
        _ = try Command.run(FeedWorker.path, ["check", directory.path("store")])
        let seed = TestRun.seed &+ UInt64(round * 1_000)
        let workers = try ["a", "b", "c"].enumerated().map { place, lane in
            try FeedWorker.start(
                ["mingle", directory.path("store"), lane, "150", String(seed &+ UInt64(place * 10))])
        }
        for worker in workers { #expect(worker.nextLine() == "ready") }
        for worker in workers { worker.send("go") }
        var digests: [String] = []
        for worker in workers {
            let lines = worker.remainingLines()
            #expect(try worker.wait() == .exit(0))
            #expect(lines.count == 3 && lines.last == "done", "\(lines); MODELSTORE_SEED=\(TestRun.seed)")
            digests += lines.dropLast()
        }
        #expect(Set(digests).count == 1 && digests.count == 6, "\(digests); MODELSTORE_SEED=\(TestRun.seed)")
    }
}
