import LMDB
import StoreEngine

/// The outcome of one write closure before the commit.
enum ClosureEnd: ~Copyable {
    case undone(any Error)
    /// The map or the store is full. The closure may fit into it later.
    case full(StoreError, freesSpace: Bool)
    case kept(FinishedWrite)

    /// Runs a closure in `raw`.
    ///
    /// - Parameters:
    ///   - head: the feed's head before the closure.
    ///   - keepsEntry: whether to keep the closure's change set in memory.
    ///   - sumsContent: whether the store keeps the sum of its records.
    static func run(
        _ body: @Sendable (inout WriteTransaction) throws -> Void, _ context: WriteContext, _ state: StoreState,
        _ head: FeedHead, _ raw: consuming LMDBWriteTransaction, keepsEntry: Bool,
        sumsContent: Bool
    ) -> ClosureEnd {
        var transaction = WriteTransaction(raw: raw, state: state, head: head, context: context)
        transaction.keepsEntry = keepsEntry
        transaction.sumsContent = sumsContent
        do {
            try body(&transaction)
        } catch {
            // The closure may have caught the error of a full map and hidden it.
            guard let full = transaction.pendingFailure, full.isFull else { return .undone(error) }
            return .full(full, freesSpace: transaction.freesSpace)
        }
        guard transaction.token == context.token else {
            return .undone(
                StoreError(
                    .transactionMisused, "the closure replaced its transaction with another transaction",
                    remedy: "use a transaction only inside its own closure"))
        }
        return finish(transaction)
    }

    private static func finish(_ transaction: consuming WriteTransaction) -> ClosureEnd {
        let freesSpace = transaction.freesSpace
        do {
            return .kept(try transaction.finish())
        } catch {
            return error.isFull ? .full(error, freesSpace: freesSpace) : .undone(error)
        }
    }
}
