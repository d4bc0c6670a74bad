import Dispatch
import LMDB
import StoreRuntime

/// Change sets that are being made by another thread.
///
/// - `result` is protected by its mutex; it is set once, before `isThere` is signalled.
final class ReplayResult: Sendable {
    private let result = HandoverMutex<Result<ReplayedWrites, any Error>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// Begins to make them.
    ///
    /// - Parameter goesOn: whether others of the same step come next.
    init(of writes: [ReplayedWrite], in store: Store, goesOn: Bool) {
        DispatchQueue.global().async { [self] in
            let made = Result { try store.replay(writes, goesOn: goesOn) }
            result.withLock { $0 = made }
            isThere.signal()
        }
    }

    /// Blocks until they are made.
    func wait() throws -> ReplayedWrites {
        isThere.wait()
        guard let result = result.withLock({ $0 }) else { preconditionFailure("a result was signalled and not set") }
        return try result.get()
    }
}
