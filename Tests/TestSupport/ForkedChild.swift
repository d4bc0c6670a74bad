package import Glibc
import LMDB

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
            // A hanging child fails its test instead of blocking the suite. The threads of tasks block all signals.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGALRM)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            alarm(20)
            _exit((try? body()) == true ? 0 : 1)
        }
        var status: Int32 = 0
        return unsafe child > 0 && waitpid(child, &status, 0) == child && status == 0
    }

    /// Runs `body` on a new thread of a forked child, and returns whether it returned true there.
    ///
    /// Code that shares mutexes with other threads needs this. A `Mutex` knows its owner by the number of the thread. The thread
    /// that forked keeps the number that it has in the parent, so the process ends when another thread waits for its mutex.
    package static func runOnNewThread(_ body: @escaping @Sendable () throws -> Bool) -> Bool {
        run {
            try SystemThread.start("forked-child", for: nil) { _exit((try? body()) == true ? 0 : 1) }
            while true { pause() }
        }
    }

    /// Waits until the thread of the timers is idle. Fork only then: a thread that begins holds locks of Swift's runtime, which
    /// nothing releases in the child.
    package static func waitForTimers() async {
        // Without the thread there is nothing to wait for, and no timer ends.
        guard (try? Timers.start(for: "")) != nil else { return }
        // While the first timer is handled, the thread uses some functions for the first time.
        for _ in 0..<2 {
            await withCheckedContinuation { continuation in
                Timers.after(.milliseconds(1)) { continuation.resume() }
            }
        }
    }
}
