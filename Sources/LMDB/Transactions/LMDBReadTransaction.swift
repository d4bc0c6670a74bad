/// A read transaction: one snapshot, held until this value goes away.
///
/// It may move from thread to thread (`MDB_NOTLS`) but serves one at a time. Its end gives it back to the environment's
/// pool, reset, for the next one to renew.
@safe
package struct LMDBReadTransaction: ~Copyable {
    private let environment: LMDBEnvironment
    private let context: TransactionContext

    init(environment: LMDBEnvironment, context: TransactionContext) {
        self.environment = environment
        self.context = context
    }

    deinit {
        environment.endRead(context)
    }

    /// Shows another state from now on: cursors that are open do not change.
    package mutating func lay(_ overlay: LMDBOverlay) { context.overlay = overlay }

    /// What this transaction sees.
    package var snapshot: LMDBSnapshot {
        @_lifetime(borrow self)
        borrowing get {
            LMDBSnapshot(context, of: self)
        }
    }
}

/// It may move to another thread, but not be used by two at once.
@available(*, unavailable)
extension LMDBReadTransaction: Sendable {}
