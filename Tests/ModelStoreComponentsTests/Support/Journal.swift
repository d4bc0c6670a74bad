import Synchronization

/// What happened, in its order, from all threads.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }

    func count(_ line: String) -> Int { all.count { $0 == line } }

    /// What was added, which is forgotten.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}
