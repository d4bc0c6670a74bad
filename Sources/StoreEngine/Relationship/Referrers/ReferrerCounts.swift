import LMDB

/// The numbers of records that refer to other records.
struct ReferrerCounts {
    /// The counts, by the untruncated key of the referenced record's id. Records without referrers have no count.
    private(set) var counts: [[UInt8]: Int] = [:]
    /// The number of entries and records read.
    var scannedCount = 0

    /// Adds 1 to the count of each id that a field refers to, even where the field refers to it several times.
    mutating func add(_ reference: OpenReference, in field: RawSpan) throws(CodecError) {
        guard reference.isMultiple else {
            try reference.forEachKey(in: field) { counts[$0, default: 0] += 1 }
            return
        }
        var keys: Set<[UInt8]> = []
        try reference.forEachKey(in: field) { keys.insert($0) }
        for key in keys { counts[key, default: 0] += 1 }
    }

    /// Adds `number` to the count of one id.
    mutating func add(_ number: Int, to key: [UInt8]) { if number > 0 { counts[key, default: 0] += number } }
}

extension OpenReference {
    /// Calls `body` with the untruncated key of each id that a field refers to.
    func forEachKey(in field: RawSpan, _ body: ([UInt8]) -> Void) throws(CodecError) {
        var key = ByteWriter(capacity: 64)
        try forEachID(in: field) { id throws(CodecError) in
            key.removeAll()
            try component.append(id, to: &key)
            body(key.array())
            return true
        }
    }
}

extension Referrers {
    /// Counts the referrers of each referenced record with the reference's index. Reads a record only where an entry's value is
    /// truncated.
    func counts(_ reference: OpenReference) throws -> ReferrerCounts {
        var result = ReferrerCounts()
        // Entries are in the order of the ids, so that each id is looked up once in the counts.
        var (current, run): ([UInt8], Int) = ([], 0)
        var cursor = try snapshot.openCursor(reference.index.database)
        // In an optional field, a mark precedes each value. Entries of none come first, and the walk skips them.
        let mark: [UInt8] = reference.isOptional && !reference.isMultiple ? [1] : []
        var isPositioned = unsafe mark.isEmpty ? try cursor.first() : try cursor.seek(atLeast: mark.span.bytes)
        while isPositioned {
            result.scannedCount += 1
            do {
                let value = try IndexEntry.value(key: cursor.key, data: cursor.value)
                if value.byteCount == KeyLimit.indexValue {
                    let recordKey = try IndexEntry.recordKey(key: cursor.key, data: cursor.value)
                    try addTruncated(value, reference, recordKey: recordKey, to: &result)
                } else {
                    let key = value.extracting(mark.count..<value.byteCount)
                    if unsafe run == 0 || !key.isEqual(to: current.span.bytes) {
                        result.add(run, to: current)
                        (current, run) = (key.array(), 0)
                    }
                    run += 1
                }
            }
            isPositioned = try cursor.next()
        }
        result.add(run, to: current)
        return result
    }

    /// Counts the references behind an entry with a truncated value, which only the record holds in full.
    private func addTruncated(
        _ value: RawSpan, _ reference: OpenReference, recordKey: RawSpan, to result: inout ReferrerCounts
    ) throws {
        let type = catalog.types[reference.source]
        guard let bytes = try snapshot.get(type.database, key: recordKey) else { return }
        result.scannedCount += 1
        var keys: Set<[UInt8]> = []
        for key in try Self.idKeys(of: reference, in: RecordBytes(unverified: bytes), of: type) {
            var part = ByteWriter(capacity: key.count + 1)
            _ = unsafe reference.appendEntryPart(idKey: key.span.bytes, to: &part)
            if part.bytes.isEqual(to: value) { keys.insert(key) }
        }
        for key in keys { result.add(1, to: key) }
    }

    /// Counts the records that refer to `target` and meet a condition, up to a limit.
    ///
    /// - Parameters:
    ///   - condition: the condition; nil where all referrers count.
    ///   - limit: the count at which counting ends.
    ///   - cursor: a cursor on the reference's index.
    ///   - scanned: counts the entries and records read.
    func count(
        _ reference: OpenReference, to target: ReferenceTarget, _ condition: CompiledCondition?, limit: Int,
        _ cursor: inout LMDBCursor, scanned: inout Int
    ) throws -> Int {
        var count = 0
        if limit <= 0 { return 0 }
        let type = catalog.types[reference.source]
        try forEachEntry(reference, to: target, &cursor) { key in
            scanned += 1
            if let condition {
                guard let bytes = try snapshot.get(type.database, key: key) else { return true }
                scanned += 1
                let holds = try type.withNewest(RecordBytes(unverified: bytes)) { (newest) throws(CodecError) in
                    try condition.holds(newest.table)
                }
                guard holds else { return true }
            }
            count += 1
            return count < limit
        }
        return count
    }
}
