import Dispatch

/// Runs work that blocks on a thread of its own, away from the cooperative pool, which must not block.
package enum BlockingWork {
    /// Runs `body` and returns what it returns.
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
