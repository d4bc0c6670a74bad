import LMDB
import StoreEngine
import Synchronization

/// The store's state as this process knows it, and the last transaction in which it matched the store.
///
/// Another process may change the catalog with any commit, so a reader compares catalog versions once for each commit that it
/// sees. `agreedAt` is the id of the last transaction whose version matched. It is only a hint: a reader that does not see its
/// newest value compares again.
final class KnownState: Sendable {
    let state: StoreState
    private let agreedAt = Atomic<UInt64>(0)

    init(_ state: StoreState) { self.state = state }

    /// Returns the catalog version that a transaction sees.
    func catalogVersion(in raw: borrowing LMDBReadTransaction) throws(StoreError) -> UInt64 {
        let transactionID = UInt64(raw.snapshot.transactionID)
        if agreedAt.load(ordering: .relaxed) == transactionID { return state.catalog.version }
        let version = try StoreFormat.catalogVersion(state.databases, raw.snapshot)
        if version == state.catalog.version { agreedAt.store(transactionID, ordering: .relaxed) }
        return version
    }
}
