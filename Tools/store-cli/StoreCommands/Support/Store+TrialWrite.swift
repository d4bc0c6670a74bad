import StoreEngine
import StoreRuntime

/// Ends a write that must not be committed.
private struct Withdrawal<T: Sendable>: Error {
    let result: T
}

extension Store {
    /// Runs a write, which is committed only if its result says so.
    ///
    /// - Parameter isCommitted: whether to commit the write with this result. Otherwise, the store stays as it is.
    /// - Returns: the result, and the position of the write if it was committed.
    func trialWrite<T: Sendable>(
        committingIf isCommitted: @escaping @Sendable (T) -> Bool,
        _ body: @escaping @Sendable (inout WriteTransaction) throws -> T
    ) throws -> (result: T, position: Position?) {
        do {
            let committed = try write(returning: .position) { tx in
                let result = try body(&tx)
                if isCommitted(result) { return result }
                // Fails where a commit would fail.
                try tx.forEachPendingChange { _ in }
                throw Withdrawal(result: result)
            }
            return (committed.result, committed.position)
        } catch let withdrawal as Withdrawal<T> {
            return (withdrawal.result, nil)
        }
    }
}
