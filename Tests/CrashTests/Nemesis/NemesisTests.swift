import TestSupport
import Testing

/// Writers and followers of the feed, beside a file system that fails and programs that interfere with the files.
@Suite(.timeLimit(.minutes(TestLength.isLong ? 240 : 10))) struct NemesisTests {
    @Test(arguments: NemesisKind.possible)
    func `no acknowledged write is lost, and each program goes on or ends with a named error`(kind: NemesisKind) throws
    {
        try strike([kind], seed: TestRun.seed)
    }

    @Test(.enabled(if: TestLength.isLong), arguments: 0..<200)
    func `the same holds for several faults in a row`(round: Int) throws {
        var random = TestRandom(seed: TestRun.seed &+ UInt64(round))
        let kinds = (0...random.below(4)).map { _ in random.pick(NemesisKind.possible) }
        try strike(kinds, seed: random.next())
    }

    private func strike(_ kinds: [NemesisKind], seed: UInt64) throws {
        do {
            let run = try NemesisRun(seed: seed)
            for kind in kinds { try run.strike(kind) }
            try run.finish()
            let ends = run.ends.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            TestRun.note("\(kinds.map(\.rawValue)): ends \(ends)")
        } catch {
            throw Mismatch("\(kinds.map(\.rawValue)): \(error); MODELSTORE_SEED=\(TestRun.seed)")
        }
    }
}
