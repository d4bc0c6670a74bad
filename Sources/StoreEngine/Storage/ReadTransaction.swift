package import LMDB

/// A read transaction: one consistent state of a store, never blocked by writers.
///
/// A `read` closure gets one and must not let it escape. What it reads stays as it is while the closure runs.
public struct ReadTransaction: ~Copyable, ReadableTransaction {
    private let raw: LMDBReadTransaction
    private let state: StoreState

    /// Begins reading through `raw`.
    package init(raw: consuming LMDBReadTransaction, state: StoreState) {
        self.raw = raw
        self.state = state
    }

    public var _reading: ReadingScope {
        @_lifetime(borrow self)
        borrowing get { ReadingScope(snapshot: raw.snapshot, state: state) }
    }
}
