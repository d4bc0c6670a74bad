import LMDB
import StoreEngine
import Synchronization

/// The store's state as this process knows it, and where it was last found to be that of the store.
///
/// Another process may change the catalog with any commit. A reader compares versions once for each commit that it sees;
/// `agreedAt` is the transaction id of the last one that agreed. It is a hint: who does not see it compares again.
final class KnownState: Sendable {
    let state: StoreState
    private let agreedAt = Atomic<UInt64>(0)

    init(_ state: StoreState) { self.state = state }

    /// The version of the catalog that a transaction sees.
    func catalogVersion(in raw: borrowing LMDBReadTransaction) throws(StoreError) -> UInt64 {
        let transactionID = UInt64(raw.snapshot.transactionID)
        if agreedAt.load(ordering: .relaxed) == transactionID { return state.catalog.version }
        let version = try StoreFormat.catalogVersion(state.databases, raw.snapshot)
        if version == state.catalog.version { agreedAt.store(transactionID, ordering: .relaxed) }
        return version
    }
}
