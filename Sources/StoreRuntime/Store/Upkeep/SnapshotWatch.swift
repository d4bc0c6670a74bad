import LMDB

/// Decides when to report the oldest snapshot. A pure state machine: it compares the readers of one look with those of earlier
/// looks.
///
/// A snapshot is reported once, and again each time that twice as many bytes cannot be reused.
struct SnapshotWatch {
    let limits: SnapshotLimits
    /// When each reader of an old snapshot was first seen.
    private var seen: [LMDBReader: ContinuousClock.Instant] = [:]
    /// The snapshot that was reported last.
    private var reported: (reader: LMDBReader, byteCount: Int)?

    init(_ limits: SnapshotLimits) { self.limits = limits }

    /// Notes the readers of this moment.
    ///
    /// - Parameters:
    ///   - newest: the number of the newest commit.
    ///   - now: the time.
    ///   - heldByteCount: returns how many bytes the snapshot of a transaction keeps from reuse. Called once at most.
    /// - Returns: the oldest snapshot, if it has to be reported now.
    mutating func look(
        _ readers: [LMDBReader], newest: Int, now: ContinuousClock.Instant, heldByteCount: (Int) throws -> Int
    ) rethrows -> HeldSnapshot? {
        var current: [LMDBReader: ContinuousClock.Instant] = [:]
        var oldest: (reader: LMDBReader, transaction: Int, since: ContinuousClock.Instant)?
        for reader in readers {
            guard let transaction = reader.transactionID, transaction < newest else { continue }
            let since = seen[reader] ?? now
            current[reader] = since
            if transaction < oldest?.transaction ?? newest { oldest = (reader, transaction, since) }
        }
        seen = current
        guard let oldest else { return nil }
        let held = HeldSnapshot(
            processID: oldest.reader.processID, commitCount: newest - oldest.transaction,
            byteCount: try heldByteCount(oldest.transaction), age: oldest.since.duration(to: now))
        if let reported, reported.reader == oldest.reader, held.byteCount < 2 * max(reported.byteCount, 1) {
            return nil
        }
        guard isBeyondLimits(held) else { return nil }
        reported = (oldest.reader, held.byteCount)
        return held
    }

    private func isBeyondLimits(_ held: HeldSnapshot) -> Bool {
        limits.age.map { held.age > $0 } ?? false || limits.commitCount.map { held.commitCount > $0 } ?? false
            || limits.byteCount.map { held.byteCount > $0 } ?? false
    }
}

extension LMDBEnvironment {
    /// Returns how many bytes of freed pages the snapshot of a transaction keeps from reuse.
    func byteCount(heldBy transactionID: Int, _ info: LMDBInfo) throws(LMDBError) -> Int {
        let transaction = try beginRead()
        return try transaction.snapshot.freePageCount(freedAfter: transactionID) * info.pageSize
    }
}
