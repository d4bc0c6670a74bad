import LMDB
import StoreEngine

/// A record as it is in a snapshot, with what tells it from others that are stored under its key before and after it.
struct StoredRecord<R: Record> {
    let record: R
    let key: [UInt8]
    /// The sequence number of the change set that inserted it.
    let incarnation: UInt64

    /// What a snapshot has under a key; nil where that is nothing.
    ///
    /// - Throws: ``StoreError``: `unknownType` when the store was opened without `R`; `damaged`.
    init?(_ key: [UInt8], in scope: borrowing ReadContext) throws(StoreError) {
        let binding = try scope.state.catalog.binding(R.self)
        guard let content = try scope.content(of: binding.type, key: key) else { return nil }
        record = try content.freshRecord(R.self, binding)
        self.key = key
        incarnation = content.incarnation
    }

    /// A row of a live result, which is decoded.
    init(_ record: R, _ row: LiveRow) {
        self.record = record
        key = row.key
        incarnation = row.content.incarnation
    }
}
