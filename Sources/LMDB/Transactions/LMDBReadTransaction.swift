/// A read transaction: one snapshot, held until this value is destroyed.
///
/// It may move between threads (`MDB_NOTLS`), but only one thread at a time may use it. At its end it is reset and returns to the
/// environment's pool, for the next one to renew.
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

    /// Lays an overlay over the transaction, which returns the overlay's state from now on. Open cursors do not change.
    package mutating func lay(_ overlay: LMDBOverlay) { context.overlay = overlay }

    /// The pages of its snapshot. They stay as they are until this value is destroyed.
    var pages: SnapshotPages { context.pages }

    /// The state that this transaction reads.
    package var snapshot: LMDBSnapshot {
        @_lifetime(borrow self)
        borrowing get {
            LMDBSnapshot(context, of: self)
        }
    }
}

/// It may move to another thread, but two threads must not use it at once.
@available(*, unavailable)
extension LMDBReadTransaction: Sendable {}
