internal import Glibc
internal import Synchronization

/// Detects whether this process is a forked child of the one that opened an environment.
///
/// Without this check, LMDB would let a child begin transactions on an inherited environment, in the parent's reader slots. Each
/// fork increments a counter in the child, so the check costs a begin one relaxed load.
enum ForkGuard {
    private static let forks = Atomic<Int>(0)

    private static let isWatching: Bool = {
        pthread_atfork(nil, nil, { ForkGuard.forks.wrappingAdd(1, ordering: .relaxed) }) == 0
    }()

    /// Returns the number to store at open and to compare later.
    static func startWatching() -> Int {
        precondition(isWatching, "pthread_atfork refused its handler")
        return generation
    }

    @inline(__always)
    static var generation: Int {
        forks.load(ordering: .relaxed)
    }
}
