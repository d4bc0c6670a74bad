/// Limits of the redo log.
package struct RedoLimits: Equatable, Sendable {
    /// The largest log that is read, in bytes.
    static let greatestLogByteCount = 32 << 20
    /// The part of the data file that pins may keep, as a divisor of its size.
    private static let keptShare = 8

    /// The length of the log's file, in bytes. A checkpoint is due when half of it is used.
    package var logByteCount = 16 << 20
    /// The length of an entry from which a commit is not logged, in bytes: then LMDB's own syncs are cheaper.
    package var entryByteCount = 1 << 20
    /// How many bytes of freed pages the pins may keep at least, before a checkpoint is due.
    package var keptByteCount = 16 << 20

    package init() {}

    /// The greatest length of the log's file, in bytes.
    package var maximumByteCount: Int { logByteCount + RedoEntry.byteCount(ofOperations: entryByteCount) }

    /// How many bytes of freed pages pins may keep before a checkpoint is due.
    ///
    /// A second checkpoint may be due before the first is finished. So at most a quarter of the file is free and cannot be used.
    func keptByteCount(ofFile byteCount: Int) -> Int { max(keptByteCount, byteCount / Self.keptShare) }

    /// Returns limits with which the log takes at most about an eighth of a store's greatest size, and of which each is at most
    /// the one here. Processes that agree on the size also agree on the limits.
    package func fitting(storeByteCount: Int?) -> RedoLimits {
        guard let storeByteCount else { return self }
        var limits = self
        limits.logByteCount = min(logByteCount, storeByteCount / 16)
        limits.entryByteCount = min(entryByteCount, storeByteCount / 16)
        // The pages that pins keep must not use up what a small store has.
        limits.keptByteCount = min(keptByteCount, storeByteCount / 16)
        return limits
    }
}
