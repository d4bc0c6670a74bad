import LMDB
package import StoreEngine

/// The raise of a store to the newest format that it can have.
///
/// An existing store can get a redo log, and format 3. A store whose log was turned off, or shall not get one, can have format 2.
/// Format 4 is that of new stores only: its long keys differ, and a raise rewrites no records.
package struct FormatUpgrade: Sendable {
    /// The format that the store has.
    package let found: UInt32
    /// The format that the store can have.
    package let newest: UInt32

    /// Whether the store has an older format.
    package var isNeeded: Bool { found < newest }

    /// Whether the store gets a redo log.
    package var addsRedoLog: Bool { isNeeded && newest == StoreFormat.versionWithLog }

    /// Reads the format of an open store.
    ///
    /// - Parameter usesRedoLog: whether the store gets a redo log, unless it was turned off.
    package init(of store: Store, usesRedoLog: Bool) throws {
        let transaction = try store.beginRead()
        let reading = transaction._reading
        try self.init(reading.state.databases, reading.snapshot, usesRedoLog: usesRedoLog)
    }

    init(_ databases: StoreDatabases, _ snapshot: LMDBSnapshot, usesRedoLog: Bool) throws(StoreError) {
        found = try StoreFormat.version(databases, snapshot)
        let isOff = try StoreFormat.isLogOff(databases, snapshot)
        newest = max(found, StoreFormat.newest(from: found, isLogged: usesRedoLog && !isOff))
    }

    /// Raises the store, which waits until no process has the store open.
    ///
    /// - Parameters:
    ///   - options: those of opening the store. ``StoreOptions/writeTimeout`` limits the wait.
    ///   - onWait: called once, after a wait of one second, with the id of such a process if the system reports it, and the wait
    ///     so far.
    /// - Throws: ``StoreError``: `writeTimeout`; `newerFormat`, `damaged`; `accessDenied`, `diskFull`, `ioError`.
    package func run(
        at path: String, options: StoreOptions, onWait: (Int32?, Duration) -> Void
    ) throws(StoreError) {
        let lock = try StoreLock.take(path, timeout: options.writeTimeout, onWait: onWait)
        defer { lock.release() }
        try RedoLogSwitch.upgrade(path, usesLog: addsRedoLog, options)
    }
}
