import StoreEngine
import Synchronization

@testable import StoreRuntime

extension Store {
    /// Commits without waiting until the commit is published.
    func commitUnshown(_ body: @escaping @Sendable (inout WriteTransaction) throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        core.submit(core.makeJob(nil, body, ResultBox())) { result in
            if case .failure(let error) = result { failure.withLock { $0 = error } }
        }
        // The writer alternates between tasks and closures. When a second task runs, the commit is complete.
        for _ in 0..<2 { try core.perform {} }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
