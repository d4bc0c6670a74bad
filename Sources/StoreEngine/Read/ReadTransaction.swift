package import LMDB

/// A read transaction: one consistent state of a store, never blocked by writers.
///
/// A `read` closure receives a transaction and must not let it escape. The state does not change while the closure runs.
public struct ReadTransaction: ~Copyable, ReadableTransaction {
    private var raw: LMDBReadTransaction
    private let state: StoreState

    /// Creates a transaction that reads through `raw`.
    package init(raw: consuming LMDBReadTransaction, state: StoreState) {
        self.raw = raw
        self.state = state
    }

    /// Reads an earlier state from now on.
    ///
    /// - Parameter past: the earlier state, as an overlay on this transaction's snapshot.
    package mutating func show(_ past: PastState) { raw.lay(past.overlay) }

    public var _reading: ReadContext {
        @_lifetime(borrow self)
        borrowing get { ReadContext(snapshot: raw.snapshot, state: state) }
    }
}
