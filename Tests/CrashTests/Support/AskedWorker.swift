import ChildPrograms
import Foundation

/// A `CrashWorker` that answers each line with one line. Damage that crashes it is an answer, too.
final class AskedWorker {
    /// A check takes milliseconds, but a check of a damaged tree may loop forever.
    private static let patienceSeconds = 30.0

    /// Under a sanitizer, damage also ends the worker by a signal. A sanitizer report would look like a finding.
    private static let environment: [String: String] = {
        var variables: [String: String] = [:]
        for name in ["ASAN_OPTIONS", "TSAN_OPTIONS"] {
            let given = TestRun.variable(name).map { $0 + ":" } ?? ""
            variables[name] = given + "handle_segv=0:handle_sigbus=0"
        }
        return variables
    }()

    private let command: String
    private var worker: ChildProcess?

    /// - Parameter command: the command of `CrashWorker` that it runs.
    init(_ command: String) { self.command = command }

    /// Sends a line and returns the answer: `bad` with the reason if the worker ends without one.
    func ask(_ line: String) throws -> String {
        let worker = try worker ?? ChildProcess(CrashWorker.path, [command], environment: Self.environment)
        self.worker = worker
        worker.send(line)
        if let answer = worker.nextLine(seconds: Self.patienceSeconds) { return answer }
        worker.kill()
        self.worker = nil
        return "bad the program that looked at it ended by \(try worker.wait())"
    }
}
