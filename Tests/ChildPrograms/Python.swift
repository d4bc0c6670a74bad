import Foundation

/// The Python that tests let read and write stores, by what it knows of LMDB alone.
package enum Python {
    /// One with py-lmdb; nil where there is none. `MODELSTORE_PYTHON` names one that has it.
    package static let interpreter: String? = {
        let named = ProcessInfo.processInfo.environment["MODELSTORE_PYTHON"] ?? ""
        let candidates = [named, "/usr/bin/python3", "python3"].filter { !$0.isEmpty }
        return candidates.compactMap { Command.find([$0]) }.first {
            (try? Command.run($0, ["-c", "import lmdb"])) != nil
        }
    }()
}
