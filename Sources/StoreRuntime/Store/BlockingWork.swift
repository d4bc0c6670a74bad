import LMDB

/// Runs blocking work on a separate thread, because threads of the cooperative pool must not block.
///
/// The thread is the work's own: a pool that cannot add threads would let the work wait without an end. If the system starts no
/// thread, the work runs on the calling thread.
package enum BlockingWork {
    /// Runs `body` on another thread and returns its result.
    package static func run<T: Sendable, E: Error>(_ body: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<T, E>, Never>) in
            start {
                do throws(E) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Starts `body` on another thread.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        do {
            try SystemThread.start("store-work", for: nil, body)
        } catch {
            body()
        }
    }
}
