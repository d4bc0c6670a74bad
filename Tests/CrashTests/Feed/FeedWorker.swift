import ChildPrograms

/// The program `FeedWorker` next to the test executable.
enum FeedWorker {
    /// The path where the build put it.
    static let path = BuiltProgram.path("FeedWorker")

    /// Starts a process with a command; see its `main.swift`.
    static func start(
        _ arguments: [String], environment: [String: String] = [:], onOutput: (@Sendable () -> Void)? = nil
    ) throws -> ChildProcess {
        try ChildProcess(path, arguments, environment: environment, onOutput: onOutput)
    }

    /// Stops a process that runs until it reads a line.
    ///
    /// - Returns: Its unread output, without the final line.
    static func stop(_ child: ChildProcess) throws -> [String] {
        child.send("stop")
        var lines = child.remainingLines()
        let last = lines.popLast()
        let end = try child.wait()
        guard last == "done", end == .exit(0) else {
            throw Command.Failed(description: "\(end): \((lines.suffix(2) + [last ?? "nothing"]))")
        }
        return lines
    }
}
