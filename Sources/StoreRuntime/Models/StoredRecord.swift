import LMDB
import StoreEngine

/// A record in a snapshot, with its key and incarnation. The incarnation distinguishes it from earlier and later records under
/// the key.
struct StoredRecord<R: Record> {
    let record: R
    let key: [UInt8]
    /// The sequence number of the change set that inserted it.
    let incarnation: UInt64
    /// Why the snapshot's state of the record cannot be decoded. The record is then an earlier state.
    let readFailure: StoreError?

    /// Reads the record under a key; nil if the snapshot has none.
    ///
    /// - Parameter earlier: an earlier state of the record, to use if this one cannot be decoded.
    /// - Throws: ``StoreError``: `unknownType` if the store was opened without `R`; `damaged`. `valueDoesNotFit` without an
    ///   earlier state.
    init?(_ key: [UInt8], in scope: borrowing ReadContext, or earlier: StoredRecord? = nil) throws(StoreError) {
        let binding = try scope.state.catalog.binding(R.self)
        guard let content = try scope.content(of: binding.type, key: key) else { return nil }
        self.key = key
        incarnation = content.incarnation
        do throws(StoreError) {
            record = try content.freshRecord(R.self, binding)
            readFailure = nil
        } catch {
            guard let earlier, earlier.incarnation == content.incarnation else { throw error }
            record = earlier.record
            readFailure = error
        }
    }

    /// Takes the published record of a live model.
    init(_ model: Model<R>) {
        record = model.publishedVersion.record
        key = model.state.key
        incarnation = model.state.incarnation
        readFailure = nil
    }

    /// Takes the decoded record of a row of a live result.
    init(_ record: R, _ row: LiveRow) {
        self.record = record
        key = row.key
        incarnation = row.content.incarnation
        readFailure = nil
    }
}
