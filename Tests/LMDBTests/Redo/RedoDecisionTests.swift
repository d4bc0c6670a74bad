import Testing

@testable import LMDB

@Suite struct RedoDecisionTests {
    private var limits: RedoLimits {
        var limits = RedoLimits()
        limits.logByteCount = 100
        limits.keptByteCount = 1_000
        return limits
    }

    /// A writer with a pin, in the middle of the log.
    private let calm = RedoSituation(
        hasPin: true, isKept: true, isClosed: false, newest: 8, lastLogged: 8, isInDataFile: false, logByteCount: 40,
        hasRoom: true, keptByteCount: 0, fileByteCount: 0, isSuspect: false, isChecking: false,
        isCheckingElsewhere: false)

    private func decision(_ change: (inout RedoSituation) -> Void = { _ in }) -> RedoDecision {
        var situation = calm
        change(&situation)
        return situation.decision(limits)
    }

    @Test func `a checkpoint is begun when half of the log is used, or pins keep as many pages as they may`() {
        #expect(decision() == .write)
        #expect(decision { $0.logByteCount = 49 } == .write)
        #expect(decision { $0.logByteCount = 50 } == .beginCheckpoint)
        #expect(decision { $0.keptByteCount = 999 } == .write)
        #expect(decision { $0.keptByteCount = 1_000 } == .beginCheckpoint)
        #expect(decision { ($0.keptByteCount, $0.fileByteCount) = (1_000, 16_000) } == .write)
        #expect(decision { ($0.keptByteCount, $0.fileByteCount) = (2_000, 16_000) } == .beginCheckpoint)
    }

    @Test func `one checkpoint is made at a time, by any process`() {
        #expect(decision { ($0.logByteCount, $0.isChecking) = (99, true) } == .write)
        #expect(decision { ($0.logByteCount, $0.isCheckingElsewhere) = (99, true) } == .write)
        #expect(decision { ($0.keptByteCount, $0.isCheckingElsewhere) = (1_999, true) } == .write)
    }

    @Test func `a writer waits for a checkpoint only if the log is full, or pins keep twice as many pages`() {
        for isChecking in [false, true] {
            #expect(decision { ($0.hasRoom, $0.isChecking) = (false, isChecking) } == .checkpoint(.logIsFull))
            #expect(decision { ($0.keptByteCount, $0.isChecking) = (2_000, isChecking) } == .checkpoint(.keepsPages))
        }
    }

    @Test func `a process takes a pin where another keeps the pages, and makes a checkpoint where none does`() {
        #expect(decision { $0.hasPin = false } == .pin)
        #expect(decision { ($0.hasPin, $0.isKept) = (false, false) } == .checkpoint(.noPin))
    }

    @Test func `commits that the log does not have need a checkpoint before the next one`() {
        #expect(decision { $0.newest = 9 } == .checkpoint(.unlogged))
        #expect(decision { $0.newest = 7 } == .checkpoint(.unlogged), "the log has a commit that the data file lacks")
        #expect(decision { $0.isInDataFile = true } == .checkpoint(.largeCommit))
        #expect(decision { $0.isClosed = true } == .checkpoint(.closed))
    }

    @Test func `after a failed sync nothing is written before a checkpoint`() {
        #expect(decision { $0.isSuspect = true } == .checkpoint(.failedSync))
        #expect(decision { ($0.isSuspect, $0.newest, $0.hasPin) = (true, 9, false) } == .checkpoint(.failedSync))
    }
}
