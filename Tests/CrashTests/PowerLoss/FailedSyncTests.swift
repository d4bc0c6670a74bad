import TestSupport
import Testing

/// A sync or a synchronous write fails in a process that goes on. Linux then takes the pages for written, so a later sync
/// succeeds without them. No write may be acknowledged as durable that needs them.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 60 : 10))) struct FailedSyncTests {
    private static let writeCount = TestLength.isLong ? 30 : 8

    @Test(arguments: [nil, 4_096] as [Int?])
    func `what is acknowledged after failed syncs is on the disk, whichever of them failed`(redoLog: Int?) throws {
        let (positions, faults) = try Self.failEach(
            redoLog, upTo: TestLength.isLong ? 3 : 2, images: TestLength.isLong ? 200 : 7)
        #expect(positions >= Self.writeCount)
        #expect(faults["fault outcomeUnknown"] ?? 0 > 0 && faults["fault ioError"] ?? 0 > 0, "\(faults)")
    }

    @Test(.enabled(if: TestLength.isLong, "it takes minutes"), arguments: [nil, 4_096] as [Int?])
    func `the same holds if the system calls themselves fail`(redoLog: Int?) throws {
        let tracer = try #require(TracingInjector.strace, "there is no strace: install the package strace")
        let (positions, faults) = try Self.failEach(redoLog, upTo: 3, images: 10, tracer: tracer)
        // A thread of the worker syncs in every second write.
        #expect(positions >= Self.writeCount / 2)
        #expect(faults["fault ioError"] ?? 0 > 0, "\(faults)")
    }

    /// Makes each sync of a worker fail, one to `most` in a row, and checks possible disks after each run.
    ///
    /// - Returns: the number of syncs that failed in turn, and how often the worker saw each failure.
    private static func failEach(
        _ redoLog: Int?, upTo most: Int, images count: Int, tracer: String? = nil
    ) throws -> (positions: Int, faults: [String: Int]) {
        var images = 0
        var faults: [String: Int] = [:]
        var position = 1
        while true {
            var wasReached = false
            for failures in 1...most {
                let run = try RecordedRun(
                    enduring: writeCount, failing: position..<position + failures, redoLog: redoLog, tracer: tracer)
                wasReached = wasReached || !run.faults.isEmpty
                for fault in run.faults { faults[fault, default: 0] += 1 }
                var loss = PowerLoss(run, seed: TestRun.seed &+ UInt64(position))
                try loss.cutEverywhere(images: count)
                let failure = "the sync \(position) and \(failures - 1) more failed; MODELSTORE_SEED=\(TestRun.seed)"
                // Before the data file has its name, there is no store to open.
                let refusals = loss.outcome.refusals.filter { redoLog == nil || !$0.contains("[noSuchStore]") }
                let found = loss.outcome.violations + refusals
                #expect(found.isEmpty, "\(failure): \(found.first ?? "")")
                images += loss.outcome.images + loss.outcome.unborn
            }
            guard wasReached else { break }
            position += 1
        }
        let log = (redoLog == nil ? "without a redo log" : "with a redo log") + (tracer == nil ? "" : ", by strace")
        TestRun.note("\(log), \(position - 1) positions of failed syncs: \(images) images, \(faults)")
        return (position - 1, faults)
    }
}
