package import LMDB

/// A read transaction: one consistent state of a store, never blocked by writers.
///
/// A `read` closure gets one and must not let it escape. What it reads stays as it is while the closure runs.
public struct ReadTransaction: ~Copyable, ReadableTransaction {
    private var raw: LMDBReadTransaction
    private let state: StoreState

    /// Begins reading through `raw`.
    package init(raw: consuming LMDBReadTransaction, state: StoreState) {
        self.raw = raw
        self.state = state
    }

    /// Shows an earlier state from now on.
    ///
    /// - Parameter past: that state, over the one of this transaction.
    package mutating func show(_ past: PastState) { raw.lay(past.overlay) }

    public var _reading: ReadContext {
        @_lifetime(borrow self)
        borrowing get { ReadContext(snapshot: raw.snapshot, state: state) }
    }
}
