import ModelStore

/// Makes the records of a type equal to a reading: inserts new records, updates changed ones, and deletes missing ones.
enum Mirror {
    /// The number of records of a type by treatment.
    struct Count: Equatable, Sendable {
        var inserted = 0
        var updated = 0
        var deleted = 0
        var unchanged = 0
    }

    /// Applies `current` in a write transaction.
    ///
    /// - Parameters:
    ///   - current: everything that the machine has now.
    ///   - host: the name of the machine.
    ///   - known: the records of that machine in the store.
    ///   - merging: returns the record to store, from the stored record and the one read again.
    static func apply<R: HostRecord>(
        _ current: [R], of host: String, to known: FetchRequest<R>, in transaction: inout WriteTransaction,
        merging: (_ stored: R, _ read: R) -> R = { $1 }
    ) throws -> Count {
        var count = Count()
        var gone: [R.ID: R] = [:]
        try transaction.forEach(known) { record in
            gone[record.recordID] = record
            return true
        }
        for var read in current {
            read.host = host
            guard let stored = gone.removeValue(forKey: read.recordID) else {
                try transaction.upsert(read)
                count.inserted += 1
                continue
            }
            let merged = merging(stored, read)
            if merged == stored {
                count.unchanged += 1
            } else {
                try transaction.update(merged)
                count.updated += 1
            }
        }
        for id in gone.keys {
            try transaction.delete(R.self, id: id)
            count.deleted += 1
        }
        return count
    }
}
