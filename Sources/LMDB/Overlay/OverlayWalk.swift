internal import CLMDB

/// Moves a cursor over a database that an overlay lies over: through the entries of the snapshot and those of the overlay
/// together, in the order of their keys.
///
/// It answers as LMDB does: with a code, the key and the value. A class, so that cursors without an overlay carry one word
/// for it; one cursor has it, on one thread at a time.
@safe
final class OverlayWalk {
    /// Which way the two places look.
    private enum Direction {
        /// They are of no use: they are looked up at the next step.
        case none
        /// Each is the first one behind the current entry, or that entry.
        case forward
        /// Each is the last one before the current entry, or that entry.
        case backward
    }

    private let cursor: OpaquePointer
    private let table: OverlayTable
    /// The place among the overlay's entries; -1 before the first.
    private var index = 0
    /// The entry of the snapshot that the cursor stands on, where it stands on one.
    private var baseKey = unsafe MDB_val()
    private var baseValue = unsafe MDB_val()
    private var hasBase = false
    private var direction = Direction.none
    /// Whether the current entry is one of the overlay.
    private var isOverlaid = false

    init(_ cursor: OpaquePointer, _ table: OverlayTable) {
        unsafe self.cursor = cursor
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

    /// Goes to the first entry whose key is not less than this one, as `MDB_SET_RANGE` does.
    func seek(atLeast wanted: RawSpan, key: inout MDB_val, value: inout MDB_val) -> Int32 {
        let code = seekBase(wanted)
        guard code == 0 else { return code }
        index = table.lowerBound(wanted)
        return unsafe settleForward(&key, &value)
    }

    /// Goes to the entry with this key, as `MDB_SET_KEY` does.
    func seek(exactly wanted: RawSpan, key: inout MDB_val, value: inout MDB_val) -> Int32 {
        direction = .none
        guard let entry = table.find(wanted) else {
            return unsafe Calls.seek(cursor, MDB_SET_KEY, wanted, key: &key, value: &value)
        }
        if entry.isHidden { return MDB_NOTFOUND }
        unsafe entry.give(&key, &value)
        return 0
    }

    /// Brings both places to the side of the current entry that the walk goes on to.
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
            // From the first that is not before it, or from the end.
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
                // What the snapshot has there does not count.
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
        arrive(unsafe Calls.move(cursor, operation, key: &baseKey, value: &baseValue))
    }

    private func seekBase(_ key: RawSpan) -> Int32 {
        arrive(unsafe Calls.seek(cursor, MDB_SET_RANGE, key, key: &baseKey, value: &baseValue))
    }

    private func arrive(_ code: Int32) -> Int32 {
        hasBase = code == 0
        return code == MDB_NOTFOUND ? 0 : code
    }
}
