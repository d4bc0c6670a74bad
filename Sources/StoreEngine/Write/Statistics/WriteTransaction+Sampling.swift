import LMDB

// Updates the samples in the transaction that changes the records.
extension WriteTransaction {
    /// The kind of a record's change.
    enum SampledChange {
        /// The record in `encoder` was inserted.
        case inserted
        /// The record in `encoder` replaced the record in `oldRecord`.
        case replaced
        /// The record in `oldRecord` was deleted.
        case deleted
    }

    /// Updates the sample of a type after a change of the record under `recordKey`.
    mutating func keepSample(_ change: SampledChange, of type: OpenType) throws {
        guard let database = state.databases.statistics else { return }
        let hash = SampleKey.hash(recordKey.bytes)
        // Fifteen of sixteen records are in no sample, whatever its level.
        guard hash.leadingZeroBitCount >= SampleState.firstLevel else { return }
        try keepSample(change, of: type, hash: hash, database)
    }

    @inline(never)
    private mutating func keepSample(
        _ change: SampledChange, of type: OpenType, hash: UInt64, _ database: LMDBDatabase
    ) throws {
        let number = type.type.id
        let known = try samples[number] ?? RecordSample.state(of: number, database, raw.snapshot)
        guard var sample = known else { return }
        defer { samples[number] = sample }
        guard sample.includes(hash) else { return }
        if change != .inserted {
            try RecordSample.apply(
                .delete, oldRecord, key: recordKey, hash: hash, type, database, to: &raw,
                scratch: &scratch.oldEntryKey)
        }
        if change != .deleted {
            try RecordSample.put(
                encoder, key: recordKey, hash: hash, type, database, to: &raw, scratch: &scratch.newEntryKey)
        }
        if change == .replaced { return }
        sample.count = Swift.max(0, sample.count + (change == .inserted ? 1 : -1))
        try RecordSample.shrink(&sample, of: number, database, in: &raw)
        try RecordSample.write(sample, of: number, database, to: &raw)
    }
}
