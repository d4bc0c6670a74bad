internal import CLMDB

/// Moves a cursor over a database with an overlay: through the entries of the snapshot and of the overlay together, in the order
/// of their keys.
///
/// It returns the same results as LMDB: a code, the key and the value. A class, so that a cursor without an overlay needs only
/// one word for it. One cursor owns it, on one thread at a time.
@safe
final class OverlayWalk {
    /// The direction in which both positions are valid.
    private enum Direction {
        /// Neither is valid. Both are looked up at the next step.
        case none
        /// Each is the current entry, or the first entry after it.
        case forward
        /// Each is the current entry, or the last entry before it.
        case backward
    }

    /// The walk over the snapshot's entries; it belongs to the cursor.
    private let base: UnsafeMutablePointer<MappedWalk>
    private let table: OverlayTable
    /// The index in the overlay's entries; -1 before the first.
    private var index = 0
    /// The snapshot's entry at the cursor, if there is one.
    private var baseKey = unsafe MDB_val()
    private var baseValue = unsafe MDB_val()
    private var hasBase = false
    private var direction = Direction.none
    /// Whether the current entry comes from the overlay.
    private var isOverlaid = false

    init(_ base: UnsafeMutablePointer<MappedWalk>, _ table: OverlayTable) {
        unsafe self.base = base
        self.table = table
    }

    /// Does what `mdb_cursor_get` does for a move.
    func move(_ operation: MDB_cursor_op, key: inout MDB_val, value: inout MDB_val) -> Int32 {
        let isForward = operation == MDB_FIRST || operation == MDB_NEXT
        let code: Int32
        switch operation {
        case MDB_FIRST:
            index = 0
            code = moveBase(MDB_FIRST)
        case MDB_LAST:
            index = table.entries.count - 1
            code = moveBase(MDB_LAST)
        default:
            code = unsafe leave(key, isForward: isForward)
        }
        guard code == 0 else { return code }
        return unsafe isForward ? settleForward(&key, &value) : settleBackward(&key, &value)
    }

    /// Moves to the first entry whose key is not less than this one, like `MDB_SET_RANGE`.
    func seek(atLeast wanted: RawSpan, key: inout MDB_val, value: inout MDB_val) -> Int32 {
        let code = seekBase(wanted)
        guard code == 0 else { return code }
        index = table.lowerBound(wanted)
        return unsafe settleForward(&key, &value)
    }

    /// Moves to the entry with this key, like `MDB_SET_KEY`.
    func seek(exactly wanted: RawSpan, key: inout MDB_val, value: inout MDB_val) -> Int32 {
        direction = .none
        guard let entry = table.find(wanted) else {
            return unsafe base.pointee.seek(MDB_SET_KEY, wanted, key: &key, value: &value)
        }
        if entry.isHidden { return MDB_NOTFOUND }
        unsafe entry.give(&key, &value)
        return 0
    }

    /// Moves both positions to the side of the current entry on which the walk continues.
    private func leave(_ current: MDB_val, isForward: Bool) -> Int32 {
        if direction == (isForward ? .forward : .backward) {
            guard isOverlaid else { return moveBase(isForward ? MDB_NEXT : MDB_PREV) }
            index += isForward ? 1 : -1
            return 0
        }
        let key = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(current))
        index = table.lowerBound(key)
        var code = seekBase(key)
        guard code == 0 else { return code }
        if isForward {
            if index < table.entries.count, table.entries[index].order(to: key) == 0 { index += 1 }
            if hasBase, isBase(at: key) { code = moveBase(MDB_NEXT) }
        } else {
            index -= 1
            // From the first entry that is not before it, or from the end.
            code = moveBase(hasBase ? MDB_PREV : MDB_LAST)
        }
        return code
    }

    private func settleForward(_ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        direction = .forward
        while index < table.entries.count {
            let entry = table.entries[index]
            let order = hasBase ? entry.order(to: baseSpan) : -1
            if order > 0 { return unsafe giveBase(&key, &value) }
            if order == 0 {
                // The overlay's entry hides the snapshot's entry.
                let code = moveBase(MDB_NEXT)
                guard code == 0 else { return code }
            }
            if !entry.isHidden { return unsafe give(entry, &key, &value) }
            index += 1
        }
        return unsafe giveBase(&key, &value)
    }

    private func settleBackward(_ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        direction = .backward
        while index >= 0 {
            let entry = table.entries[index]
            let order = hasBase ? entry.order(to: baseSpan) : 1
            if order < 0 { return unsafe giveBase(&key, &value) }
            if order == 0 {
                let code = moveBase(MDB_PREV)
                guard code == 0 else { return code }
            }
            if !entry.isHidden { return unsafe give(entry, &key, &value) }
            index -= 1
        }
        return unsafe giveBase(&key, &value)
    }

    private func give(_ entry: OverlayEntry, _ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        isOverlaid = true
        unsafe entry.give(&key, &value)
        return 0
    }

    private func giveBase(_ key: inout MDB_val, _ value: inout MDB_val) -> Int32 {
        isOverlaid = false
        guard hasBase else { return MDB_NOTFOUND }
        unsafe key = baseKey
        unsafe value = baseValue
        return 0
    }

    // MARK: The cursor

    private var baseSpan: RawSpan {
        @_lifetime(borrow self)
        get { unsafe _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(baseKey)), borrowing: self) }
    }

    private func isBase(at key: RawSpan) -> Bool {
        let base = baseSpan
        guard base.byteCount == key.byteCount else { return false }
        return unsafe base.withUnsafeBytes { left in
            unsafe key.withUnsafeBytes { right in unsafe left.elementsEqual(right) }
        }
    }

    private func moveBase(_ operation: MDB_cursor_op) -> Int32 {
        arrive(unsafe base.pointee.move(operation, key: &baseKey, value: &baseValue))
    }

    private func seekBase(_ key: RawSpan) -> Int32 {
        arrive(unsafe base.pointee.seek(MDB_SET_RANGE, key, key: &baseKey, value: &baseValue))
    }

    private func arrive(_ code: Int32) -> Int32 {
        hasBase = code == 0
        return code == MDB_NOTFOUND ? 0 : code
    }
}
