import LMDB

/// Walks the records that answer a request, in order. Supports fetching; do not use it directly.
@safe
@usableFromInline
struct FetchCursor: ~Copyable, ~Escapable {
    @usableFromInline let scope: ReadContext
    let type: OpenType
    private let planned: PlannedRequest
    private let newestVersion: UInt32
    // `walker` and `pending` are private because Swift 6.3.1 reports a compiler bug (a failed copy) where other files use them.
    private var walker: RangeWalker
    /// Whether the plan has several paths. Their keys are combined before the walk.
    private let isOfSeveralWalks: Bool
    /// Whether `walker` walks an index, and not the records.
    private let isIndexWalk: Bool
    /// The number of leading key bytes that give the requested order. A key that is at least as long may be truncated. `Int.max`
    /// where the walk does not give an order.
    let orderedByteCount: Int
    /// The condition that each record must still meet.
    var filter: CompiledCondition?
    /// Records to return before the walk continues.
    private var pending: RecordLookup
    private var nextPending = 0
    /// The number of index entries to read next before reading the first of their records.
    private var readAhead: Int
    /// Whether the walk has already moved to the next entry, which has a truncated key.
    private var isBeforeGroup = false
    /// Whether the current record came from `pending`.
    private var isAtPending = false
    /// Whether `pending` holds all remaining records.
    var isGathered: Bool
    /// The number of entries that the planner walked to find the keys.
    private let gatheredCount: Int
    /// Whether the pending records have already been tested.
    var isTested = false
    var isSorted = false
    private var toSkip: Int
    private var remaining: Int
    @usableFromInline var currentKey: RawSpan
    @usableFromInline var currentRecord: RawSpan
    /// The bytes of `currentRecord` where it was stored in the form of an earlier version.
    private var upgraded: [UInt8] = []
    /// The fields that the plan's cover read from the current entry.
    private var covered = CoveredFields()
    /// The rows returned so far, for a request that returns each distinct row once.
    private var rows = DistinctRows()
    /// The work done so far.
    var counts = FetchCounts()
    /// The memory limit in bytes for the keys of an intersection or a union.
    let keyByteLimit: Int

    /// - Parameter keyByteLimit: the memory limit in bytes for the keys of an intersection or a union. Beyond it, the cursor
    ///   walks all records instead.
    @_lifetime(copy scope)
    init(
        _ scope: ReadContext, _ planned: PlannedRequest, keyByteLimit: Int = 64 << 20
    ) throws(StoreError) {
        self.scope = scope
        type = planned.type
        self.planned = planned
        newestVersion = type.type.version
        // `pending` must not be the last property to be set: Swift 6.3.1 would then release its previous value, and there is none
        // yet.
        if case .keys(let keys) = planned.plan.source {
            (isGathered, gatheredCount) = (true, keys.count)
            pending = RecordLookup(scope, type, keys)
        } else {
            (isGathered, gatheredCount) = (false, 0)
            pending = RecordLookup(scope, type)
        }
        self.keyByteLimit = keyByteLimit
        filter = planned.plan.filter
        switch planned.plan.source {
        case .walk(let walk):
            let database = type.database(ofIndex: walk.indexNumber)
            walker = try RangeWalker(scope, database, walk.ranges, isBackward: planned.plan.isBackward)
            isOfSeveralWalks = false
            isIndexWalk = walk.indexNumber != nil
        case .intersection(let walks), .union(let walks):
            // Used when the keys exceed their memory limit.
            walker = try RangeWalker(scope, type.database, .all, isBackward: planned.plan.isBackward)
            isOfSeveralWalks = true
            isIndexWalk = false
            counts.walked = Array(repeating: 0, count: walks.count)
        case .keys:
            walker = try RangeWalker(scope, type.database, .none)
            isOfSeveralWalks = false
            isIndexWalk = false
        }
        if planned.plan.order.isEmpty || planned.plan.needsSort {
            orderedByteCount = .max
        } else {
            orderedByteCount = isIndexWalk ? KeyLimit.indexValueBeginning : KeyLimit.recordKeyBeginning
        }
        counts.lookedUp = planned.lookedUp
        // A caller without a limit may stop early.
        readAhead = planned.plan.limit == nil && !planned.plan.needsSort ? 2 : FoundValues.capacity
        toSkip = planned.plan.offset
        remaining = planned.plan.limit ?? .max
        currentKey = unsafe _overrideLifetime(RawSpan(), copying: scope)
        currentRecord = unsafe _overrideLifetime(RawSpan(), copying: scope)
    }

    var plan: Plan { planned.plan }
    private var cover: IndexCover? { planned.cover }
    private var needsRecords: Bool { planned.needsRecords }

    /// The most records that the cursor will return, where that is known; otherwise 0.
    @usableFromInline var knownCount: Int { Swift.min(gatheredCount, remaining) }

    /// Moves to the next record; returns false at the end.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func advance() throws(StoreError) -> Bool {
        guard remaining > 0 else { return false }
        if plan.needsSort, !isSorted { try sort() }
        while try find() {
            if let distinct = plan.distinct, try !isNew(distinct) { continue }
            if toSkip > 0 {
                toSkip -= 1
                continue
            }
            remaining -= 1
            counts.returned += 1
            return true
        }
        return false
    }

    /// Moves to the end, to count the records.
    @_lifetime(self: copy self)
    mutating func skipAll() throws(StoreError) {
        let isPlain = hasPlainWalk && plan.distinct == nil && !plan.needsSort
        if isPlain, plan.limit == nil, plan.offset == 0 {
            counts.returned += try walker.countRest()
            return
        }
        while try advance() {}
    }

    /// The work done so far.
    var done: FetchCounts {
        var result = counts
        if !isOfSeveralWalks { result.walked = [walker.count + gatheredCount] }
        return result
    }

    /// The number of entries read, including those of other types.
    var scannedCount: Int {
        done.walked.reduce(counts.lookedUp, +) + (counts.isWalkOfAll ? walker.count : 0)
    }

    /// The bytes of the current record. The checksum is not checked yet.
    var record: RawSpan {
        @_lifetime(copy self)
        get { currentRecord }
    }

    /// The key of the current record.
    var recordKey: RawSpan {
        @_lifetime(copy self)
        get { currentKey }
    }

    /// Decodes the current record.
    @inlinable
    func decoded<R: Record>(_ binding: TypedBinding) throws(StoreError) -> R {
        try scope.decoded(currentRecord, key: currentKey, binding)
    }

    /// Returns the error for a current record that cannot be decoded.
    @usableFromInline
    func unreadable(_ error: CodecError) -> StoreError { scope.unreadable(type, key: currentKey, error) }

    /// Returns the error for a current record of which the Swift type's fields cannot be decoded.
    @usableFromInline
    func unreadable(_ error: CodecError, _ binding: TypedBinding) -> StoreError { unreadable(binding.naming(error)) }

    /// Returns the error for a failure while reading the current record or a record that it refers to.
    func failed(_ error: any Error) -> StoreError {
        StoreError(reading: error, at: "the record of \(type.name) under the key \(HexText.of(currentKey))")
    }

    /// Returns a decoder for the fields of the current record.
    ///
    /// - Parameter verifying: whether to check the record's checksum, which reads the whole record.
    @usableFromInline
    @_lifetime(copy self)
    func decoder(_ binding: TypedBinding, verifying: Bool = true) throws(StoreError) -> FieldDecoder {
        try scope.decoder(currentRecord, key: currentKey, binding, verifying: verifying)
    }

    /// Returns the values of some fields of the current record.
    @_lifetime(self: copy self)
    mutating func values(_ fieldIndexes: [Int]) throws(StoreError) -> [DynamicValue] {
        if let cover, try readCovered() {
            do {
                return try cover.values(FieldTable(covered.tableBytes))
            } catch {
                throw entryDamage(error)
            }
        }
        try load()
        do {
            let table = try RecordBytes(currentRecord).table
            var values: [DynamicValue] = []
            for fieldIndex in fieldIndexes {
                values.append(try DynamicValue(from: table.field(fieldIndex), as: type.type.fields[fieldIndex].type))
            }
            return values
        } catch {
            throw unreadable(error)
        }
    }

    /// Reads the requested fields of the current record from the walked index.
    ///
    /// - Returns: false where the record itself must be read.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func readCovered() throws(StoreError) -> Bool {
        guard let cover, !isAtPending, !needsRecords else { return false }
        do {
            return try cover.decode(
                key: unsafe _overrideLifetime(walker.key, copying: scope),
                data: unsafe _overrideLifetime(walker.value, copying: scope), to: &covered)
        } catch {
            throw entryDamage(error)
        }
    }

    /// A decoder for the fields that ``readCovered()`` read.
    @usableFromInline var coveredFields: FieldDecoder {
        @_lifetime(borrow self)
        borrowing get throws(CodecError) { FieldDecoder(try FieldTable(covered.tableBytes), slots: cover?.slots) }
    }

    @usableFromInline
    func entryDamage(_ error: CodecError) -> StoreError {
        StoreError(error, at: "an entry of an index of \(type.name)")
    }

    /// Whether the current record passes the filters; nil filters pass every record.
    func passes(_ filters: FeedFilters?) throws(StoreError) -> Bool {
        guard let filters else { return true }
        do {
            // This checks the checksum, so that a filter never drops a damaged record silently.
            return try filters.pass(RecordBytes(currentRecord), of: type)
        } catch {
            throw unreadable(error)
        }
    }

    /// Reads the current record, where finding it did not read it.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func load() throws(StoreError) {
        if needsRecords { return }
        if isAtPending {
            try fetchPending(nextPending - 1)
        } else {
            try fetch(unsafe _overrideLifetime(walker.recordKey(of: type), copying: scope))
        }
    }

    /// Whether one walk remains and each of its entries leads to a wanted record, so that no record has to be tested.
    var hasPlainWalk: Bool {
        !isOfSeveralWalks && filter == nil && plan.position == nil && !isGathered && nextPending == pending.count
    }

    /// Moves to the next record that meets the condition.
    @_lifetime(self: copy self)
    mutating func find() throws(StoreError) -> Bool {
        if isOfSeveralWalks, !isGathered, !counts.isWalkOfAll { try gatherKeys() }
        while true {
            if nextPending < pending.count {
                nextPending += 1
                isAtPending = true
                if needsRecords { try fetchPending(nextPending - 1) }
                if isTested { return true }
            } else if isGathered {
                return false
            } else {
                isAtPending = false
                guard try step() else { return false }
                if nextPending < pending.count { continue }
            }
            if filter == nil, plan.position == nil { return true }
            counts.tested += 1
            if try isWanted() { break }
        }
        counts.passed += 1
        return true
    }

    /// Whether the record meets the part of the request that the source does not guarantee.
    private func isWanted() throws(StoreError) -> Bool {
        do {
            let table = try RecordBytes(unverified: currentRecord).table
            if let filter, try !filter.holds(table) { return false }
            return try plan.position?.precedes(table, currentKey, of: type, plan.order, in: scope) ?? true
        } catch {
            throw failed(error)
        }
    }

    /// Whether the row of the current record differs from all rows before it.
    private mutating func isNew(_ distinct: DistinctFields) throws(StoreError) -> Bool {
        let row = try key(distinct.key)
        return rows.insert(row, onlyLast: distinct.areNeighbours)
    }

    /// Returns the token for the current record's position in the order of a request.
    func pageToken(_ request: Request) throws(StoreError) -> PageToken {
        do {
            let table = try RecordBytes(unverified: currentRecord).table
            let order = try Planner.sortParts(request.order, type, scope.catalog)
            return try PageToken(
                request.fingerprint(type, in: scope.catalog), table, order: order, idParts: type.idParts, in: scope)
        } catch {
            throw failed(error)
        }
    }

    /// Moves to the next entry of the path, and to its record.
    @_lifetime(self: copy self)
    mutating func step() throws(StoreError) -> Bool {
        if isBeforeGroup {
            isBeforeGroup = false
        } else {
            guard try walker.advance() else { return false }
        }
        // Detach the key from the walker at once. Otherwise the walker is copied as long as the key is borrowed from it.
        let key = unsafe _overrideLifetime(walker.key, copying: scope)
        // In an index entry, the record key may follow the value part.
        if key.byteCount >= orderedByteCount {
            try gatherGroup()
            return true
        }
        guard needsRecords else { return true }
        guard isIndexWalk else {
            currentKey = key
            try take(unsafe _overrideLifetime(walker.value, copying: scope))
            return true
        }
        if readsAhead {
            try gatherAhead()
            return true
        }
        try fetch(unsafe _overrideLifetime(walker.recordKey(of: type), copying: scope))
        return true
    }

    /// Whether the cursor gathers the keys of several entries first and then looks their records up together.
    var readsAhead: Bool { isIndexWalk && cover == nil }

    /// Gathers the record keys of the next entries, beginning with the current one.
    ///
    /// If the caller may stop early, the first batch is small. No batch is larger than the request needs, so the cursor reads
    /// almost no record in vain.
    @_lifetime(self: copy self)
    private mutating func gatherAhead() throws(StoreError) {
        let (wanted, isAll) = remaining.addingReportingOverflow(toSkip)
        // If the filter rejects many records, more keys are needed than records are wanted.
        let needed = isAll || plan.needsSort ? .max : Swift.max(wanted, counts.tested / 4)
        let count = Swift.min(readAhead, needed)
        readAhead = Swift.min(2 * readAhead, FoundValues.capacity)
        var keys = RecordKeyList()
        repeat {
            keys.append(try walker.recordKey(of: type))
            guard keys.count < count, try walker.advance() else { break }
            isBeforeGroup = walker.key.byteCount >= orderedByteCount
        } while !isBeforeGroup
        setPending(keys)
    }

    /// Gathers the keys of all entries that have the same beginning as the current one, and sorts their records. The bytes after
    /// the beginning may be a hash, which gives no order.
    @_lifetime(self: copy self)
    private mutating func gatherGroup() throws(StoreError) {
        var keys = RecordKeyList()
        let beginning = walker.key.extracting(first: orderedByteCount).array()
        while true {
            if isIndexWalk {
                keys.append(try walker.recordKey(of: type))
            } else {
                keys.append(walker.key)
            }
            guard try walker.advance() else { break }
            guard unsafe walker.key.extracting(first: orderedByteCount).isEqual(to: beginning.span.bytes) else {
                try walker.stepBack()
                break
            }
        }
        setPending(keys)
        if pendingCount > 1, isIndexWalk || mayPendingBeTruncated { try sortPending() }
    }

    @_lifetime(self: copy self)
    private mutating func fetch(_ key: RawSpan) throws(StoreError) {
        let record = try scope.indexedRecord(type, key: key)
        unsafe currentKey = _overrideLifetime(key, copying: scope)
        try take(record)
    }

    /// Makes a stored record the current one, in the form of the newest version.
    @_lifetime(self: copy self)
    private mutating func take(_ record: RawSpan) throws(StoreError) {
        counts.fetched += 1
        do {
            let version = try RecordBytes.schemaVersion(of: record)
            guard version != newestVersion, let upgrade = try type.upgrade(fromVersion: version) else {
                unsafe currentRecord = _overrideLifetime(record, copying: scope)
                return
            }
            // The upgraded form has its own checksum, so the stored one is checked here.
            upgraded = try upgrade.apply(to: RecordBytes(record))
            unsafe currentRecord = _overrideLifetime(upgraded.span.bytes, copying: scope)
        } catch {
            throw unreadable(error)
        }
    }

    /// Continues with other keys.
    @_lifetime(self: copy self)
    mutating func setPending(_ keys: RecordKeyList) {
        pending.take(keys)
        nextPending = 0
    }

    /// The number of pending keys.
    var pendingCount: Int { pending.count }

    /// Whether a pending key may be truncated.
    var mayPendingBeTruncated: Bool { pending.mayBeTruncated }

    @_lifetime(self: copy self)
    mutating func fetchPending(_ index: Int) throws(StoreError) {
        let record = try unsafe _overrideLifetime(pending.record(index), copying: scope)
        // The bytes stay at their address as long as `pending` holds them: until the next group is gathered.
        currentKey = unsafe _overrideLifetime(pending.key(index), copying: scope)
        try take(record)
    }
}
