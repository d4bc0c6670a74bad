package import LMDB

/// What an edit of the catalog leaves: its transaction, not yet committed, and the catalog after it.
package struct FinishedEdit: ~Copyable {
    private var raw: LMDBWriteTransaction
    package let types: [OpenType]
    package let version: UInt64
    package let head: FeedHead
    package let didWrite: Bool

    init(raw: consuming LMDBWriteTransaction, types: [OpenType], version: UInt64, head: FeedHead, didWrite: Bool) {
        self.raw = raw
        self.types = types
        self.version = version
        self.head = head
        self.didWrite = didWrite
    }

    /// The transaction alone.
    package consuming func intoRaw() -> LMDBWriteTransaction { raw }
}
