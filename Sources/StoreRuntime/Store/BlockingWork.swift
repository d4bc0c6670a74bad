import Dispatch

/// Runs blocking work on a separate thread, because threads of the cooperative pool must not block.
package enum BlockingWork {
    /// Runs `body` on another thread and returns its result.
    package static func run<T: Sendable, E: Error>(_ body: @escaping @Sendable () throws(E) -> T) async throws(E) -> T {
        let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<T, E>, Never>) in
            DispatchQueue.global().async {
                do throws(E) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
