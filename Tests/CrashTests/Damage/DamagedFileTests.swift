import ChildPrograms
import Foundation
import TestSupport
import Testing

/// Copies of a store with damage of all kinds, used by all commands and by a library's process. Each use gives a result or an
/// error; none ends the process.
///
/// `MODELSTORE_SEED` chooses other damage.
@Suite(.serialized, .timeLimit(.minutes(TestLength.isLong ? 240 : 10))) struct DamagedFileTests {
    /// A store to damage.
    enum Sample: String, CaseIterable {
        /// Its trees are checked as a whole before the first change.
        case small
        /// Its trees are too large for that.
        case large

        var itemCount: Int { self == .small ? 300 : 90_000 }

        var copyCount: Int {
            switch self {
            case .small: TestLength.isLong ? 9_900 : 20
            case .large: TestLength.isLong ? 100 : 1
            }
        }
    }

    @Test(arguments: Sample.allCases) func `damage is an error and never the end of a process`(sample: Sample) throws {
        let directory = try ScratchDirectory(inMemory: true)
        let store = directory.path("store")
        let making = try ChildProcess(BuiltProgram.path("DamageWorker"), ["make", store, String(sample.itemCount)])
        #expect(try making.wait() == .exit(0))
        let run = CaseRun(count: sample.copyCount) { copies in
            ["run", store, TestRun.workerSeed, String(copies.lowerBound), String(copies.upperBound)]
        }
        let faults = try run.run().faults
        TestRun.note(
            "\(sample.copyCount) damaged copies: \(faults.count) ended a process; MODELSTORE_SEED=\(TestRun.seed)")
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }
}
