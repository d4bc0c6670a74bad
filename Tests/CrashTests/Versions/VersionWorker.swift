import ChildPrograms
import Foundation

/// The program `VersionWorker`, which contains several versions of one program.
enum VersionWorker {
    /// Starts one version on a store.
    static func start(
        _ version: String, _ directory: String, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let path = (CrashWorker.path as NSString).deletingLastPathComponent + "/VersionWorker"
        return try ChildProcess(path, [version, directory], environment: environment)
    }
}

extension ChildProcess {
    /// Sends a line and waits for the answer.
    func ask(_ line: String) -> String? {
        send(line)
        return nextLine()
    }
}
