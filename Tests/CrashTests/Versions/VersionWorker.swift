import ChildPrograms
import Foundation

/// The program `VersionWorker`, which is several versions of one.
enum VersionWorker {
    /// Starts a version of it on a store.
    static func start(
        _ version: String, _ directory: String, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let path = (CrashWorker.path as NSString).deletingLastPathComponent + "/VersionWorker"
        return try ChildProcess(path, [version, directory], environment: environment)
    }
}

extension ChildProcess {
    /// Says a line and waits for the answer.
    func ask(_ line: String) -> String? {
        send(line)
        return nextLine()
    }
}
