import ChildPrograms
import Foundation

/// Lets a worker process check stores, so that damage that crashes the worker is a result, too.
final class StoreChecker {
    /// The result of a check.
    enum Verdict {
        /// The store is sound.
        case sound(Sound)
        /// The store could not be opened, with the reason.
        case refused(String)
        /// The store has these findings.
        case bad(String)

        var sound: Sound? {
            guard case .sound(let sound) = self else { return nil }
            return sound
        }
    }

    /// The content of a sound store.
    struct Sound: Hashable {
        let epoch: UInt64
        let sequence: UInt64
        let hash: UInt64
        /// The number of writes of each lane.
        let counts: [String: Int]

        /// Reads `ok <epoch> <sequence> <hash> <lane>=<count>…`.
        init?(_ line: String) {
            let words = line.split(separator: " ")
            guard words.count >= 4, words[0] == "ok", let epoch = UInt64(words[1]), let sequence = UInt64(words[2]),
                let hash = UInt64(words[3])
            else { return nil }
            self.epoch = epoch
            self.sequence = sequence
            self.hash = hash
            var counts: [String: Int] = [:]
            for word in words[4...] {
                let parts = word.split(separator: "=")
                guard parts.count == 2, let count = Int(parts[1]) else { return nil }
                counts[String(parts[0])] = count
            }
            self.counts = counts
        }
    }

    private var worker: ChildProcess?
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

    /// Checks the store in a directory, writes to it and checks it again.
    ///
    /// - Parameter acknowledged: Writes whose change sets must be in the feed as acknowledged, unless retention has removed them.
    func check(_ directory: String, acknowledged: [Acknowledgement] = []) throws -> Verdict {
        let worker = try worker ?? ChildProcess(CrashWorker.path, ["check"], environment: Self.environment)
        self.worker = worker
        if acknowledged.isEmpty {
            worker.send(directory)
        } else {
            let list = directory + "/acknowledged"
            let lines = acknowledged.map { "\($0.sequence) \($0.hash)\n" }.joined()
            try Data(lines.utf8).write(to: URL(fileURLWithPath: list))
            worker.send(directory + "\t" + list)
        }
        guard let line = worker.nextLine(seconds: Self.patienceSeconds) else {
            worker.kill()
            self.worker = nil
            return .bad("the program that looked at it ended by \(try worker.wait())")
        }
        if let sound = Sound(line) { return .sound(sound) }
        return line.hasPrefix("refused ") ? .refused(line) : .bad(line)
    }
}
