internal import CLMDB

/// One consistent state of an environment: all read operations, for a read or a write transaction.
///
/// It is bound to its transaction: neither the snapshot nor the bytes that it returns can outlive the transaction.
@safe
package struct LMDBSnapshot: ~Escapable {
    /// Unretained: the transaction that lends this snapshot keeps the context alive.
    let context: Unmanaged<TransactionContext>

    @_lifetime(borrow owner)
    init<Owner: ~Copyable & ~Escapable>(_ context: TransactionContext, of owner: borrowing Owner) {
        unsafe self.context = Unmanaged.passUnretained(context)
    }

    /// Returns the bytes stored under a key, in place; nil if there are none.
    ///
    /// A key that is empty or longer than 511 bytes is an error. LMDB itself would return "not found" and hide the mistake.
    @_lifetime(copy self)
    package func get(_ database: LMDBDatabase, key: RawSpan) throws(LMDBError) -> RawSpan? {
        guard LMDBKey.isValid(key) else {
            throw unsafe context.takeUnretainedValue().invalidKey(key.byteCount, "mdb_get")
        }
        if unsafe context._withUnsafeGuaranteedRef({ $0.overlay != nil }), let entry = overlaid(database, key) {
            if entry.isHidden { return nil }
            return unsafe _overrideLifetime(entry.value, copying: self)
        }
        let context = unsafe context.takeUnretainedValue()
        let found = unsafe try key.withUnsafeBytes { (key: UnsafeRawBufferPointer) throws(LMDBError) in
            unsafe try context.value(database, key)
        }
        guard let value = unsafe found else { return nil }
        return unsafe _overrideLifetime(RawSpan(_unsafeBytes: value), copying: self)
    }

    /// Looks up several values at once, which takes less time than one lookup after the other.
    ///
    /// - Parameters:
    ///   - keys: the bytes of the keys, concatenated.
    ///   - ends: the end of each key in `keys`.
    ///   - range: which keys to look up: at most ``FoundValues/capacity``.
    ///   - values: contains these values afterwards, and no others.
    @_lifetime(values: copy self)
    package func find(
        _ database: LMDBDatabase, keys: RawSpan, ends: Span<Int>, _ range: Range<Int>, into values: inout FoundValues
    ) {
        values.removeAll()
        let tree = unsafe context._withUnsafeGuaranteedRef { context in
            context.overlay == nil ? context.treeForJointSearch(of: database) : nil
        }
        if let tree { unsafe keys.withUnsafeBytes { unsafe values.find(tree, $0, ends, range) } }
    }

    /// Returns the entry of an overlay for a key; nil if the snapshot's value applies. Not inlined, because most transactions
    /// have no overlay.
    @inline(never)
    private func overlaid(_ database: LMDBDatabase, _ key: RawSpan) -> OverlayEntry? {
        unsafe context.takeUnretainedValue().overlay?.table(database)?.find(key)
    }

    /// Returns the size of a database in this snapshot. With an overlay, the entries are those of its state, and the pages are
    /// those of the snapshot.
    package func statistics(of database: LMDBDatabase) throws(LMDBError) -> LMDBStatistics {
        let context = unsafe context.takeUnretainedValue()
        var statistics = try context.statistics(of: database)
        if let table = context.overlay?.table(database) { statistics.entries += table.entryDelta }
        return statistics
    }

    /// Returns a cursor over a database, before its first move.
    @_lifetime(copy self)
    package func openCursor(_ database: LMDBDatabase) throws(LMDBError) -> LMDBCursor {
        let context = unsafe context.takeUnretainedValue()
        if context.writing == nil {
            try context.requireNoFault(.openCursor, "mdb_cursor_open")
            let opened = unsafe LMDBCursor(
                try context.tree(of: database), database, context: self.context,
                overlay: context.overlay?.table(database))
            return unsafe _overrideLifetime(opened, copying: self)
        }
        var cursor: OpaquePointer?
        let code = unsafe Calls.openCursor(context.handle, database, into: &cursor)
        guard code == 0, let cursor = unsafe cursor else { throw context.failure(code, "mdb_cursor_open") }
        return unsafe _overrideLifetime(LMDBCursor(cursor, database, context: self.context), copying: self)
    }

    /// The number of the transaction that created this state; in a write transaction, its own number.
    package var transactionID: Int {
        unsafe Calls.identifier(of: context.takeUnretainedValue().handle)
    }
}

/// LMDB's rule for keys, checked before each call that would not report a violation.
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
            detail: "the key has \(byteCount) bytes, but 1 to \(maximumByteCount) are allowed",
            remedy: "shorten the key, for example with a hash of its end"
        )
    }
}
