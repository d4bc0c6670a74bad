package import Glibc

/// Forked children of a test's process. Only exit tests may use them: few programs survive a fork.
package enum ForkedChild {
    /// Calls `fork`, which Swift hides.
    package static func fork() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
        return unsafe unsafeBitCast(symbol, to: Fork.self)()
    }

    /// Runs `body` in a forked child, and returns whether it returned true there.
    package static func run(_ body: () throws -> Bool) -> Bool {
        let child = fork()
        if child == 0 {
            // A hanging child fails its test instead of blocking the suite.
            alarm(20)
            _exit((try? body()) == true ? 0 : 1)
        }
        var status: Int32 = 0
        return unsafe child > 0 && waitpid(child, &status, 0) == child && status == 0
    }
}
