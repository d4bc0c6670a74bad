/// The rows of a live request from the first on, and a few more than are needed, so that a row that leaves is followed by the
/// next one without a look at the store.
///
/// Invariant: it holds exactly the matching records up to ``bound``. The bound is the last row that was *scanned*, whether
/// it is still there or not: from it the records behind are known to be unknown.
struct LiveWindow: Sendable {
    private(set) var rows = RowChunks()
    /// The last row that was scanned; nil where nothing was, or all was.
    private(set) var bound: LiveRow?
    /// Whether all matching records are in the window.
    private(set) var isExhausted = false
    /// How many rows are needed.
    let neededCount: Int
    /// How many more are kept at best.
    let lookahead: Int

    /// - Parameters:
    ///   - neededCount: how many rows are needed, `.max` for all.
    ///   - lookahead: how many more to keep; nil for a quarter of what is needed, within 8 and 64.
    init(neededCount: Int, lookahead: Int? = nil) {
        self.neededCount = neededCount
        let lookahead = lookahead ?? Swift.min(64, Swift.max(8, neededCount / 4))
        // No result is that long: it is kept whole.
        self.lookahead = neededCount > Int.max / 2 ? 0 : lookahead
    }

    /// How many rows a scan should fill it up to.
    var goal: Int { neededCount > Int.max / 2 ? .max : neededCount == 0 ? 0 : neededCount + lookahead }

    /// Whether rows are needed that it does not hold.
    var needsRefill: Bool { !isExhausted && rows.count < neededCount }

    /// Whether a record at this place is known where it matches.
    func covers(_ sortKey: [UInt8]) -> Bool {
        if isExhausted { return true }
        guard let bound else { return false }
        return bound.compared(to: sortKey) >= 0
    }

    /// Takes in what a scan found behind the bound.
    ///
    /// - Parameter limit: how many it would have found at most.
    mutating func refill(_ found: [LiveRow], limit: Int) {
        for row in found { rows.append(row) }
        isExhausted = found.count < limit
        if isExhausted {
            bound = nil
        } else if let last = found.last {
            bound = last
        }
    }

    /// Forgets rows where they are many more than needed.
    ///
    /// - Parameter slack: how many may be too many.
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
            precondition(last.compared(to: bound.sortKey) <= 0, "the last row lies behind the bound")
        }
        precondition(
            isExhausted || bound != nil || rows.count == 0, "a window has rows, but neither a bound nor all records")
        #endif
    }

    /// Empties it.
    mutating func reset() {
        rows = RowChunks()
        bound = nil
        isExhausted = false
    }

    /// Takes in the new bytes of a record that is where it was, if it is in the window.
    ///
    /// - Returns: whether it is.
    mutating func update(_ row: LiveRow) -> Bool {
        let spot = rows.spot(of: row.sortKey)
        if spot.isFound { rows.replace(row, at: spot) }
        return spot.isFound
    }

    /// Takes in the change of a record that lay at one place and, where it matches now, is at another.
    ///
    /// - Returns: whether that changed the window.
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
