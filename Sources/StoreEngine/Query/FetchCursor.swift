import LMDB

/// Walks the records that answer a request, in order. Support for fetching; nothing to use directly.
@safe
@usableFromInline
struct FetchCursor: ~Copyable, ~Escapable {
    private let scope: ReadingScope
    private let type: OpenType
    private let plan: Plan
    private var cursor: LMDBCursor
    /// The range that is walked, counted in the direction of the walk; nil before the first.
    private var range: Int?
    /// Keys of records to go through before the walk goes on.
    private var pending: [[UInt8]] = []
    private var nextPending = 0
    private var isSorted = false
    private var toSkip: Int
    private var remaining: Int
    private var currentKey: RawSpan
    private var currentRecord: RawSpan
    /// The bytes of `currentRecord` where it was stored in the form of an earlier version.
    private var upgraded: [UInt8] = []
    /// Whether the bytes of the records are of interest; without, entries of an index are enough to count.
    private let needsRecords: Bool
    /// How many entries were looked at.
    private(set) var scannedCount = 0

    @_lifetime(copy scope)
    init(_ scope: ReadingScope, type: OpenType, plan: Plan, needsRecords: Bool = true) throws(StoreError) {
        self.scope = scope
        self.needsRecords = needsRecords || plan.filter != nil || plan.needsSort
        self.type = type
        self.plan = plan
        let database =
            switch plan.path {
            case .records: type.database
            case .index(let place): type.indexes[place].database
            }
        do {
            cursor = try scope.snapshot.openCursor(database)
        } catch {
            throw StoreError(error)
        }
        toSkip = plan.offset
        remaining = plan.limit ?? .max
        currentKey = unsafe _overrideLifetime(RawSpan(), copying: scope)
        currentRecord = unsafe _overrideLifetime(RawSpan(), copying: scope)
    }

    /// Goes to the next record; false at the end.
    @usableFromInline
    mutating func advance() throws(StoreError) -> Bool {
        guard remaining > 0 else { return false }
        if plan.needsSort, !isSorted { try sort() }
        while try find() {
            if toSkip > 0 {
                toSkip -= 1
                continue
            }
            remaining -= 1
            return true
        }
        return false
    }

    /// The bytes of the record that the walk is at, whose checksum is not checked yet.
    var record: RawSpan {
        @_lifetime(copy self)
        get { currentRecord }
    }

    /// The error for the record that the walk is at.
    @usableFromInline
    func damage(_ error: CodecError) -> StoreError { scope.damage(type, key: currentKey, error) }

    /// The fields of the record that the walk is at, its checksum checked.
    @usableFromInline
    @_lifetime(copy self)
    func decoder(_ binding: TypedBinding) throws(StoreError) -> FieldDecoder {
        do {
            return try scope.decoder(binding, record: currentRecord, verifying: true)
        } catch {
            throw damage(error)
        }
    }

    /// Goes to the next record that meets the condition.
    private mutating func find() throws(StoreError) -> Bool {
        while true {
            if nextPending < pending.count {
                nextPending += 1
                try fetchPending(nextPending - 1)
                // What was sorted was tested before.
                if isSorted { return true }
            } else if isSorted {
                return false
            } else {
                guard try step() else { return false }
                if nextPending < pending.count { continue }
            }
            guard let filter = plan.filter else { return true }
            do {
                let record = try RecordBytes(unverified: currentRecord)
                if try filter.holds(record.table, nil) { return true }
            } catch {
                throw damage(error)
            }
        }
    }

    /// Goes to the next entry of the path, and to its record.
    private mutating func step() throws(StoreError) -> Bool {
        guard try moveEntry() else { return false }
        scannedCount += 1
        guard needsRecords else { return true }
        guard case .index = plan.path else {
            unsafe currentKey = _overrideLifetime(cursor.key, copying: scope)
            try take(unsafe _overrideLifetime(cursor.value, copying: scope))
            return true
        }
        if !plan.order.isEmpty, !plan.needsSort, let prefix = try truncatedPrefix() {
            try gather(prefix)
            return true
        }
        let key = try unsafe _overrideLifetime(recordKeyOfEntry(), copying: scope)
        try fetch(key)
        return true
    }

    @_lifetime(borrow self)
    private func recordKeyOfEntry() throws(StoreError) -> RawSpan {
        do {
            return try IndexEntry.recordKey(key: cursor.key, data: cursor.value)
        } catch {
            throw StoreError(error, at: "an entry of an index of \(type.name)")
        }
    }

    private mutating func fetch(_ key: RawSpan) throws(StoreError) {
        guard let record = try scope.value(type.database, key: key) else {
            throw scope.damage(type, key: key, CodecError("an index leads to it, but it is not there"))
        }
        unsafe currentKey = _overrideLifetime(key, copying: scope)
        try take(record)
    }

    /// Makes a stored record the one that the walk is at, in the form of the newest version.
    private mutating func take(_ record: RawSpan) throws(StoreError) {
        do {
            let version = try RecordBytes(unverified: record).schemaVersion
            guard let upgrade = try type.upgrade(fromVersion: version) else {
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

    private mutating func fetchPending(_ index: Int) throws(StoreError) {
        // The bytes stay where they are for as long as `pending` holds them: until the next group is gathered.
        let bytes = unsafe pending[index].withUnsafeBytes { unsafe $0 }
        try fetch(unsafe _overrideLifetime(RawSpan(_unsafeBytes: bytes), copying: scope))
    }

    // MARK: Ranges

    private mutating func moveEntry() throws(StoreError) -> Bool {
        do {
            if let range {
                let isPositioned = plan.isBackward ? try cursor.previous() : try cursor.next()
                if isPositioned, isInside(range) { return true }
            }
            return try enterNextRange()
        } catch {
            throw StoreError(error)
        }
    }

    private mutating func enterNextRange() throws(LMDBError) -> Bool {
        var next = range.map { $0 + 1 } ?? 0
        while next < plan.ranges.ranges.count {
            range = next
            let bounds = bounds(next)
            let isPositioned: Bool
            if plan.isBackward {
                if let upper = bounds.upper {
                    // The last before the end: one back from the first that is not before it.
                    _ = try unsafe cursor.seek(atLeast: upper.span.bytes)
                    isPositioned = try cursor.previous()
                } else {
                    isPositioned = try cursor.last()
                }
            } else if bounds.lower.isEmpty {
                isPositioned = try cursor.first()
            } else {
                isPositioned = try unsafe cursor.seek(atLeast: bounds.lower.span.bytes)
            }
            if isPositioned, isInside(next) { return true }
            next += 1
        }
        range = plan.ranges.ranges.count
        return false
    }

    private func bounds(_ index: Int) -> KeyRange {
        let ranges = plan.ranges.ranges
        return plan.isBackward ? ranges[ranges.count - 1 - index] : ranges[index]
    }

    private func isInside(_ index: Int) -> Bool {
        guard index < plan.ranges.ranges.count else { return false }
        let bounds = bounds(index)
        if plan.isBackward { return unsafe cursor.key.compared(to: bounds.lower.span.bytes) >= 0 }
        guard let upper = bounds.upper else { return true }
        return unsafe cursor.key.compared(to: upper.span.bytes) < 0
    }

    // MARK: Order

    /// Finds all, and puts their keys in order.
    private mutating func sort() throws(StoreError) {
        let wanted = plan.limit.map { $0.addingReportingOverflow(plan.offset) }
        let capacity = wanted.map { $0.overflow ? Int.max : $0.partialValue } ?? .max
        var found = SortedKeys(capacity: capacity, isIDDescending: plan.order.last?.isDescending ?? false)
        var sortKey = ByteWriter(capacity: 64)
        while try find() {
            try makeSortKey(&sortKey)
            found.add(sortKey: sortKey, recordKey: currentKey)
        }
        pending = found.finish()
        nextPending = 0
        isSorted = true
    }

    private func makeSortKey(_ sortKey: inout ByteWriter) throws(StoreError) {
        sortKey.removeAll()
        do {
            let record = try RecordBytes(unverified: currentRecord)
            let table = try record.table
            for place in plan.order.indices { try plan.order[place].append(table, nil, to: &sortKey) }
        } catch {
            throw damage(error)
        }
    }

    /// The part that all entries share which the entry may be out of order with, because long values are truncated.
    private func truncatedPrefix() throws(StoreError) -> [UInt8]? {
        let kept = KeyLimit.indexValue - KeyLimit.hashByteCount
        // An entry's own record key may stand behind its value part.
        guard cursor.key.byteCount >= kept else { return nil }
        return cursor.key.extracting(first: kept).array()
    }

    /// Puts the records of all entries that begin with `prefix` in order.
    private mutating func gather(_ prefix: [UInt8]) throws(StoreError) {
        var found = SortedKeys(capacity: .max, isIDDescending: plan.order.last?.isDescending ?? false)
        var sortKey = ByteWriter(capacity: 512)
        while true {
            let key = try unsafe _overrideLifetime(recordKeyOfEntry(), copying: scope)
            try fetch(key)
            try makeSortKey(&sortKey)
            found.add(sortKey: sortKey, recordKey: key)
            guard try moveEntry() else { break }
            guard unsafe cursor.key.extracting(first: prefix.count).isEqual(to: prefix.span.bytes) else {
                try stepBack()
                break
            }
            scannedCount += 1
        }
        pending = found.finish()
        nextPending = 0
    }

    /// Undoes a move that went past a group.
    private mutating func stepBack() throws(StoreError) {
        do {
            _ = plan.isBackward ? try cursor.next() : try cursor.previous()
        } catch {
            throw StoreError(error)
        }
    }
}
