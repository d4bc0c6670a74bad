import Testing

@testable import LMDB

@Suite struct RedoDecisionTests {
    private var limits: RedoLimits {
        var limits = RedoLimits()
        limits.logByteCount = 100
        limits.growthByteCount = 1_000
        return limits
    }

    private func situation(
        pin: UInt64? = 5, checkpoint: UInt64 = 5, newest: UInt64 = 8, lastLogged: UInt64 = 8, log: Int = 40,
        growth: Int = 0, isSuspect: Bool = false
    ) -> RedoDecision {
        RedoSituation(
            pin: pin, checkpoint: checkpoint, newest: newest, lastLogged: lastLogged, logByteCount: log,
            growthByteCount: growth, isSuspect: isSuspect
        )
        .decision(limits)
    }

    @Test func `a writer with a pin writes while the log and the growth of the file are below their limits`() {
        #expect(situation() == .write)
        #expect(situation(log: 99, growth: 999) == .write)
        #expect(situation(log: 100) == .checkpoint(.logIsLong))
        #expect(situation(growth: 1_000) == .checkpoint(.fileHasGrown))
    }

    @Test func `a writer without a pin makes a checkpoint first`() {
        #expect(situation(pin: nil) == .checkpoint(.noPin))
        #expect(situation(pin: nil, newest: 5, lastLogged: 5, log: 0) == .checkpoint(.noPin))
    }

    @Test func `commits that are not in the log need a checkpoint before the next one`() {
        #expect(situation(newest: 9) == .checkpoint(.unlogged))
        #expect(situation(newest: 7) == .checkpoint(.unlogged), "the log has a commit that the data file lacks")
    }

    @Test func `after a failed sync nothing is written before a checkpoint`() {
        #expect(situation(isSuspect: true) == .checkpoint(.failedSync))
        #expect(situation(pin: nil, newest: 9, isSuspect: true) == .checkpoint(.failedSync))
    }

    @Test
    func
        `a pin that is older than another process's checkpoint is renewed where that is free, and before the log is half full otherwise`()
    {
        #expect(situation(pin: 3, newest: 5, lastLogged: 5, log: 0) == .pin)
        #expect(situation(pin: 3, log: 49) == .write)
        #expect(situation(pin: 3, log: 50) == .checkpoint(.pinIsOld))
        #expect(situation(pin: 3, growth: 500) == .checkpoint(.pinIsOld))
    }
}
