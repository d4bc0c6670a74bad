package import LMDB

/// Switches the trail of a store on and off, as ``StoreLimits/changedRecordLimit`` asks for.
package enum TrailSetting {
    /// Whether the store has what is asked for.
    ///
    /// - Parameter wanted: how many records are to be remembered; 0 for no trail, nil for whatever there is.
    package static func isSettled(
        _ wanted: Int?, _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> Bool {
        guard let wanted else { return true }
        return try readableHead(databases, snapshot)?.limit ?? 0 == UInt64(max(wanted, 0))
    }

    /// Gives the store what is asked for. A new trail begins with what leaves the feed from now on.
    ///
    /// - Parameter head: the feed's.
    /// - Returns: whether there is a database now that was not there before.
    package static func settle(
        _ wanted: Int?, _ databases: inout StoreDatabases, head: FeedHead, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) -> Bool {
        guard let wanted, try !isSettled(wanted, databases, raw.snapshot) else { return false }
        let isNew = databases.trail == nil
        if isNew { databases.trail = try create(&raw) }
        guard let database = databases.trail else { return false }
        if wanted <= 0 {
            try mapLMDB { () throws(LMDBError) in try raw.empty(database) }
        } else {
            let start = TrailHead.EpochStart(epoch: head.epoch, sequence: head.sequence)
            var trail = try readableHead(databases, raw.snapshot)
            if trail == nil {
                try mapLMDB { () throws(LMDBError) in try raw.empty(database) }
                trail = TrailHead(limit: 0, floor: head.oldest - 1, epochs: [start])
            }
            trail?.limit = UInt64(wanted)
            if let trail { try write(trail, in: database, &raw) }
        }
        return isNew
    }

    /// Notes in the trail, where there is one, that the store begins a new epoch.
    ///
    /// - Parameter head: the feed's, with that epoch.
    package static func beginEpoch(
        _ head: FeedHead, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        guard let database = databases.trail, var trail = try readableHead(databases, raw.snapshot) else { return }
        trail.begin(TrailHead.EpochStart(epoch: head.epoch, sequence: head.sequence))
        try write(trail, in: database, &raw)
    }

    /// The trail's head; nil where there is none, or it is damaged: a store is opened all the same.
    private static func readableHead(
        _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> TrailHead? {
        do {
            return try TrailReader(databases, snapshot)?.head
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    private static func create(_ raw: inout LMDBWriteTransaction) throws(StoreError) -> LMDBDatabase? {
        do {
            return try raw.openDatabase(named: StoreDatabases.trailName, create: true)
        } catch {
            throw StoreError(error)
        }
    }

    /// Writes the trail's head.
    static func write(
        _ head: TrailHead, in database: LMDBDatabase, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        var bytes = ByteWriter(capacity: 64)
        head.encode(to: &bytes)
        let key = TrailKey.head
        do {
            unsafe try raw.put(database, key: key.span.bytes, value: bytes.bytes)
        } catch {
            throw StoreError(error)
        }
    }
}
