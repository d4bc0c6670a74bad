import Foundation
import TestSupport

/// The settings of this test run.
enum TestRun {
    /// The seed of all random choices in the run; `MODELSTORE_SEED` repeats the seed that a failed run printed.
    ///
    /// Short runs all make the same choices, so that a failure comes from the change under test. Long runs look for new failures.
    static let seed = TestLength.repeatedSeed ?? (TestLength.isLong ? UInt64.random(in: .min ... .max) : 1)

    /// The seed as the argument of a worker that makes one of 64 bits from it and the number of a case.
    static let workerSeed = String(seed % 1_000_003)

    /// Returns a nonempty environment variable; nil if there is none.
    static func variable(_ name: String) -> String? {
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else { return nil }
        return value
    }

    /// Prints information for a reader of the test's output, even if nothing failed.
    static func note(_ text: String) { FileHandle.standardOutput.write(Data("CrashTests: \(text)\n".utf8)) }

    /// Prints the progress of a long run.
    static func noteProgress(_ text: String) {
        if TestLength.isLong { note(text) }
    }
}
