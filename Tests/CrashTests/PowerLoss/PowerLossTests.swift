import Foundation
import TestSupport
import Testing

/// SIGKILL proves nothing about durability, because the page cache survives it. These tests replay the writes and syncs of
/// workers, and check the possible contents of a disk after a power failure at any moment.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 60 : 20))) struct PowerLossTests {
    @Test func `full writes survive the loss of power at any moment, and relaxed ones go from the end only`() throws {
        var total = PowerLoss.Outcome()
        for round in 0..<(TestLength.isLong ? 12 : 1) {
            let promise = ["mixed", "relaxed", "full"][round % 3]
            let run = try RecordedRun(promise: promise, count: TestLength.isLong ? 80 : 30, salt: round)
            var loss = PowerLoss(run, seed: TestRun.seed &+ UInt64(round))
            try loss.cutEverywhere(images: TestLength.isLong ? 3_000 : 400)
            let outcome = loss.outcome
            #expect(outcome.violations == [], "MODELSTORE_SEED=\(TestRun.seed)")
            TestRun.noteProgress("round \(round), \(promise): \(outcome.summary)")
            total.images += outcome.images
            total.unborn += outcome.unborn
            total.refusedUnborn += outcome.refusedUnborn
            total.lostRelaxed += outcome.lostRelaxed
            total.refusals.formUnion(outcome.refusals)
        }
        TestRun.note("loss of power: \(total.summary); MODELSTORE_SEED=\(TestRun.seed)")
        #expect(total.images > 200)
        #expect(total.lostRelaxed > 0, "no image lost a relaxed write: the images are too kind")
    }

    @Test(arguments: SyncLog.BrokenPromise.allCases)
    func `a disk that breaks its promise is found out`(promise: SyncLog.BrokenPromise) throws {
        let run = try RecordedRun(promise: "full", count: 15)
        var loss = PowerLoss(run, log: try FolderLog(dataFile: run.dataFileLog().without(promise)), seed: TestRun.seed)
        try loss.cutEverywhere(images: 200, stopAtViolations: 40)
        // Without syncs, a store may be damaged in any way. Without synchronous writes, it is only an older store.
        let example = loss.outcome.violations.first {
            promise == .sync || $0.contains("was acknowledged as full")
        }
        TestRun.note("without \(promise): \(loss.outcome.summary); for one: \(example ?? "none")")
        #expect(loss.outcome.violations.count >= 10)
        #expect(example != nil, "MODELSTORE_SEED=\(TestRun.seed)")
    }

    @Test func `the loss of power while a store is made leaves one that the next open makes`() throws {
        let run = try RecordedRun(promise: "full", count: 1)
        var loss = PowerLoss(run, seed: TestRun.seed)
        try loss.cutEverywhere(images: TestLength.isLong ? 5_000 : 150, onlyWhileMade: true)
        TestRun.note("loss of power in the making: \(loss.outcome.summary)")
        #expect(loss.outcome.violations == [], "MODELSTORE_SEED=\(TestRun.seed)")
        #expect(loss.outcome.refusals == [], "MODELSTORE_SEED=\(TestRun.seed)")
        #expect(loss.outcome.unborn > 100)
    }

    @Test func `the data file is written by calls that the replay follows, and never through a map`() throws {
        let run = try RecordedRun(promise: "mixed", count: 10)
        var counts: [String: Int] = [:]
        for operation in try run.dataFileLog().operations {
            switch operation {
            case .map(let isWritable, let isShared):
                counts["map", default: 0] += 1
                #expect(!(isWritable && isShared), "a writable shared map of the data file")
            case .unmodelled(let name): Issue.record("\(name) on the data file")
            case .truncate(let byteCount): Issue.record("the data file is cut to \(byteCount) bytes")
            case .sync: counts["sync", default: 0] += 1
            case .write(_, _, let isSynchronous): counts[isSynchronous ? "synchronous" : "write", default: 0] += 1
            case .open, .mark, .directorySync, .failedSync: break
            }
        }
        // If the log missed a way to do any of these, the other tests would prove nothing.
        for name in ["sync", "synchronous", "write"] { #expect(counts[name, default: 0] > 10, "\(name)") }
        #expect(counts["map", default: 0] >= 2)
    }

    @Test func `a new store's directories are synced before its open returns`() throws {
        let run = try RecordedRun(promise: "full", count: 1)
        let operations = try run.dataFileLog().operations
        let firstOpen = operations.firstIndex {
            if case .mark(let text) = $0 { text.hasPrefix("open ") } else { false }
        }
        let opened = try #require(firstOpen)
        // The directory that contains the file, and its parent directory.
        for directory in [run.store, run.directory.path] {
            let synced = operations.firstIndex {
                if case .directorySync(let path) = $0 { path == directory } else { false }
            }
            #expect(synced.map { $0 < opened } == true, "\(directory)")
        }
    }
}
