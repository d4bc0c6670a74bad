import TestSupport
import Testing

/// Inputs from outside, changed at random: texts of clients and users, and the small files of a store. Each gives a result or an
/// error. An input that is accepted is written and read back as the same value. None ends the process, hangs it, or needs much
/// memory.
///
/// `DamagedFileTests` does the same with the data file. `MODELSTORE_SEED` chooses other inputs.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 240 : 10))) struct FuzzTests {
    /// A kind of input; its name is the worker's name for it.
    enum Target: String, CaseIterable {
        case schema, expression, csv, json, pageToken, eventID, trace, replay, lockFile, heldLockFile, wakeFile

        var inputCount: Int {
            switch self {
            case .schema, .expression, .csv, .json, .pageToken, .eventID: TestLength.runs(500, long: 100_000)
            case .trace: TestLength.runs(100, long: 100_000)
            case .replay: TestLength.runs(5, long: 5_000)
            case .lockFile, .wakeFile: TestLength.runs(8, long: 10_000)
            // Each waits for seconds.
            case .heldLockFile: TestLength.runs(2, long: 200)
            }
        }
    }

    @Test(arguments: Target.allCases) func `a changed input is refused or understood`(target: Target) throws {
        let directory = try ScratchDirectory(inMemory: true)
        let run = CaseRun(count: target.inputCount) { inputs in
            [
                "fuzz", target.rawValue, directory.path, TestRun.workerSeed, String(inputs.lowerBound),
                String(inputs.upperBound),
            ]
        }
        let outcome = try run.run()
        TestRun.noteProgress(
            "\(target): \(run.count) inputs, \(outcome.acceptedCount) accepted; MODELSTORE_SEED=\(TestRun.seed)")
        let faults = outcome.faults.prefix(50).joined(separator: "\n")
        #expect(outcome.faults.isEmpty, "MODELSTORE_SEED=\(TestRun.seed)\n\(faults)")
        // Otherwise the test tries nothing but the first lines of a parser.
        #expect(outcome.acceptedCount > run.count / 200, "\(outcome.acceptedCount) were accepted")
    }
}
