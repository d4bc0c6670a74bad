import LMDB

/// About how many entries there are, and how that is known.
package struct RowEstimate: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        /// All were counted, or LMDB counts them.
        case counted
        /// By the sample of the record type.
        case sampled
        /// By nothing but the form of the condition: the store has no statistics of the type.
        case guessed
    }

    package var rows: Double
    package var source: Source

    /// Whether there are so few that no other path can be much better.
    var isFew: Bool { source == .counted && rows <= Double(RowEstimator.maximumDive) }

    static func counted(_ rows: Int) -> RowEstimate { RowEstimate(rows: Double(rows), source: .counted) }
}

/// Tells how many entries runs of keys hold, in one transaction.
///
/// First come exact answers: totals, which LMDB keeps, and "dives", which count the entries of a run until there are more
/// than a few. For longer runs the sample tells which share of the records they hold.
struct RowEstimator: ~Escapable {
    private let scope: ReadContext
    let type: OpenType
    /// The number of records.
    let total: Int
    /// What finding a record by its key costs, as ``PlanCost`` counts.
    let fetchCost: Double
    /// A walk that is known to be longer than a dive.
    private let longWalk: EqualityLookup.LongWalk?
    private var state: SampleState?
    private var isStateRead = false

    /// A dive counts so many entries at most: about what finding them costs when they are fetched.
    static let maximumDive = 32
    /// So many runs of keys are looked at; the others are taken to be like them.
    private static let maximumRanges = 16

    /// So many records of the sample are tested.
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

    /// How many entries a candidate's runs of keys hold.
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

    /// The number of entries, nil when there are more than a few.
    private func dive(_ ranges: [KeyRange], _ database: LMDBDatabase) throws(LMDBError) -> Int? {
        guard ranges.count <= Self.maximumRanges else { return nil }
        var cursor = try scope.snapshot.openCursor(database)
        var count = 0
        for range in ranges {
            guard try Self.count(range, &cursor, into: &count, limit: Self.maximumDive) else { return nil }
        }
        return count
    }

    /// Counts the entries of a run; false when they are more than `limit`.
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

    /// What the sample says; nil without one.
    private mutating func sample(_ ranges: [KeyRange], _ index: UInt32) throws(LMDBError) -> RowEstimate? {
        guard let database = scope.state.databases.statistics else { return nil }
        if !isStateRead {
            state = try RecordSample.state(of: type.type.id, database, scope.snapshot)
            isStateRead = true
        }
        guard let state, state.count > 0 else { return nil }
        var prefix = ByteWriter(capacity: 16)
        SampleKey.appendPrefix(type: type.type.id, index: index, to: &prefix)
        // Evenly spread over all.
        let step = Swift.max(1, ranges.count / Self.maximumRanges)
        var cursor = try scope.snapshot.openCursor(database)
        var (hits, looked) = (0, 0)
        for number in stride(from: 0, to: ranges.count, by: step) {
            _ = try Self.count(ranges[number].behind(prefix.array()), &cursor, into: &hits, limit: .max)
            looked += 1
        }
        let share = Double(hits) / Double(state.count) * Double(ranges.count) / Double(Swift.max(looked, 1))
        // A dive has found more than a few: where the sample saw none, there are fewer than one sampled record stands for.
        let least = Swift.min(Double(Self.maximumDive), Double(total))
        let unseen = Double(total) / Double(state.count) / 2
        let rows = hits == 0 ? unseen : share * Double(total)
        return RowEstimate(rows: Swift.min(Swift.max(rows, least), Double(total)), source: .sampled)
    }

    /// The share of records that meet a condition, by records of the sample; nil where there is none.
    mutating func sampledShare(_ filter: CompiledCondition) throws(StoreError) -> Double? {
        guard let database = scope.state.databases.statistics else { return nil }
        var prefix = ByteWriter(capacity: 16)
        SampleKey.appendPrefix(type: type.type.id, index: SampleKey.records, to: &prefix)
        var (hits, looked) = (0, 0)
        do {
            var cursor = try scope.snapshot.openCursor(database)
            var isPositioned = try cursor.seek(atLeast: prefix.bytes)
            while isPositioned, cursor.key.extracting(first: prefix.count).isEqual(to: prefix.bytes) {
                // Every fourth or so, so that they come from all over the range of keys.
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
            // A damaged record is found by who reads it, not by who estimates.
            return nil
        }
        // None of so many may still be a few of all.
        return looked == 0 ? nil : (Double(hits) + 0.5) / (Double(looked) + 1)
    }

    private func meets(_ recordKey: RawSpan, _ filter: CompiledCondition) throws -> Bool {
        guard let bytes = try scope.value(type.database, key: recordKey) else { return false }
        let record = try RecordBytes(unverified: bytes)
        return try type.withNewest(record) { (newest) throws(CodecError) in try filter.holds(newest.table) }
    }

    // So small that an index is preferred to a walk over all, as there is no evidence against it.
    private func guess(_ candidate: PathCandidate) -> Double {
        let share = candidate.fixedCount > 0 ? 0.01 : 0.05
        let parts = Double(Swift.max(1, candidate.boundCount))
        return Swift.min(Double(total), Swift.max(Double(Self.maximumDive), Double(total) * share / parts))
    }
}
