import LMDB

/// Walks the entries of a database whose keys lie in given ranges, forward or backward.
@safe
struct RangeWalker: ~Copyable, ~Escapable {
    private let scope: ReadContext
    private let database: LMDBDatabase
    private var cursor: LMDBCursor
    private let ranges: [KeyRange]
    private let isBackward: Bool
    /// The number of the current range, counted in the direction of the walk; nil before the first.
    private var range: Int?
    /// The end of the current range: its first key in a backward walk, otherwise the first key after it.
    private var end = ByteWriter(capacity: 0)
    private var hasEnd = false
    /// The number of entries that the walk has visited.
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

    /// The key of the current entry.
    var key: RawSpan {
        @_lifetime(borrow self)
        borrowing get { cursor.key }
    }

    /// The value of the current entry.
    var value: RawSpan {
        @_lifetime(borrow self)
        borrowing get { cursor.value }
    }

    /// Returns the record key of the current index entry.
    @_lifetime(borrow self)
    func recordKey(of type: OpenType) throws(StoreError) -> RawSpan {
        do {
            return try IndexEntry.recordKey(key: cursor.key, data: cursor.value)
        } catch {
            throw StoreError(error, at: "an entry of an index of \(type.name)")
        }
    }

    /// Moves to the next entry; returns false at the end.
    @_lifetime(self: copy self)
    mutating func advance() throws(StoreError) -> Bool {
        do {
            if let range, range < ranges.count {
                let isPositioned = isBackward ? try cursor.previous() : try cursor.next()
                // This check stays inline: in a method of its own it would copy the cursor for each entry.
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

    /// Counts the entries from the current one to the end of the walk, without reading them.
    @_lifetime(self: copy self)
    mutating func countRest() throws(StoreError) -> Int {
        assert(!isBackward, "entries are counted forward")
        let before = count
        while try advance() {
            do {
                // The end of a range is looked up once, so no key has to be compared before it.
                count += try cursor.skip(to: lastAddress())
            } catch {
                throw StoreError(error)
            }
        }
        return count - before
    }

    /// Returns the address of the last entry of the current range of a forward walk.
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

    /// Undoes the last move.
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
            // The last entry before the end: one step back from the first entry at or after the end.
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
