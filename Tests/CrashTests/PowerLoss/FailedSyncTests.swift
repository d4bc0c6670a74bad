import TestSupport
import Testing

/// A sync or a synchronous write fails in a process that goes on. Linux then takes the pages for written, so a later sync succeeds
/// without them. No write may be acknowledged as durable that needs them.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 60 : 10))) struct FailedSyncTests {
    private static let writeCount = TestLength.isLong ? 30 : 8

    @Test(arguments: [nil, 4_096] as [Int?])
    func `what is acknowledged after failed syncs is on the disk, whichever of them failed`(redoLog: Int?) throws {
        let most = TestLength.isLong ? 3 : 2
        var images = 0
        var faults: [String: Int] = [:]
        var position = 1
        while true {
            var wasReached = false
            for count in 1...most {
                let run = try RecordedRun(
                    enduring: Self.writeCount, failing: position..<position + count, redoLog: redoLog)
                wasReached = wasReached || !run.faults.isEmpty
                for fault in run.faults { faults[fault, default: 0] += 1 }
                var loss = PowerLoss(run, seed: TestRun.seed &+ UInt64(position))
                try loss.cutEverywhere(images: TestLength.isLong ? 200 : 7)
                let failure = "the sync \(position) and \(count - 1) more failed; MODELSTORE_SEED=\(TestRun.seed)"
                // Before the data file has its name, there is no store to open.
                let refusals = loss.outcome.refusals.filter { redoLog == nil || !$0.contains("[noSuchStore]") }
                let found = loss.outcome.violations + refusals
                #expect(found.isEmpty, "\(failure): \(found.first ?? "")")
                images += loss.outcome.images + loss.outcome.unborn
            }
            guard wasReached else { break }
            position += 1
        }
        let log = redoLog == nil ? "without a redo log" : "with a redo log"
        TestRun.note("\(log), \(position - 1) positions of failed syncs: \(images) images, \(faults)")
        #expect(position > Self.writeCount)
        #expect(faults["fault outcomeUnknown"] ?? 0 > 0 && faults["fault ioError"] ?? 0 > 0, "\(faults)")
    }
}
