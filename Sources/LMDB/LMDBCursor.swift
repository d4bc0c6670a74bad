internal import CLMDB

/// A place in a database, to scan it in key order.
///
/// After a move that answered false the cursor stands before the first or after the last entry (for `seek(exactly:)`:
/// nowhere): `previous()` from after the last gives the last, `next()` from before the first gives the first.
@safe
package struct LMDBCursor: ~Copyable, ~Escapable {
    private enum Place {
        case nowhere
        case beforeFirst
        case entry
        case afterLast
    }

    private let cursor: OpaquePointer
    private let context: Unmanaged<TransactionContext>
    /// Moves the cursor where an overlay lies over the database.
    private let overlaid: OverlayWalk?
    private var place = Place.nowhere
    private var prefetch = PagePrefetch()
    private var currentKey = unsafe MDB_val()
    private var currentValue = unsafe MDB_val()

    @_lifetime(immortal)
    init(_ cursor: OpaquePointer, context: Unmanaged<TransactionContext>, overlay: OverlayTable?) {
        unsafe self.cursor = cursor
        unsafe self.context = context
        overlaid = overlay.map { unsafe OverlayWalk(cursor, $0) }
    }

    deinit {
        unsafe Calls.closeCursor(cursor)
    }

    /// Goes to the first entry; false if there is none.
    @_lifetime(self: copy self)
    package mutating func first() throws(LMDBError) -> Bool {
        try move(MDB_FIRST, otherwise: .afterLast)
    }

    /// Goes to the last entry; false if there is none.
    @_lifetime(self: copy self)
    package mutating func last() throws(LMDBError) -> Bool {
        try move(MDB_LAST, otherwise: .beforeFirst)
    }

    /// Goes to the next entry, or to the first from nowhere; false after the last.
    @_lifetime(self: copy self)
    package mutating func next() throws(LMDBError) -> Bool {
        switch place {
        case .entry: return try walk(MDB_NEXT, otherwise: .afterLast)
        case .nowhere, .beforeFirst: return try move(MDB_FIRST, otherwise: .afterLast)
        case .afterLast: return false
        }
    }

    /// Goes to the entry before, or to the last from nowhere; false before the first.
    @_lifetime(self: copy self)
    package mutating func previous() throws(LMDBError) -> Bool {
        switch place {
        case .entry: return try walk(MDB_PREV, otherwise: .beforeFirst)
        case .nowhere, .afterLast: return try move(MDB_LAST, otherwise: .beforeFirst)
        case .beforeFirst: return false
        }
    }

    /// Goes to the first entry whose key is not less than this one; false if all are less.
    @_lifetime(self: copy self)
    package mutating func seek(atLeast key: RawSpan) throws(LMDBError) -> Bool {
        guard LMDBKey.isValid(key) else { throw invalidKey(key.byteCount) }
        prefetch.startOver()
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
        prefetch.startOver()
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

    /// Goes from an entry to the one beside it.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func walk(_ operation: MDB_cursor_op, otherwise: Place) throws(LMDBError) -> Bool {
        guard try move(operation, otherwise: otherwise) else { return false }
        prefetch.reach(address)
        return true
    }

    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func move(_ operation: MDB_cursor_op, otherwise: Place) throws(LMDBError) -> Bool {
        if let overlaid {
            let code = unsafe overlaid.move(operation, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: otherwise)
        }
        let code = unsafe Calls.move(cursor, operation, key: &currentKey, value: &currentValue)
        return try arrive(code, otherwise: otherwise)
    }

    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func arrive(_ code: Int32, otherwise: Place) throws(LMDBError) -> Bool {
        if code == 0 {
            place = .entry
            return true
        }
        place = otherwise
        unsafe currentKey = MDB_val()
        unsafe currentValue = MDB_val()
        if code == MDB_NOTFOUND { return false }
        place = .nowhere
        throw unsafe context.takeUnretainedValue().failure(code, "mdb_cursor_get")
    }
}
