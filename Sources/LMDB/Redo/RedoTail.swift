/// The end of the redo log: the last entry, and how much of the log is certainly on the disk.
package struct RedoTail: Equatable, Sendable {
    /// The offset in the file behind the last entry.
    var offset = RedoLogFile.firstOffset
    /// The length of all entries since the log was begun, in bytes.
    var address: UInt64 = 0
    /// The address up to which all entries are certainly on the disk.
    var durableAddress: UInt64 = 0
    /// The checksum of the last entry, or a random number at the beginning.
    var chain: UInt64
    /// The transaction of the last entry, or of the checkpoint.
    var transaction: UInt64
    /// The checkpoint in whose time the last relaxed commit was made; 0 if no relaxed commit can follow without a sync before it.
    ///
    /// With another number, commits that follow the last entry may be in the data file and not in the log.
    var relaxedSince: UInt64 = 0
    /// Whether the last entry stands for a commit that is in the data file only.
    var isInDataFile = false

    /// The end of an empty log.
    static func beginning(after transaction: UInt64) -> RedoTail {
        RedoTail(chain: .random(in: .min ... .max), transaction: transaction)
    }

    /// Returns whether an entry is the next one.
    func isFollowed(by entry: RedoEntry) -> Bool {
        entry.previous == chain && entry.transaction == transaction + 1
    }

    /// Moves the end past an entry.
    mutating func advance(past entry: RedoEntry, at offset: Int) {
        self.offset = offset + entry.byteCount
        address += UInt64(entry.byteCount)
        durableAddress = max(durableAddress, min(entry.durableAddress, address))
        chain = entry.checksum
        transaction = entry.transaction
        relaxedSince = entry.relaxedSince
        isInDataFile = entry.isInDataFile
    }

    /// Returns where the next entry goes: behind the last one, or at the beginning of the file if the entries there are no longer
    /// needed.
    ///
    /// - Parameters:
    ///   - start: the end of the log at the checkpoint: entries from there on are needed.
    ///   - capacity: the length of the file.
    ///   - limit: up to which length the file may grow.
    /// - Returns: nil if there is no room before the next checkpoint.
    func place(of byteCount: Int, after start: RedoTail, capacity: Int, limit: Int) -> Int? {
        let isWrapped = offset < start.offset || offset == start.offset && address > start.address
        if isWrapped { return offset + byteCount <= start.offset ? offset : nil }
        // A log that went on at the beginning could not grow before its next checkpoint.
        if offset + byteCount <= max(capacity, limit) { return offset }
        return RedoLogFile.firstOffset + byteCount <= start.offset ? RedoLogFile.firstOffset : nil
    }
}
