import LMDB

/// Walks the records that answer a request, in order. Support for fetching; nothing to use directly.
@safe
@usableFromInline
struct FetchCursor: ~Copyable, ~Escapable {
    @usableFromInline let scope: ReadContext
    let type: OpenType
    private let planned: PlannedRequest
    private let newestVersion: UInt32
    // This and `pending` are seen in this file alone: Swift 6.3.1 fails on a copy of them in others ("a compiler bug").
    private var walker: RangeWalker
    /// Whether several paths are walked, and what they lead to put together first.
    private let isOfSeveralWalks: Bool
    /// Whether `walker` walks an index, and not the records.
    private let isIndexWalk: Bool
    /// The bytes of a key up to which it tells the order that is asked for; the whole of it where none is.
    let orderedByteCount: Int
    /// What each record must still meet.
    var filter: CompiledCondition?
    /// Records to go through before the walk goes on.
    private var pending: RecordLookup
    private var nextPending = 0
    /// How many entries of an index are read next before the first of their records is.
    private var readAhead: Int
    /// Whether the walk is at an entry already that is next, and has a truncated key.
    private var isBeforeGroup = false
    /// Whether the record that the walk is at came from `pending`.
    private var isAtPending = false
    /// Whether `pending` holds all that is left.
    var isGathered: Bool
    /// How many entries were walked before, to find their keys.
    private let gatheredCount: Int
    /// Whether what is pending was tested before.
    var isTested = false
    var isSorted = false
    private var toSkip: Int
    private var remaining: Int
    @usableFromInline var currentKey: RawSpan
    @usableFromInline var currentRecord: RawSpan
    /// The bytes of `currentRecord` where it was stored in the form of an earlier version.
    private var upgraded: [UInt8] = []
    /// What the plan's cover took from the entry that the walk is at.
    private var covered = CoveredFields()
    /// The rows that were found already, where each counts once.
    private var rows = DistinctRows()
    /// What was done so far.
    var counts = FetchCounts()
    /// How much memory the keys of an intersection or a union may take.
    let keyByteLimit: Int

    /// - Parameter keyByteLimit: how much memory the keys of an intersection or a union may take; all records are walked instead
    ///   of more.
    @_lifetime(copy scope)
    init(
        _ scope: ReadContext, _ planned: PlannedRequest, keyByteLimit: Int = 64 << 20
    ) throws(StoreError) {
        self.scope = scope
        type = planned.type
        self.planned = planned
        newestVersion = type.type.version
        // Not last: Swift 6.3.1 releases what was there before, which is nothing yet, where the last property to be set is this one.
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
            // Used when the keys are too many to hold.
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
        // Who sets no limit may stop early.
        readAhead = planned.plan.limit == nil && !planned.plan.needsSort ? 2 : FoundValues.capacity
        toSkip = planned.plan.offset
        remaining = planned.plan.limit ?? .max
        currentKey = unsafe _overrideLifetime(RawSpan(), copying: scope)
        currentRecord = unsafe _overrideLifetime(RawSpan(), copying: scope)
    }

    var plan: Plan { planned.plan }
    private var cover: IndexCover? { planned.cover }
    private var needsRecords: Bool { planned.needsRecords }

    /// How many records the cursor will come to at most, where that is known; else 0.
    @usableFromInline var knownCount: Int { Swift.min(gatheredCount, remaining) }

    /// Goes to the next record; false at the end.
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

    /// Goes to the end, to count.
    @_lifetime(self: copy self)
    mutating func skipAll() throws(StoreError) {
        let isPlain = hasPlainWalk && plan.distinct == nil && !plan.needsSort
        if isPlain, plan.limit == nil, plan.offset == 0 {
            counts.returned += try walker.countRest()
            return
        }
        while try advance() {}
    }

    /// What was done so far.
    var done: FetchCounts {
        var result = counts
        if !isOfSeveralWalks { result.walked = [walker.count + gatheredCount] }
        return result
    }

    /// How many entries were looked at, those of other types included.
    var scannedCount: Int {
        done.walked.reduce(counts.lookedUp, +) + (counts.isWalkOfAll ? walker.count : 0)
    }

    /// The bytes of the record that the walk is at, whose checksum is not checked yet.
    var record: RawSpan {
        @_lifetime(copy self)
        get { currentRecord }
    }

    /// The key of the record that the walk is at.
    var recordKey: RawSpan {
        @_lifetime(copy self)
        get { currentKey }
    }

    /// The record that the walk is at.
    @inlinable
    func decoded<R: Record>(_ binding: TypedBinding) throws(StoreError) -> R {
        try scope.decoded(currentRecord, key: currentKey, binding)
    }

    /// The error for the record that the walk is at.
    @usableFromInline
    func damage(_ error: CodecError) -> StoreError { scope.damage(type, key: currentKey, error) }

    /// The error for one that was met while the record that the walk is at was read, or one that it refers to.
    func failed(_ error: any Error) -> StoreError {
        StoreError(reading: error, at: "the record of \(type.name) under the key \(HexText.of(currentKey))")
    }

    /// The fields of the record that the walk is at.
    ///
    /// - Parameter verifying: whether the record's checksum is compared, which reads all of it.
    @usableFromInline
    @_lifetime(copy self)
    func decoder(_ binding: TypedBinding, verifying: Bool = true) throws(StoreError) -> FieldDecoder {
        try scope.decoder(currentRecord, key: currentKey, binding, verifying: verifying)
    }

    /// The values of some fields of the record that the walk is at.
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
            throw damage(error)
        }
    }

    /// Takes the fields of interest of the record that the walk is at from the walked index.
    ///
    /// - Returns: false where the record must be read.
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

    /// The fields that ``readCovered()`` took.
    @usableFromInline var coveredFields: FieldDecoder {
        @_lifetime(borrow self)
        borrowing get throws(CodecError) { FieldDecoder(try FieldTable(covered.tableBytes), slots: cover?.slots) }
    }

    private func entryDamage(_ error: CodecError) -> StoreError {
        StoreError(error, at: "an entry of an index of \(type.name)")
    }

    /// Whether filters let the record through that the walk is at; nil lets all through.
    func passes(_ filters: FeedFilters?) throws(StoreError) -> Bool {
        guard let filters else { return true }
        do {
            // With its checksum: a damaged record must not be left out in silence.
            return try filters.pass(RecordBytes(currentRecord), of: type)
        } catch {
            throw damage(error)
        }
    }

    /// Reads the record that the walk is at, where it was not read to find it.
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

    /// Whether the next entries of one walk lead to just the records that are wanted.
    var hasPlainWalk: Bool {
        !isOfSeveralWalks && filter == nil && plan.position == nil && !isGathered && nextPending == pending.count
    }

    /// Goes to the next record that meets the condition.
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

    /// Whether the record meets what the source does not say.
    private func isWanted() throws(StoreError) -> Bool {
        do {
            let table = try RecordBytes(unverified: currentRecord).table
            if let filter, try !filter.holds(table) { return false }
            return try plan.position?.precedes(table, currentKey, of: type, plan.order, in: scope) ?? true
        } catch {
            throw failed(error)
        }
    }

    /// Whether there was no row before that is equal to the one of the record that the walk is at.
    private mutating func isNew(_ distinct: DistinctFields) throws(StoreError) -> Bool {
        let row = try key(distinct.key)
        return rows.insert(row, onlyLast: distinct.areNeighbours)
    }

    /// Where the record that the walk is at stands in the order of a request.
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

    /// Goes to the next entry of the path, and to its record.
    @_lifetime(self: copy self)
    mutating func step() throws(StoreError) -> Bool {
        if isBeforeGroup {
            isBeforeGroup = false
        } else {
            guard try walker.advance() else { return false }
        }
        // Freed from the walker at once, which would be copied for as long as the key is borrowed from it.
        let key = unsafe _overrideLifetime(walker.key, copying: scope)
        // An index entry's own record key may stand behind its value part.
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

    /// Whether the keys of some entries are gathered before their records, which are looked up together then.
    var readsAhead: Bool { isIndexWalk && cover == nil }

    /// Takes the keys of the entries from the one that the walk is at: few at first where who asks may stop, and no more than are
    /// wanted, so that hardly one is read in vain.
    @_lifetime(self: copy self)
    private mutating func gatherAhead() throws(StoreError) {
        let (wanted, isAll) = remaining.addingReportingOverflow(toSkip)
        // Where many are left out, some more than are wanted.
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

    /// Takes the keys of all entries that begin as the one that the walk is at, and puts their records in order: what follows
    /// the beginning may be a hash.
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

    /// Makes a stored record the one that the walk is at, in the form of the newest version.
    @_lifetime(self: copy self)
    private mutating func take(_ record: RawSpan) throws(StoreError) {
        counts.fetched += 1
        do {
            let version = try RecordBytes.schemaVersion(of: record)
            guard version != newestVersion, let upgrade = try type.upgrade(fromVersion: version) else {
                unsafe currentRecord = _overrideLifetime(record, copying: scope)
                return
            }
            // The new form has a checksum of its own, so the old one is checked here.
            upgraded = try upgrade.apply(to: RecordBytes(record))
            unsafe currentRecord = _overrideLifetime(upgraded.span.bytes, copying: scope)
        } catch {
            throw damage(error)
        }
    }

    /// Goes on with other keys.
    @_lifetime(self: copy self)
    mutating func setPending(_ keys: RecordKeyList) {
        pending.take(keys)
        nextPending = 0
    }

    /// How many keys there are to go through.
    var pendingCount: Int { pending.count }

    /// Whether a key that is pending may be truncated.
    var mayPendingBeTruncated: Bool { pending.mayBeTruncated }

    @_lifetime(self: copy self)
    mutating func fetchPending(_ index: Int) throws(StoreError) {
        let record = try unsafe _overrideLifetime(pending.record(index), copying: scope)
        // The bytes stay where they are for as long as `pending` holds them: until the next group is gathered.
        currentKey = unsafe _overrideLifetime(pending.key(index), copying: scope)
        try take(record)
    }
}
