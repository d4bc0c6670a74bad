import Foundation
import TestSupport

/// How this run of the tests is set up.
enum TestRun {
    /// The seed of everything random in the run; `MODELSTORE_SEED` repeats one that a failing run printed.
    static let seed = variable("MODELSTORE_SEED").flatMap { UInt64($0) } ?? UInt64.random(in: .min ... .max)

    /// An environment variable that is set to something.
    static func variable(_ name: String) -> String? {
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else { return nil }
        return value
    }

    /// Says something that a reader of the test's output wants to know although nothing failed.
    static func note(_ text: String) { FileHandle.standardOutput.write(Data("CrashTests: \(text)\n".utf8)) }

    /// Says how far a long run is.
    static func noteProgress(_ text: String) {
        if TestLength.isLong { note(text) }
    }
}
