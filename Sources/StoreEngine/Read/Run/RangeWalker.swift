import LMDB

/// Walks the entries of a database whose keys lie in some runs, from their first or from their last.
@safe
struct RangeWalker: ~Copyable, ~Escapable {
    private let scope: ReadContext
    private let database: LMDBDatabase
    private var cursor: LMDBCursor
    private let ranges: [KeyRange]
    private let isBackward: Bool
    /// The range that is walked, counted in the direction of the walk; nil before the first.
    private var range: Int?
    /// Where that range ends, if it does: its first key when walked backward, else the first key behind it.
    private var end = ByteWriter(capacity: 0)
    private var hasEnd = false
    /// How many entries the walk has come to.
    private(set) var count = 0

    @_lifetime(copy scope)
    init(
        _ scope: ReadContext, _ database: LMDBDatabase, _ ranges: KeyRanges, isBackward: Bool = false
    ) throws(StoreError) {
        do {
            cursor = try scope.snapshot.openCursor(database)
        } catch {
            throw StoreError(error)
        }
        self.scope = scope
        self.database = database
        self.ranges = ranges.ranges
        self.isBackward = isBackward
    }

    /// The key of the entry that the walk is at.
    var key: RawSpan {
        @_lifetime(borrow self)
        borrowing get { cursor.key }
    }

    /// The value of the entry that the walk is at.
    var value: RawSpan {
        @_lifetime(borrow self)
        borrowing get { cursor.value }
    }

    /// The key of the record that the walk is at an index entry of.
    @_lifetime(borrow self)
    func recordKey(of type: OpenType) throws(StoreError) -> RawSpan {
        do {
            return try IndexEntry.recordKey(key: cursor.key, data: cursor.value)
        } catch {
            throw StoreError(error, at: "an entry of an index of \(type.name)")
        }
    }

    /// Goes to the next entry; false at the end.
    @_lifetime(self: copy self)
    mutating func advance() throws(StoreError) -> Bool {
        do {
            if let range, range < ranges.count {
                let isPositioned = isBackward ? try cursor.previous() : try cursor.next()
                // Inside of a call of its own this would copy the cursor for each entry.
                if isPositioned, !hasEnd || Self.isInside(cursor.key, end, isBackward) {
                    count += 1
                    return true
                }
            }
            guard try enterNextRange() else { return false }
            count += 1
            return true
        } catch {
            throw StoreError(error)
        }
    }

    /// Counts the entries from here to the end of the walk, without looking at them.
    @_lifetime(self: copy self)
    mutating func countRest() throws(StoreError) -> Int {
        assert(!isBackward, "entries are counted forward")
        let before = count
        while try advance() {
            do {
                // Where the run ends is looked up once; until then no key is compared.
                count += try cursor.skip(to: lastAddress())
            } catch {
                throw StoreError(error)
            }
        }
        return count - before
    }

    /// Where the last entry of the range that is walked forward lies.
    private func lastAddress() throws(LMDBError) -> UInt {
        var other = try scope.snapshot.openCursor(database)
        if hasEnd {
            _ = try other.seek(atLeast: end.bytes)
            _ = try other.previous()
        } else {
            _ = try other.last()
        }
        return other.address
    }

    /// Undoes a move.
    @_lifetime(self: copy self)
    mutating func stepBack() throws(StoreError) {
        do {
            _ = isBackward ? try cursor.next() : try cursor.previous()
            count -= 1
        } catch {
            throw StoreError(error)
        }
    }

    @_lifetime(self: copy self)
    private mutating func enterNextRange() throws(LMDBError) -> Bool {
        var next = range.map { $0 + 1 } ?? 0
        while next < ranges.count {
            range = next
            let bounds = isBackward ? ranges[ranges.count - 1 - next] : ranges[next]
            end.removeAll()
            hasEnd = isBackward || bounds.upper != nil
            end.append(isBackward ? bounds.lower : bounds.upper ?? [])
            if try enter(bounds), !hasEnd || Self.isInside(cursor.key, end, isBackward) { return true }
            next += 1
        }
        range = ranges.count
        return false
    }

    @_lifetime(self: copy self)
    private mutating func enter(_ bounds: KeyRange) throws(LMDBError) -> Bool {
        if isBackward {
            guard let upper = bounds.upper else { return try cursor.last() }
            // The last before the end: one back from the first that is not before it.
            _ = try unsafe cursor.seek(atLeast: upper.span.bytes)
            return try cursor.previous()
        }
        return bounds.lower.isEmpty ? try cursor.first() : try unsafe cursor.seek(atLeast: bounds.lower.span.bytes)
    }

    private static func isInside(_ key: RawSpan, _ end: borrowing ByteWriter, _ isBackward: Bool) -> Bool {
        let order = key.compared(to: end.bytes)
        return isBackward ? order >= 0 : order < 0
    }
}
