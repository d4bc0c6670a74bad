package import LMDB

/// Switches the trail of a store on and off, as ``StoreLimits/changedRecordLimit`` requires.
package enum TrailSetting {
    /// Returns whether the store already has the requested trail.
    ///
    /// - Parameter wanted: the number of records to remember; 0 for no trail, nil to keep the current setting.
    package static func isSettled(
        _ wanted: Int?, _ databases: StoreDatabases, _ snapshot: LMDBSnapshot
    ) throws(StoreError) -> Bool {
        guard let wanted else { return true }
        return try readableHead(databases, snapshot)?.limit ?? 0 == UInt64(max(wanted, 0))
    }

    /// Gives the store the requested trail. A new trail begins with the change sets that leave the feed from now on.
    ///
    /// - Parameter head: the head of the feed.
    /// - Returns: whether this call created the database of the trail.
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

    /// Notes in the trail, if there is one, that the store begins a new epoch.
    ///
    /// - Parameter head: the head of the feed, with that epoch.
    package static func beginEpoch(
        _ head: FeedHead, _ databases: StoreDatabases, _ raw: inout LMDBWriteTransaction
    ) throws(StoreError) {
        guard let database = databases.trail, var trail = try readableHead(databases, raw.snapshot) else { return }
        trail.begin(TrailHead.EpochStart(epoch: head.epoch, sequence: head.sequence))
        try write(trail, in: database, &raw)
    }

    /// Returns the trail's head. Returns nil if there is none or if it is damaged, because a damaged trail must not keep a store
    /// from opening.
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
