import Foundation

/// The Python with which tests read and write stores through LMDB alone.
package enum Python {
    /// A Python with py-lmdb; nil if there is none. `MODELSTORE_PYTHON` names one.
    package static let interpreter: String? = {
        let named = ProcessInfo.processInfo.environment["MODELSTORE_PYTHON"] ?? ""
        let candidates = [named, "/usr/bin/python3", "python3"].filter { !$0.isEmpty }
        return candidates.compactMap { Command.find([$0]) }.first {
            (try? Command.run($0, ["-c", "import lmdb"])) != nil
        }
    }()
}
