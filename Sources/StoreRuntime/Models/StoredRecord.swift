import LMDB
import StoreEngine

/// A record in a snapshot, with its key and incarnation. The incarnation distinguishes it from earlier and later records under
/// the key.
struct StoredRecord<R: Record> {
    let record: R
    let key: [UInt8]
    /// The sequence number of the change set that inserted it.
    let incarnation: UInt64

    /// Reads the record under a key; nil if the snapshot has none.
    ///
    /// - Throws: ``StoreError``: `unknownType` if the store was opened without `R`; `damaged`.
    init?(_ key: [UInt8], in scope: borrowing ReadContext) throws(StoreError) {
        let binding = try scope.state.catalog.binding(R.self)
        guard let content = try scope.content(of: binding.type, key: key) else { return nil }
        record = try content.freshRecord(R.self, binding)
        self.key = key
        incarnation = content.incarnation
    }

    /// Takes the decoded record of a row of a live result.
    init(_ record: R, _ row: LiveRow) {
        self.record = record
        key = row.key
        incarnation = row.content.incarnation
    }
}
