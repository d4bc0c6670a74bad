internal import CLMDB

/// One consistent state of an environment: everything that only reads, from a read or from a write transaction.
///
/// Bound to its transaction's life: neither it nor the bytes it hands out can outlive that.
@safe
package struct LMDBSnapshot: ~Escapable {
    /// Unretained: the transaction that lends this snapshot keeps the context alive.
    let context: Unmanaged<TransactionContext>

    @_lifetime(borrow owner)
    init<Owner: ~Copyable & ~Escapable>(_ context: TransactionContext, of owner: borrowing Owner) {
        unsafe self.context = Unmanaged.passUnretained(context)
    }

    /// The bytes stored under a key, in place; nil if there are none.
    ///
    /// A key that is empty or longer than 511 bytes is an error: LMDB itself would say "not found" and hide a mistake.
    @_lifetime(copy self)
    package func get(_ database: LMDBDatabase, key: RawSpan) throws(LMDBError) -> RawSpan? {
        guard LMDBKey.isValid(key) else {
            throw unsafe context.takeUnretainedValue().invalidKey(key.byteCount, "mdb_get")
        }
        if unsafe context._withUnsafeGuaranteedRef({ $0.overlay != nil }), let entry = overlaid(database, key) {
            if entry.isHidden { return nil }
            return unsafe _overrideLifetime(entry.value, copying: self)
        }
        var found = unsafe MDB_val()
        let code = unsafe Calls.get(context._withUnsafeGuaranteedRef { unsafe $0.handle }, database, key, into: &found)
        if code == 0 {
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(found)), copying: self)
        }
        if code == MDB_NOTFOUND { return nil }
        throw unsafe context.takeUnretainedValue().failure(code, "mdb_get")
    }

    /// Looks for some values at once, which takes less time than one after the other.
    ///
    /// - Parameters:
    ///   - keys: the bytes of the keys, one behind the other.
    ///   - ends: where each of them ends.
    ///   - range: which to look for: ``FoundValues/capacity`` at most.
    ///   - values: holds those values, and no others, then.
    @_lifetime(values: copy self)
    package func find(
        _ database: LMDBDatabase, keys: RawSpan, ends: Span<Int>, _ range: Range<Int>, into values: inout FoundValues
    ) {
        values.removeAll()
        let tree = unsafe context._withUnsafeGuaranteedRef { context in
            context.overlay == nil ? context.tree(of: database, lookups: range.count) : nil
        }
        if let tree { unsafe keys.withUnsafeBytes { unsafe values.find(tree, $0, ends, range) } }
    }

    /// What an overlay has under a key; nil where it leaves that to the snapshot. Apart, as most transactions have none.
    @inline(never)
    private func overlaid(_ database: LMDBDatabase, _ key: RawSpan) -> OverlayEntry? {
        unsafe context.takeUnretainedValue().overlay?.table(database)?.find(key)
    }

    /// The size of a database in this snapshot. Under an overlay the entries are those of its state, and the pages those of
    /// the snapshot.
    package func statistics(of database: LMDBDatabase) throws(LMDBError) -> LMDBStatistics {
        var statistics: LMDBStatistics?
        let context = unsafe context.takeUnretainedValue()
        let code = unsafe Calls.statistics(context.handle, database, into: &statistics)
        guard code == 0, var statistics else { throw context.failure(code, "mdb_stat") }
        if let table = context.overlay?.table(database) { statistics.entries += table.entryDelta }
        return statistics
    }

    /// A cursor over a database, before its first move.
    @_lifetime(copy self)
    package func openCursor(_ database: LMDBDatabase) throws(LMDBError) -> LMDBCursor {
        var cursor: OpaquePointer?
        let context = unsafe context.takeUnretainedValue()
        let code = unsafe Calls.openCursor(context.handle, database, into: &cursor)
        guard code == 0, let cursor = unsafe cursor else { throw context.failure(code, "mdb_cursor_open") }
        let opened = unsafe LMDBCursor(
            cursor, database, context: self.context, overlay: context.overlay?.table(database))
        return unsafe _overrideLifetime(opened, copying: self)
    }

    /// The number of the transaction that made this state; in a write transaction, its own number.
    package var transactionID: Int {
        unsafe Calls.identifier(of: context.takeUnretainedValue().handle)
    }
}

/// LMDB's rule for keys, checked before each call that would not report it.
enum LMDBKey {
    static let maximumByteCount = 511

    @inline(__always)
    static func isValid(_ key: RawSpan) -> Bool { isValid(byteCount: key.byteCount) }

    @inline(__always)
    static func isValid(byteCount: Int) -> Bool {
        // One comparison: an empty key wraps around to the largest number.
        UInt(bitPattern: byteCount) &- 1 < UInt(maximumByteCount)
    }

    static func invalid(byteCount: Int, _ operation: StaticString, path: String) -> LMDBError {
        LMDBError(
            .keySize, operation: "\(operation)", path: path,
            detail: "a key of \(byteCount) bytes; a key must have 1 to \(maximumByteCount) bytes",
            remedy: "shorten the key, for example with a hash of its end"
        )
    }
}
