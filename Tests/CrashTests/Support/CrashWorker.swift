import ChildPrograms

/// The program `CrashWorker` next to the test executable.
enum CrashWorker {
    /// The path where the build put it.
    static let path = BuiltProgram.path("CrashWorker")

    /// Starts a worker that writes; see its `Writing`.
    static func write(
        _ directory: String, _ promise: String, count: Int = 0, lanes: [String], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(path, ["write", directory, promise, String(count)] + lanes, environment: environment)
    }

    /// Starts a worker that follows the feed; see its `Following`.
    static func follow(_ directory: String, environment: [String: String]) throws -> ChildProcess {
        try ChildProcess(path, ["follow", directory], environment: environment)
    }

    /// Starts a worker that goes on after failed writes; see its `Enduring`.
    static func endure(_ directory: String, count: Int, environment: [String: String]) throws -> ChildProcess {
        try ChildProcess(path, enduring(directory, count: count), environment: environment)
    }

    /// Returns the arguments of a worker that goes on after failed writes.
    static func enduring(_ directory: String, count: Int) -> [String] { ["endure", directory, String(count)] }
}

/// A write that a worker reported as acknowledged.
struct Acknowledgement: Hashable {
    let lane: String
    let number: Int
    let sequence: UInt64
    let hash: UInt64
    let isFull: Bool

    /// Reads `ack <lane> <number> <sequence> <hash> <full|relaxed>`; nil for another line.
    init?(_ line: String) {
        let words = line.split(separator: " ")
        guard words.count == 6, words[0] == "ack", let number = Int(words[2]), let sequence = UInt64(words[3]),
            let hash = UInt64(words[4])
        else { return nil }
        lane = String(words[1])
        self.number = number
        self.sequence = sequence
        self.hash = hash
        isFull = words[5] == "full"
    }
}
