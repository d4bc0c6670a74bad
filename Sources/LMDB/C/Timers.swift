internal import CLMDB

/// Runs closures at given times, on one thread that all environments of the process share.
///
/// Dispatch has timers too, but the first of them needs descriptors and threads of Dispatch's own. Without a free descriptor it
/// ends the process, and without a thread it waits without an end, inside the write that sets the timer.
///
/// Life: the thread starts with the first environment that is opened for writing, and ends with the process. A forked child has
/// no copy of it, and starts its own.
/// - `state` is protected by its mutex. `changes` is written with it held. The thread waits while `changes` has the value that it
///   read together with the entries, so it misses none.
package enum Timers {
    private struct Entry: Sendable {
        let time: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }

    private struct State {
        var entries: [Entry] = []
        /// The generation of forks in which the thread runs; nil if it does not.
        var generation: Int?
    }

    private static let state = HandoverMutex(State())
    private static let changes = unsafe UInt(bitPattern: UnsafeMutablePointer<UInt32>.make())

    /// The longest wait, in milliseconds.
    private static let longestWait = 3_600_000.0

    /// Starts the thread, unless it runs.
    ///
    /// - Parameter path: the directory of the environment that needs it.
    /// - Throws: ``LMDBError`` with the code `threadUnavailable`.
    package static func start(for path: String) throws(LMDBError) {
        try state.withLock { state throws(LMDBError) in
            let generation = ForkGuard.startWatching()
            guard state.generation != generation else { return }
            // The closures of a parent are for its environments.
            state.entries.removeAll()
            try SystemThread.start("store-timers", for: path) { run() }
            state.generation = generation
        }
    }

    /// Calls `body` on the thread after a time. It must be quick, because it delays the others. The thread must have been
    /// started.
    package static func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        let time = ContinuousClock.now + delay
        state.withLock {
            $0.entries.append(Entry(time: time, body: body))
            unsafe changed().pointee &+= 1
        }
        _ = unsafe clmdb_futex_wake(changed())
    }

    private static func run() {
        while true {
            let now = ContinuousClock.now
            let (due, next, seen) = state.withLock { state in
                let due = state.entries.filter { $0.time <= now }
                state.entries.removeAll { $0.time <= now }
                return (due, state.entries.map(\.time).min(), unsafe changed().pointee)
            }
            for entry in due { entry.body() }
            guard due.isEmpty else { continue }
            let wait = next.map { min(Self.longestWait, now.duration(to: $0) / .milliseconds(1) + 1) } ?? longestWait
            _ = unsafe clmdb_futex_wait(changed(), seen, UInt32(wait))
        }
    }

    private static func changed() -> UnsafeMutablePointer<UInt32> {
        guard let pointer = unsafe UnsafeMutablePointer<UInt32>(bitPattern: changes) else {
            preconditionFailure("the allocated word has an address")
        }
        return unsafe pointer
    }
}

extension UnsafeMutablePointer<UInt32> {
    /// Returns a word that lives as long as the process.
    fileprivate static func make() -> UnsafeMutablePointer<UInt32> {
        let pointer = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        unsafe pointer.initialize(to: 0)
        return unsafe pointer
    }
}
