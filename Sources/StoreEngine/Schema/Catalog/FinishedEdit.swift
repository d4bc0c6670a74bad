package import LMDB

/// The result of an edit of the catalog: its transaction, which is not yet committed, and the new catalog.
package struct FinishedEdit: ~Copyable {
    private var raw: LMDBWriteTransaction
    package let types: [OpenType]
    package let version: UInt64
    package let head: FeedHead
    package let didWrite: Bool
    /// Whether the records of a type have another form after the edit, or are gone.
    package let changesForm: Bool

    init(
        raw: consuming LMDBWriteTransaction, types: [OpenType], version: UInt64, head: FeedHead, didWrite: Bool,
        changesForm: Bool
    ) {
        self.changesForm = changesForm
        self.raw = raw
        self.types = types
        self.version = version
        self.head = head
        self.didWrite = didWrite
    }

    /// Returns the transaction alone.
    package consuming func intoRaw() -> LMDBWriteTransaction { raw }
}
