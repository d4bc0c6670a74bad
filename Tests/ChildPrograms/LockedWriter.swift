import Glibc

/// A program that holds the writers' lock of a store with py-lmdb until it is released or ends.
package final class LockedWriter: Sendable {
    private let process: ChildProcess

    /// The program's process id.
    package var processID: Int32 { process.processID }

    /// Starts the program, and returns once it holds the lock. Returns nil if there is no Python with py-lmdb.
    package init?(on store: String) throws {
        guard let interpreter = Python.interpreter else { return nil }
        process = try ChildProcess(interpreter, ["-u", "-c", Self.script, store], mergesErrors: true)
        let answer = process.nextLine() ?? "no answer"
        guard answer == "held" else { throw Command.Failed(description: "Python: \(answer)") }
    }

    /// Releases the lock without a commit, and returns once that is done.
    package func release() throws {
        process.send("release")
        try process.wait()
    }

    /// Stops the program with a signal while `body` runs. The system has stopped it before `body` begins.
    package func whileStopped(_ body: () throws -> Void) throws {
        kill(processID, SIGSTOP)
        var status: Int32 = 0
        unsafe waitpid(processID, &status, WUNTRACED)
        defer { kill(processID, SIGCONT) }
        try body()
    }

    private static let script = #"""
        import lmdb, sys
        with lmdb.open(sys.argv[1], max_dbs=16, map_size=1 << 30) as env:
            held = env.begin(write=True)
            print("held")
            sys.stdin.readline()
            held.abort()
        """#
}
