import LMDB

/// An estimated number of entries, and the source of the estimate.
package struct RowEstimate: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        /// The entries were counted, or LMDB keeps their number.
        case counted
        /// The sample of the record type gave the number.
        case sampled
        /// Only the form of the condition gave the number, because the store has no statistics of the type.
        case guessed
    }

    package var rows: Double
    package var source: Source

    /// Whether the entries are so few that no other path can be much better.
    var isFew: Bool { source == .counted && rows <= Double(RowEstimator.maximumDive) }

    static func counted(_ rows: Int) -> RowEstimate { RowEstimate(rows: Double(rows), source: .counted) }
}

/// Estimates the number of entries in ranges of keys, in one transaction.
///
/// Exact answers come first: totals, which LMDB keeps, and "dives", which count the entries of a range up to a small limit. For
/// longer ranges, the sample gives their share of the records.
struct RowEstimator: ~Escapable {
    private let scope: ReadContext
    let type: OpenType
    /// The number of records.
    let total: Int
    /// The cost of finding a record by its key, in the units of ``PlanCost``.
    let fetchCost: Double
    /// A walk that is known to be longer than a dive.
    private let longWalk: EqualityLookup.LongWalk?
    private var state: SampleState?
    private var isStateRead = false

    /// The maximum number of entries that a dive counts. Counting them costs about as much as finding them for a fetch.
    static let maximumDive = 32
    /// The maximum number of ranges that an estimate examines. It assumes that the others are similar.
    private static let maximumRanges = 16

    /// The maximum number of sampled records that an estimate tests.
    private static let maximumTests = 128

    @_lifetime(copy scope)
    init(_ scope: ReadContext, _ type: OpenType, longWalk: EqualityLookup.LongWalk? = nil) throws(StoreError) {
        self.scope = scope
        self.longWalk = longWalk
        self.type = type
        do {
            let statistics = try scope.snapshot.statistics(of: type.database)
            total = statistics.entries
            let pages = statistics.branchPages + statistics.leafPages
            fetchCost = PlanCost.fetch(depth: statistics.depth, byteCount: pages * statistics.pageSize)
        } catch {
            throw StoreError(error)
        }
    }

    /// Estimates the number of entries in a candidate's ranges of keys.
    mutating func estimate(_ candidate: PathCandidate) throws(StoreError) -> RowEstimate {
        let ranges = candidate.ranges.ranges
        if ranges.isEmpty { return .counted(0) }
        if candidate.ranges.isAll { return .counted(total) }
        do {
            let (database, index) = source(candidate.indexNumber)
            let isLong = longWalk.map { $0.indexNumber == candidate.indexNumber && [$0.range] == ranges } ?? false
            if !isLong, let counted = try dive(ranges, database) { return .counted(counted) }
            let isSampled = candidate.indexNumber.map { !type.indexes[$0].isMultiple } ?? true
            if isSampled, let sampled = try sample(ranges, index) { return sampled }
        } catch {
            throw StoreError(error)
        }
        return RowEstimate(rows: guess(candidate), source: .guessed)
    }

    private func source(_ indexNumber: Int?) -> (LMDBDatabase, UInt32) {
        guard let indexNumber else { return (type.database, SampleKey.records) }
        return (type.indexes[indexNumber].database, type.indexes[indexNumber].stored.id)
    }

    /// Counts the entries; nil if there are more than a few.
    private func dive(_ ranges: [KeyRange], _ database: LMDBDatabase) throws(LMDBError) -> Int? {
        guard ranges.count <= Self.maximumRanges else { return nil }
        var cursor = try scope.snapshot.openCursor(database)
        var count = 0
        for range in ranges {
            guard try Self.count(range, &cursor, into: &count, limit: Self.maximumDive) else { return nil }
        }
        return count
    }

    /// Counts the entries of a range. Returns false if there are more than `limit`.
    private static func count(
        _ range: KeyRange, _ cursor: inout LMDBCursor, into count: inout Int, limit: Int
    ) throws(LMDBError) -> Bool {
        var isPositioned =
            range.lower.isEmpty ? try cursor.first() : try unsafe cursor.seek(atLeast: range.lower.span.bytes)
        while isPositioned {
            if let upper = range.upper, unsafe cursor.key.compared(to: upper.span.bytes) >= 0 { return true }
            count += 1
            if count > limit { return false }
            isPositioned = try cursor.next()
        }
        return true
    }

    /// Estimates from the sample; nil without a sample.
    private mutating func sample(_ ranges: [KeyRange], _ index: UInt32) throws(LMDBError) -> RowEstimate? {
        guard let database = scope.state.databases.statistics else { return nil }
        if !isStateRead {
            state = try RecordSample.state(of: type.type.id, database, scope.snapshot)
            isStateRead = true
        }
        guard let state, state.count > 0 else { return nil }
        var prefix = ByteWriter(capacity: 16)
        SampleKey.appendPrefix(type: type.type.id, index: index, to: &prefix)
        // Examine ranges at even distances.
        let step = Swift.max(1, ranges.count / Self.maximumRanges)
        var cursor = try scope.snapshot.openCursor(database)
        var (hits, looked) = (0, 0)
        for number in stride(from: 0, to: ranges.count, by: step) {
            _ = try Self.count(ranges[number].behind(prefix.array()), &cursor, into: &hits, limit: .max)
            looked += 1
        }
        let share = Double(hits) / Double(state.count) * Double(ranges.count) / Double(Swift.max(looked, 1))
        // A dive has already found more than a few entries. If the sample contains none of them, they are fewer than one sampled
        // record represents.
        let least = Swift.min(Double(Self.maximumDive), Double(total))
        let unseen = Double(total) / Double(state.count) / 2
        let rows = hits == 0 ? unseen : share * Double(total)
        return RowEstimate(rows: Swift.min(Swift.max(rows, least), Double(total)), source: .sampled)
    }

    /// Returns the share of records that meet a condition, from records of the sample; nil if there are none.
    mutating func sampledShare(_ filter: CompiledCondition) throws(StoreError) -> Double? {
        guard let database = scope.state.databases.statistics else { return nil }
        var prefix = ByteWriter(capacity: 16)
        SampleKey.appendPrefix(type: type.type.id, index: SampleKey.records, to: &prefix)
        var (hits, looked) = (0, 0)
        do {
            var cursor = try scope.snapshot.openCursor(database)
            var isPositioned = try cursor.seek(atLeast: prefix.bytes)
            while isPositioned, cursor.key.extracting(first: prefix.count).isEqual(to: prefix.bytes) {
                // Test about every fourth one, so that the tested records come from the whole range of keys.
                if looked < Self.maximumTests, try SampleKey.hash(of: cursor.key) & 3 == 0 {
                    looked += 1
                    if try meets(SampleKey.value(of: cursor.key), filter) { hits += 1 }
                }
                isPositioned = try cursor.next()
            }
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch let error as StoreError {
            throw error
        } catch {
            // A reader reports a damaged record; the estimate does not.
            return nil
        }
        // Even without a hit in the tested records, a few of all records may match.
        return looked == 0 ? nil : (Double(hits) + 0.5) / (Double(looked) + 1)
    }

    private func meets(_ recordKey: RawSpan, _ filter: CompiledCondition) throws -> Bool {
        guard let bytes = try scope.value(type.database, key: recordKey) else { return false }
        let record = try RecordBytes(unverified: bytes)
        return try type.withNewest(record) { (newest) throws(CodecError) in try filter.holds(newest.table) }
    }

    // A small guess, so that the planner prefers an index to a walk over all records: nothing is known against the index.
    private func guess(_ candidate: PathCandidate) -> Double {
        let share = candidate.fixedCount > 0 ? 0.01 : 0.05
        let parts = Double(Swift.max(1, candidate.boundCount))
        return Swift.min(Double(total), Swift.max(Double(Self.maximumDive), Double(total) * share / parts))
    }
}
