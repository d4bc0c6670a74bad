/// The end of the redo log: the place of the next entry, and the entry before it.
struct RedoTail: Equatable {
    /// The offset in the log.
    var offset = 0
    /// The checksum of the last entry, or the salt of the checkpoint.
    var chain: UInt64
    /// The transaction of the last entry, or of the checkpoint.
    var transaction: UInt64
    /// How many bytes of the log are certainly on the disk.
    var durableByteCount = 0

    /// The end of a log that starts after a checkpoint.
    init(after checkpoint: CheckpointRecord) {
        chain = checkpoint.salt
        transaction = checkpoint.transaction
    }

    /// Returns whether an entry is the next one of the log.
    func isFollowed(by entry: RedoEntry, of checkpoint: CheckpointRecord) -> Bool {
        entry.checkpoint == checkpoint.number && entry.previous == chain && entry.transaction == transaction + 1
    }

    /// Moves the end past an entry.
    mutating func advance(past entry: RedoEntry) {
        offset += entry.byteCount
        chain = entry.checksum
        transaction = entry.transaction
        durableByteCount = max(durableByteCount, Int(clamping: entry.durableByteCount))
    }
}
