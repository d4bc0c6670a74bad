/// The share of each file in the greatest size of a store, and the reserve for deletes.
///
/// The limit covers the lengths of `data.mdb`, `redo.log`, `redo.checkpoint`, `lock.mdb` and `feed.wake`. All but the data file
/// have a known greatest length, so the rest of the limit belongs to the data file. LMDB never allocates a page behind its map,
/// so a map of that size keeps the limit, for all writes and for any number of processes.
///
/// A part of the data file is a reserve: a delete needs pages too, because LMDB writes changed pages to new places. Once less
/// than the reserve is free, only transactions with a right to use it can commit.
package struct Quota: Equatable, Sendable {
    /// The least size of a store that a program may ask for, in bytes.
    package static let minimumByteCount = 4 << 20
    private static let smallestReserve = 512 << 10
    private static let largestReserve = 16 << 20

    /// The greatest size of all files together, in bytes.
    package let byteCount: Int
    /// The greatest length of the files beside the data file together, in bytes.
    let sideByteCount: Int

    /// - Parameters:
    ///   - lockFileByteCount: the length of `lock.mdb`.
    ///   - logByteCount: the greatest length of `redo.log`; nil for a store without one.
    init(byteCount: Int, lockFileByteCount: Int, logByteCount: Int?) {
        self.byteCount = byteCount
        let log = logByteCount.map { Self.roundedUp($0) + CheckpointFile.byteCount } ?? 0
        sideByteCount = Self.roundedUp(lockFileByteCount) + WakeFile.byteCount + log
    }

    /// - Parameters:
    ///   - path: the directory, whose files may be longer than these options would make them.
    ///   - hasLog: whether the store has a redo log, or is about to get one.
    package init?(_ options: LMDBEnvironment.Options, at path: String, hasLog: Bool) {
        guard let byteCount = options.maximumByteCount else { return nil }
        let lock = SpaceReservation.lockFileByteCount(maximumReaders: options.maximumReaders)
        let log = SystemCalls.byteCount(at: path + "/" + RedoLogFile.name) ?? 0
        self.init(
            byteCount: byteCount, lockFileByteCount: max(lock, SystemCalls.byteCount(at: path + "/lock.mdb") ?? 0),
            logByteCount: hasLog ? max(log, options.redoLimits.maximumByteCount) : nil)
    }

    /// Returns the greatest length of the files beside the data file of a new store, in bytes.
    package static func sideByteCount(_ options: LMDBEnvironment.Options) -> Int {
        Quota(
            byteCount: 0,
            lockFileByteCount: SpaceReservation.lockFileByteCount(maximumReaders: options.maximumReaders),
            logByteCount: options.redoLimits.maximumByteCount
        ).sideByteCount
    }

    /// Whether the data file in a directory has at most its greatest length, or does not exist.
    package func fitsDataFile(in path: String) -> Bool {
        SystemCalls.byteCount(at: path + "/data.mdb").map { $0 <= dataByteCount } ?? true
    }

    /// The greatest length of the data file, in bytes: a multiple of every page size.
    package var dataByteCount: Int { max(byteCount - sideByteCount, 0) & ~(DataFileMeta.largestPage - 1) }

    /// How much of the data file growing writes leave free, in bytes: a sixteenth, and at least 512 KiB.
    var reserveByteCount: Int { min(max(byteCount / 16, Self.smallestReserve), Self.largestReserve) }

    private static func roundedUp(_ byteCount: Int) -> Int {
        let block = 4_096
        return (byteCount + block - 1) / block * block
    }
}
