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

    private let worker = AskedWorker("check")

    /// Checks the store in a directory, writes to it and checks it again.
    ///
    /// - Parameter acknowledged: Writes whose change sets must be in the feed as acknowledged, unless retention has removed them.
    func check(_ directory: String, acknowledged: [Acknowledgement] = []) throws -> Verdict {
        var question = directory
        if !acknowledged.isEmpty {
            let list = directory + "/acknowledged"
            let lines = acknowledged.map { "\($0.sequence) \($0.hash)\n" }.joined()
            try Data(lines.utf8).write(to: URL(fileURLWithPath: list))
            question += "\t" + list
        }
        let line = try worker.ask(question)
        if let sound = Sound(line) { return .sound(sound) }
        return line.hasPrefix("refused ") ? .refused(line) : .bad(line)
    }
}
