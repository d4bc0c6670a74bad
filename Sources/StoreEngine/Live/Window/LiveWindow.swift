/// The first rows of a live request, and a few more than it needs. When a row leaves, the next one follows without a read from
/// the store.
///
/// Invariant: the window holds exactly the matching records up to ``bound``. The bound is the last row that was *scanned*,
/// whether or not the window still holds it. Records after the bound are unknown.
struct LiveWindow: Sendable {
    private(set) var rows = RowChunks()
    /// The last row that was scanned; nil where no row has been scanned, or all have.
    private(set) var bound: LiveRow?
    /// Whether all matching records are in the window.
    private(set) var isExhausted = false
    /// The number of rows that the request needs.
    let neededCount: Int
    /// The number of additional rows that a scan tries to keep.
    let lookahead: Int

    /// - Parameters:
    ///   - neededCount: the number of rows that the request needs; `.max` for all.
    ///   - lookahead: the number of additional rows to keep. Nil keeps a quarter of the needed rows, at least 8 and at most 64.
    init(neededCount: Int, lookahead: Int? = nil) {
        self.neededCount = neededCount
        let lookahead = lookahead ?? Swift.min(64, Swift.max(8, neededCount / 4))
        // No result is that long, so the whole result is kept.
        self.lookahead = neededCount > Int.max / 2 ? 0 : lookahead
    }

    /// The number of rows to which a scan fills the window.
    var goal: Int { neededCount > Int.max / 2 ? .max : neededCount == 0 ? 0 : neededCount + lookahead }

    /// Whether the request needs rows that the window does not hold.
    var needsRefill: Bool { !isExhausted && rows.count < neededCount }

    /// Whether the window knows of every matching record at this position.
    func covers(_ sortKey: [UInt8]) -> Bool {
        if isExhausted { return true }
        guard let bound else { return false }
        return bound.compared(to: sortKey) >= 0
    }

    /// Adds the rows that a scan found after the bound.
    ///
    /// - Parameter limit: the most rows that the scan could have found.
    mutating func refill(_ found: [LiveRow], limit: Int) {
        for row in found { rows.append(row) }
        isExhausted = found.count < limit
        if isExhausted {
            bound = nil
        } else if let last = found.last {
            bound = last
        }
    }

    /// Drops rows where there are many more than needed.
    ///
    /// - Parameter slack: the number of surplus rows to allow.
    mutating func trim(slack: Int = 0) {
        guard goal != .max, rows.count > neededCount + 2 * lookahead + slack else { return }
        rows.truncate(to: goal)
        bound = rows.last
        isExhausted = false
    }

    /// Checks that the rows are in order and that none lies behind the bound. Tests call it; it is empty in release builds.
    ///
    /// - Complexity: O(n)
    func _checkInvariants() {
        #if DEBUG
        rows._checkInvariants()
        precondition(!isExhausted || bound == nil, "a window that holds all matching records has a bound")
        if let bound, let last = rows.last {
            precondition(last.compared(to: bound.sortKey) <= 0, "the last row is after the bound")
        }
        precondition(
            isExhausted || bound != nil || rows.count == 0, "a window has rows, but neither a bound nor all records")
        #endif
    }

    /// Empties the window.
    mutating func reset() {
        rows = RowChunks()
        bound = nil
        isExhausted = false
    }

    /// Applies new bytes of a record whose position has not changed, if the record is in the window.
    ///
    /// - Returns: whether it is.
    mutating func update(_ row: LiveRow) -> Bool {
        let spot = rows.spot(of: row.sortKey)
        if spot.isFound { rows.replace(row, at: spot) }
        return spot.isFound
    }

    /// Applies the change of a record from its old position to its new one, where it still matches.
    ///
    /// - Returns: whether the window changed.
    mutating func apply(from oldKey: [UInt8]?, to row: LiveRow?) -> Bool {
        let old = oldKey.map { rows.spot(of: $0) }
        let new = row.flatMap { covers($0.sortKey) ? $0 : nil }
        if let old, old.isFound {
            if let new, let oldKey, new.sortKey == oldKey {
                rows.replace(new, at: old)
                return true
            }
            rows.remove(at: old)
        } else if new == nil {
            return false
        }
        if let new {
            let spot = rows.spot(of: new.sortKey)
            if spot.isFound { rows.replace(new, at: spot) } else { rows.insert(new, at: spot) }
        }
        return true
    }
}
