import LMDB

/// Decides which snapshots to report. A pure state machine: it compares the readers of one look with those of earlier looks.
///
/// A snapshot is reported once, and again each time that twice as many bytes cannot be reused.
struct SnapshotWatch {
    private struct Seen {
        let since: ContinuousClock.Instant
        var reportedByteCount: Int?
    }

    let limits: SnapshotLimits
    private var seen: [LMDBReader: Seen] = [:]

    init(_ limits: SnapshotLimits) { self.limits = limits }

    /// Notes the readers of this moment.
    ///
    /// - Parameters:
    ///   - newest: the number of the newest commit.
    ///   - now: the time.
    ///   - heldByteCount: returns how many bytes the snapshot of a transaction keeps from reuse.
    /// - Returns: the snapshots to report.
    mutating func look(
        _ readers: [LMDBReader], newest: Int, now: ContinuousClock.Instant, heldByteCount: (Int) throws -> Int
    ) rethrows -> [HeldSnapshot] {
        var current: [LMDBReader: Seen] = [:]
        var reported: [HeldSnapshot] = []
        for reader in readers {
            guard let transaction = reader.transactionID, transaction < newest else { continue }
            var entry = seen[reader] ?? Seen(since: now)
            let held = HeldSnapshot(
                processID: reader.processID, commitCount: newest - transaction,
                byteCount: try heldByteCount(transaction), age: entry.since.duration(to: now))
            if isBeyondLimits(held), entry.reportedByteCount.map({ held.byteCount >= 2 * max($0, 1) }) ?? true {
                entry.reportedByteCount = held.byteCount
                reported.append(held)
            }
            current[reader] = entry
        }
        seen = current
        return reported
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
