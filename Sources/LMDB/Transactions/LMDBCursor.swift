internal import CLMDB

/// A place in a database, to scan it in key order.
///
/// After a move that answered false the cursor stands before the first or after the last entry (for `seek(exactly:)`:
/// nowhere): `previous()` from after the last gives the last, `next()` from before the first gives the first.
@safe
package struct LMDBCursor: ~Copyable, ~Escapable {
    private enum Standing {
        case nowhere
        case beforeFirst
        case entry
        case afterLast
    }

    /// How many entries a walk goes to by LMDB before it goes on in the map: to find its place there takes a lookup.
    private static let patience = 16

    private let cursor: OpaquePointer
    private let context: Unmanaged<TransactionContext>
    private let database: LMDBDatabase
    /// Moves the cursor where an overlay lies over the database.
    private let overlaid: OverlayWalk?
    private var standing = Standing.nowhere
    /// How many times it went from an entry to the one beside it, one after the other.
    private var stepCount = 0
    /// Goes on with a walk of some entries; LMDB's own cursor stays where that began. On the heap, as cursors are moved about and
    /// most never get there.
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

    /// Goes to the first entry; false if there is none.
    @_lifetime(self: copy self)
    package mutating func first() throws(LMDBError) -> Bool {
        startOver()
        return try move(MDB_FIRST, otherwise: .afterLast)
    }

    /// Goes to the last entry; false if there is none.
    @_lifetime(self: copy self)
    package mutating func last() throws(LMDBError) -> Bool {
        startOver()
        return try move(MDB_LAST, otherwise: .beforeFirst)
    }

    /// Goes to the next entry, or to the first from nowhere; false after the last.
    @_lifetime(self: copy self)
    package mutating func next() throws(LMDBError) -> Bool {
        switch standing {
        case .entry: return try walk(by: 1)
        case .nowhere, .beforeFirst: return try move(MDB_FIRST, otherwise: .afterLast)
        case .afterLast: return false
        }
    }

    /// Goes to the entry before, or to the last from nowhere; false before the first.
    @_lifetime(self: copy self)
    package mutating func previous() throws(LMDBError) -> Bool {
        switch standing {
        case .entry: return try walk(by: -1)
        case .nowhere, .afterLast: return try move(MDB_LAST, otherwise: .beforeFirst)
        case .beforeFirst: return false
        }
    }

    /// Goes to the first entry whose key is not less than this one; false if all are less.
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

    /// Goes to the entry with this key; false if there is none.
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

    /// The key of the entry the cursor stands on, in place; empty when it stands on none.
    package var key: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            unsafe _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(currentKey)), borrowing: self)
        }
    }

    /// The value of the entry the cursor stands on, in place; empty when it stands on none.
    package var value: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            unsafe _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(currentValue)), borrowing: self)
        }
    }

    /// Where the key of the entry lies in memory, which tells it from all other entries of the database as long as the
    /// transaction writes nothing and no overlay is laid over it; 0 when the cursor stands on none.
    package var address: UInt { UInt(bitPattern: unsafe currentKey.mv_data) }

    private func invalidKey(_ byteCount: Int) -> LMDBError {
        unsafe context.takeUnretainedValue().invalidKey(byteCount, "mdb_cursor_get")
    }

    /// Goes forward to the entry at an ``address`` that lies ahead, or to the end.
    ///
    /// - Returns: how many entries it came to: a leaf's at once, where it can.
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

    /// Begins a walk anew: where a search ends says nothing of how far the next one goes.
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

    /// Goes from an entry to the one before (-1) or behind (1) it.
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
            // As many lookups as the tree is worth finding for: the walk is.
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

    /// Goes somewhere by LMDB's own cursor.
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
