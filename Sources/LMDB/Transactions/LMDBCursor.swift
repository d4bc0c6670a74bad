internal import CLMDB

/// A position in a database, for scans in key order.
///
/// After a move that returned false, the cursor is before the first or after the last entry; after `seek(exactly:)`, it is at no
/// position. From after the last entry, `previous()` moves to the last one. From before the first entry, `next()` moves to the
/// first one.
///
/// A cursor of a read transaction reads the pages itself. That of a write transaction is LMDB's, because only LMDB knows the
/// pages that the transaction has changed.
@safe
package struct LMDBCursor: ~Copyable, ~Escapable {
    private enum Standing {
        case nowhere
        case beforeFirst
        case entry
        case afterLast
    }

    private let context: Unmanaged<TransactionContext>
    private let database: LMDBDatabase
    /// The walk of a read transaction.
    private let mapped: UnsafeMutablePointer<MappedWalk>?
    /// LMDB's cursor of a write transaction.
    private let cursor: OpaquePointer?
    /// Moves the walk if the database has an overlay.
    private let overlaid: OverlayWalk?
    private var standing = Standing.nowhere
    /// The page in memory of the last entry whose pages were checked, in a write transaction.
    private var checkedPage: UInt = 0
    private var currentKey = unsafe MDB_val()
    private var currentValue = unsafe MDB_val()

    /// A cursor of a read transaction.
    @_lifetime(immortal)
    init(_ tree: MappedTree, _ database: LMDBDatabase, context: Unmanaged<TransactionContext>, overlay: OverlayTable?) {
        let walk = unsafe MappedWalk.make(tree)
        unsafe mapped = walk
        unsafe cursor = nil
        unsafe self.context = context
        self.database = database
        overlaid = overlay.map { unsafe OverlayWalk(walk, $0) }
    }

    /// A cursor of a write transaction.
    @_lifetime(immortal)
    init(_ cursor: OpaquePointer, _ database: LMDBDatabase, context: Unmanaged<TransactionContext>) {
        unsafe self.cursor = cursor
        unsafe mapped = nil
        unsafe self.context = context
        self.database = database
        overlaid = nil
    }

    deinit {
        if let mapped = unsafe mapped { unsafe MappedWalk.free(mapped) }
        if let cursor = unsafe cursor { unsafe Calls.closeCursor(cursor) }
    }

    /// Moves to the first entry; returns false if there is none.
    @_lifetime(self: copy self)
    package mutating func first() throws(LMDBError) -> Bool { try move(MDB_FIRST, otherwise: .afterLast) }

    /// Moves to the last entry; returns false if there is none.
    @_lifetime(self: copy self)
    package mutating func last() throws(LMDBError) -> Bool { try move(MDB_LAST, otherwise: .beforeFirst) }

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
        if let overlaid {
            let code = unsafe overlaid.seek(atLeast: key, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: .afterLast)
        }
        return try seek(MDB_SET_RANGE, key, otherwise: .afterLast)
    }

    /// Moves to the entry with this key; returns false if there is none.
    @_lifetime(self: copy self)
    package mutating func seek(exactly key: RawSpan) throws(LMDBError) -> Bool {
        guard LMDBKey.isValid(key) else { throw invalidKey(key.byteCount) }
        if let overlaid {
            let code = unsafe overlaid.seek(exactly: key, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: .nowhere)
        }
        return try seek(MDB_SET_KEY, key, otherwise: .nowhere)
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
            if let mapped = unsafe mapped, overlaid == nil, standing == .entry {
                count += unsafe mapped.pointee.skipLeaf(unlessItHas: address)
            }
            guard try next() else { break }
            count += 1
        }
        return count
    }

    /// Moves from an entry to the previous (-1) or the next (1) one.
    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func walk(by step: Int) throws(LMDBError) -> Bool {
        guard let mapped = unsafe mapped, overlaid == nil, !CallFaults.isAnyPlanned else {
            return try walkSlowly(step)
        }
        guard case .entry(let key, let value) = unsafe mapped.pointee.move(by: step) else {
            return try stopWalking(step)
        }
        unsafe currentKey = MDB_val(key)
        unsafe currentValue = MDB_val(value)
        return true
    }

    /// Leaves the entries after a step that met none.
    @inline(never)
    @_lifetime(self: copy self)
    private mutating func stopWalking(_ step: Int) throws(LMDBError) -> Bool {
        let isDamaged = unsafe mapped?.pointee.damagedPage != nil
        return try arrive(isDamaged ? MDB_CORRUPTED : MDB_NOTFOUND, otherwise: step > 0 ? .afterLast : .beforeFirst)
    }

    @inline(never)
    @_lifetime(self: copy self)
    private mutating func walkSlowly(_ step: Int) throws(LMDBError) -> Bool {
        step > 0 ? try move(MDB_NEXT, otherwise: .afterLast) : try move(MDB_PREV, otherwise: .beforeFirst)
    }

    @_lifetime(self: copy self)
    private mutating func move(_ operation: MDB_cursor_op, otherwise: Standing) throws(LMDBError) -> Bool {
        if let overlaid {
            let code = unsafe overlaid.move(operation, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: otherwise)
        }
        if let mapped = unsafe mapped {
            try unsafe context.takeUnretainedValue().requireNoFault(.moveCursor, "mdb_cursor_get")
            let code = unsafe mapped.pointee.move(operation, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: otherwise)
        }
        if operation == MDB_FIRST || operation == MDB_LAST {
            try check(operation == MDB_FIRST ? .first : .last)
        }
        guard let cursor = unsafe cursor else { return false }
        let code = unsafe Calls.move(cursor, operation, key: &currentKey, value: &currentValue)
        return try arriveInWriting(code, otherwise: otherwise)
    }

    @_lifetime(self: copy self)
    private mutating func seek(
        _ operation: MDB_cursor_op, _ key: RawSpan, otherwise: Standing
    ) throws(LMDBError) -> Bool {
        if let mapped = unsafe mapped {
            try unsafe context.takeUnretainedValue().requireNoFault(.moveCursor, "mdb_cursor_get")
            let code = unsafe mapped.pointee.seek(operation, key, key: &currentKey, value: &currentValue)
            return try arrive(code, otherwise: otherwise)
        }
        guard let cursor = unsafe cursor else { return false }
        try unsafe key.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) throws(LMDBError) in
            unsafe try check(.key(bytes))
        }
        let code = unsafe Calls.seek(cursor, operation, key, key: &currentKey, value: &currentValue)
        return try arriveInWriting(code, otherwise: otherwise)
    }

    /// The same as ``arrive(_:otherwise:)``. Also checks the pages around another page than before, to which the next move may
    /// lead.
    @_lifetime(self: copy self)
    private mutating func arriveInWriting(_ code: Int32, otherwise: Standing) throws(LMDBError) -> Bool {
        guard try arrive(code, otherwise: otherwise) else { return false }
        let page = address >> 12
        guard page != checkedPage else { return true }
        unsafe try check(.key(UnsafeRawBufferPointer(currentKey)))
        checkedPage = page
        return true
    }

    private func check(_ position: TreePosition) throws(LMDBError) {
        let context = unsafe context.takeUnretainedValue()
        try unsafe context.environment.takeUnretainedValue().pageChecks
            .require(database, position, in: context, "mdb_cursor_get")
    }

    @inline(__always)
    @_lifetime(self: copy self)
    private mutating func arrive(_ code: Int32, otherwise: Standing) throws(LMDBError) -> Bool {
        if code == 0 {
            standing = .entry
            return true
        }
        standing = otherwise
        unsafe currentKey = MDB_val()
        unsafe currentValue = MDB_val()
        if code == MDB_NOTFOUND { return false }
        standing = .nowhere
        let context = unsafe context.takeUnretainedValue()
        if let page = unsafe mapped?.pointee.damagedPage {
            throw unsafe context.environment.takeUnretainedValue().damaged(page, "mdb_cursor_get")
        }
        throw context.failure(code, "mdb_cursor_get")
    }
}
