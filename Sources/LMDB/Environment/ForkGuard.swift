internal import Glibc
internal import Synchronization

/// Knows whether this process is a forked child of the one that opened an environment.
///
/// LMDB lets a child begin transactions on an inherited environment: unguarded, in the parent's reader slots. Each fork
/// counts up in the child, so that a begin costs one relaxed load to be sure.
enum ForkGuard {
    private static let forks = Atomic<Int>(0)

    private static let isWatching: Bool = {
        pthread_atfork(nil, nil, { ForkGuard.forks.wrappingAdd(1, ordering: .relaxed) }) == 0
    }()

    /// The number to remember at open and to compare with later.
    static func startWatching() -> Int {
        precondition(isWatching, "pthread_atfork refused its handler")
        return generation
    }

    @inline(__always)
    static var generation: Int {
        forks.load(ordering: .relaxed)
    }
}
