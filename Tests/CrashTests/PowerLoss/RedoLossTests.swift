import Foundation
import TestSupport
import Testing

/// The loss of power with a redo log: the possible contents of the data file, the log and its side file, with their names.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 120 : 20))) struct RedoLossTests {
    /// Short logs have many checkpoints, and entries that are too large for them.
    private static let logByteCounts = [16_384, 4_096, 1 << 20]

    @Test func `with a redo log, full writes survive the loss of power, and relaxed ones go from the end only`() throws
    {
        var images = 0
        var lostRelaxed = 0
        for round in 0..<(TestLength.isLong ? 9 : 2) {
            let promise = ["mixed", "relaxed", "full"][round % 3]
            let log = Self.logByteCounts[round / 3 % 3]
            let hasShortWrites = round % 2 == 1
            let run = try RecordedRun(
                promise: promise, count: TestLength.isLong ? 80 : 30, salt: round, redoLog: log,
                hasShortWrites: hasShortWrites)
            // Each part of the side file begins at half a page. The rest of a short write begins elsewhere.
            let isInterrupted = run.folderLog.writeOffsets(to: "redo.checkpoint").contains { $0 % 2_048 != 0 }
            #expect(isInterrupted == hasShortWrites)
            var loss = PowerLoss(run, seed: TestRun.seed &+ UInt64(round))
            try loss.cutEverywhere(images: TestLength.isLong ? 2_000 : 200)
            let outcome = loss.outcome
            TestRun.noteProgress("round \(round), \(promise), a log of \(log) bytes: \(outcome.summary)")
            #expect(outcome.violations == [], "MODELSTORE_SEED=\(TestRun.seed)")
            // Before the data file has its name, there is no store to open.
            #expect(outcome.refusals.allSatisfy { $0.contains("[noSuchStore]") }, "\(outcome.refusals)")
            images += outcome.images
            lostRelaxed += outcome.lostRelaxed
        }
        TestRun.note("\(images) images with a redo log; MODELSTORE_SEED=\(TestRun.seed)")
        #expect(images > 200)
        #expect(lostRelaxed > 0, "no image lost a relaxed write: the images are too kind")
    }

    @Test func `no other process receives a change set that the loss of power takes back, however large it is`() throws
    {
        // Short entries, so that most commits are too large for the log.
        for log in [4_096, 1 << 20] {
            let run = try RecordedRun(
                promise: "full", count: TestLength.isLong ? 80 : 30, redoLog: log, isFollowed: true)
            var loss = PowerLoss(run, seed: TestRun.seed)
            try loss.cutEverywhere(images: TestLength.isLong ? 4_000 : 300)
            TestRun.note("followed, a log of \(log) bytes: \(loss.outcome.summary)")
            #expect(loss.outcome.violations == [], "MODELSTORE_SEED=\(TestRun.seed)")
            let seen = run.folderLog.steps.count {
                if case .mark(let text) = $0 { text.hasPrefix("seen ") } else { false }
            }
            #expect(seen > 20, "the follower has seen too little")
        }
    }

    @Test(arguments: ["redo.log", "redo.checkpoint", "data.mdb"])
    func `a disk that does not sync one of the files is found out`(name: String) throws {
        // In a short log, most commits are too large for an entry, and a checkpoint makes them durable.
        let run = try RecordedRun(promise: "full", count: 30, redoLog: name == "data.mdb" ? 4_096 : 65_536)
        var loss = PowerLoss(run, log: run.folderLog.without(syncsOf: name), seed: TestRun.seed)
        try loss.cutEverywhere(images: 300, stopAtViolations: 5)
        TestRun.note("without syncs of \(name): \(loss.outcome.summary); \(loss.outcome.violations.first ?? "none")")
        #expect(loss.outcome.violations.count >= 5, "MODELSTORE_SEED=\(TestRun.seed)")
    }

    @Test func `the loss of power while a store and its log are made leaves one that the next open makes`() throws {
        let run = try RecordedRun(promise: "full", count: 1, redoLog: 16_384)
        var loss = PowerLoss(run, seed: TestRun.seed)
        try loss.cutEverywhere(images: TestLength.isLong ? 2_000 : 100, onlyWhileMade: true)
        TestRun.note("loss of power in the making, with a log: \(loss.outcome.summary)")
        #expect(loss.outcome.violations == [], "MODELSTORE_SEED=\(TestRun.seed)")
        #expect(loss.outcome.unborn > 60)
    }
}
