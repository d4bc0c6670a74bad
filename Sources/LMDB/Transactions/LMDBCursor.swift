internal import CLMDB

/// A position in a database, for scans in key order.
///
/// After a move that returned false, the cursor is before the first or after the last entry; after `seek(exactly:)`, it is at no
/// position. From after the last entry, `previous()` moves to the last one. From before the first entry, `next()` moves to the
/// first one.
@safe
package struct LMDBCursor: ~Copyable, ~Escapable {
    private enum Standing {
        case nowhere
        case beforeFirst
        case entry
        case afterLast
    }

    /// How many steps a walk takes with LMDB's cursor before it continues in the map. Finding its position in the map costs a
    /// lookup.
    private static let patience = 16

    private let cursor: OpaquePointer
    private let context: Unmanaged<TransactionContext>
    private let database: LMDBDatabase
    /// Moves the cursor if the database has an overlay.
    private let overlaid: OverlayWalk?
    private var standing = Standing.nowhere
    /// The number of successive steps to a neighbouring entry.
    private var stepCount = 0
    /// Continues a longer walk; LMDB's own cursor stays where this one began. On the heap, because cursors are moved in memory
    /// and most never need it.
    private var mapped: UnsafeMutablePointer<MappedWalk>?
    private var currentKey = unsafe MDB_val()
    private var currentValue = unsafe MDB_val()

    @_lifetime(immortal)
    init(
        _ cursor: OpaquePointer, _ database: LMDBDatabase, context: Unmanaged<TransactionContext>,
        overlay: OverlayTable?
    ) {
        unsafe self.cursor = cursor
        unsafe self.context = context
        self.database = database
        overlaid = overlay.map { unsafe OverlayWalk(cursor, $0) }
    }

    deinit {
        if let mapped = unsafe mapped { unsafe Self.free(mapped) }
        unsafe Calls.closeCursor(cursor)
    }

    /// Moves to the first entry; returns false if there is none.
    @_lifetime(self: copy self)
    package mutating func first() throws(LMDBError) -> Bool {
        startOver()
        return try move(MDB_FIRST, otherwise: .afterLast)
    }

    /// Moves to the last entry; returns false if there is none.
    @_lifetime(self: copy self)
    package mutating func last() throws(LMDBError) -> Bool {
        startOver()
        return try move(MDB_LAST, otherwise: .beforeFirst)
    }

    /// Moves to the next entry, or to the first if the cursor has no position; returns false after the last.
    @_lifetime(self: copy self)
    package mutating func next() throws(LMDBError) -> Bool {
        switch standing {
        case .entry: return try walk(by: 1)
        case .nowhere, .beforeFirst: return try move(MDB_FIRST, otherwise: .afterLast)
        case .afterLast: return false
        }
    }

    /// Moves to the previous entry, or to the last if the cursor has no position; returns false before the first.
    @_lifetime(self: copy self)
    package mutating func previous() throws(LMDBError) -> Bool {
        switch standing {
        case .entry: return try walk(by: -1)
        case .nowhere, .afterLast: return try move(MDB_LAST, otherwise: .beforeFirst)
        case .beforeFirst: return false
        }
    }

    /// Moves to the first entry whose key is not less than this one; returns false if all are less.
    @_lifetime(self: copy self)
    package mutating func seek(atLeast key: RawSpan) throws(LMDBError) -> Bool {
        guard LMDBKey.isValid(key) else { throw invalidKey(key.byteCount) }
        startOver()
        if let overlaid {
            let code = unsafe overlaid.seek(atLeast: key, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: .afterLast)
        }
        let code = unsafe Calls.seek(cursor, MDB_SET_RANGE, key, key: &currentKey, value: &currentValue)
        return try arrive(code, otherwise: .afterLast)
    }

    /// Moves to the entry with this key; returns false if there is none.
    @_lifetime(self: copy self)
    package mutating func seek(exactly key: RawSpan) throws(LMDBError) -> Bool {
        guard LMDBKey.isValid(key) else { throw invalidKey(key.byteCount) }
        startOver()
        if let overlaid {
            let code = unsafe overlaid.seek(exactly: key, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: .nowhere)
        }
        let code = unsafe Calls.seek(cursor, MDB_SET_KEY, key, key: &currentKey, value: &currentValue)
        return try arrive(code, otherwise: .nowhere)
    }

    /// The key of the current entry, in place; empty if there is no current entry.
    package var key: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            unsafe _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(currentKey)), borrowing: self)
        }
    }

    /// The value of the current entry, in place; empty if there is no current entry.
    package var value: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            unsafe _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(currentValue)), borrowing: self)
        }
    }

    /// The memory address of the current key; 0 if there is no current entry. It identifies the entry in the database, as long as
    /// the transaction writes nothing and has no overlay.
    package var address: UInt { UInt(bitPattern: unsafe currentKey.mv_data) }

    private func invalidKey(_ byteCount: Int) -> LMDBError {
        unsafe context.takeUnretainedValue().invalidKey(byteCount, "mdb_cursor_get")
    }

    /// Moves forward to the entry at an ``address`` ahead, or to the end.
    ///
    /// - Returns: how many entries it moved over. It skips whole leaves where it can.
    @_lifetime(self: copy self)
    package mutating func skip(to address: UInt) throws(LMDBError) -> Int {
        var count = 0
        while self.address != address {
            if let mapped = unsafe mapped { count += unsafe mapped.pointee.skipLeaf(unlessItHas: address) }
            guard try next() else { break }
            count += 1
        }
        return count
    }

    /// Begins a new walk: the position of a search does not show how far the following walk goes.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func startOver() {
        stepCount = 0
        guard let walk = unsafe mapped else { return }
        unsafe Self.free(walk)
        unsafe mapped = nil
    }

    private static func free(_ walk: UnsafeMutablePointer<MappedWalk>) {
        unsafe walk.deinitialize(count: 1)
        unsafe walk.deallocate()
    }

    /// Moves from an entry to the previous (-1) or the next (1) one.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func walk(by step: Int) throws(LMDBError) -> Bool {
        guard let mapped = unsafe mapped else { return try walkByLMDB(step) }
        switch unsafe mapped.pointee.move(by: step) {
        case .entry(let key, let value):
            unsafe currentKey = MDB_val(key)
            unsafe currentValue = MDB_val(value)
            return true
        case .end: return try arrive(MDB_NOTFOUND, otherwise: step > 0 ? .afterLast : .beforeFirst)
        case .damage:
            _ = try arrive(MDB_NOTFOUND, otherwise: .nowhere)
            throw unsafe context.takeUnretainedValue().failure(MDB_CORRUPTED, "walk")
        }
    }

    @inline(never)
    @_lifetime(self: copy self)
    private mutating func walkByLMDB(_ step: Int) throws(LMDBError) -> Bool {
        stepCount &+= 1
        if stepCount == Self.patience, overlaid == nil {
            let context = unsafe context.takeUnretainedValue()
            // Enough lookups that finding the tree is worth its cost: the walk is long.
            if let tree = context.tree(of: database, lookups: MappedTrees.patience + 1),
                let walk = unsafe MappedWalk(tree, at: UnsafeRawBufferPointer(currentKey))
            {
                let memory = UnsafeMutablePointer<MappedWalk>.allocate(capacity: 1)
                unsafe memory.initialize(to: walk)
                unsafe mapped = memory
                return try self.walk(by: step)
            }
        }
        return step > 0 ? try move(MDB_NEXT, otherwise: .afterLast) : try move(MDB_PREV, otherwise: .beforeFirst)
    }

    /// Moves LMDB's own cursor.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func move(_ operation: MDB_cursor_op, otherwise: Standing) throws(LMDBError) -> Bool {
        if let overlaid {
            let code = unsafe overlaid.move(operation, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: otherwise)
        }
        let code = unsafe Calls.move(cursor, operation, key: &currentKey, value: &currentValue)
        return try arrive(code, otherwise: otherwise)
    }

    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func arrive(_ code: Int32, otherwise: Standing) throws(LMDBError) -> Bool {
        if code == 0 {
            standing = .entry
            return true
        }
        startOver()
        standing = otherwise
        unsafe currentKey = MDB_val()
        unsafe currentValue = MDB_val()
        if code == MDB_NOTFOUND { return false }
        standing = .nowhere
        throw unsafe context.takeUnretainedValue().failure(code, "mdb_cursor_get")
    }
}
