import Dispatch
import LMDB
import StoreRuntime

/// The result of change sets that another thread is replaying.
///
/// - `result` is protected by its mutex; it is set once, before `isThere` is signalled.
final class ReplayResult: Sendable {
    private let result = HandoverMutex<Result<ReplayedWrites, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// Begins to replay the change sets.
    ///
    /// - Parameter goesOn: whether more change sets of the same step follow.
    init(of writes: [ReplayedWrite], in store: Store, goesOn: Bool) {
        BlockingWork.start { [self] in
            let made = Result { try store.replay(writes, goesOn: goesOn) }
            result.withLock { $0 = made }
            isThere.signal()
        }
    }

    /// Blocks until they are replayed.
    func wait() throws -> ReplayedWrites {
        isThere.wait()
        guard let result = result.withLock({ $0 }) else { preconditionFailure("a result was signalled and not set") }
        return try result.get()
    }
}
