import StoreEngine
import Synchronization

@testable import StoreRuntime

extension Store {
    /// Commits, and does not wait until that is shown.
    func commitUnshown(_ body: @escaping @Sendable (inout WriteTransaction) throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        core.submit(core.makeJob(nil, body, ResultBox())) { result in
            if case .failure(let error) = result { failure.withLock { $0 = error } }
        }
        // The writer takes tasks and closures in turns: behind a second task it has made the commit.
        for _ in 0..<2 { try core.perform {} }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
