/// Limits of the redo log.
package struct RedoLimits: Equatable, Sendable {
    /// The length of the log after which the next write makes a checkpoint, in bytes.
    package var logByteCount = 16 << 20
    /// The length of an entry from which a commit is not logged, in bytes: then LMDB's own sync is cheaper.
    package var entryByteCount = 1 << 20
    /// How much the data file may grow from one checkpoint to the next, in bytes.
    package var growthByteCount = 64 << 20

    package init() {}
}
