import LMDB
package import StoreEngine

extension Store {
    /// Throws if a process has a store open.
    ///
    /// - Throws: ``StoreError``: `inUse`, `accessDenied`, `ioError`.
    package static func requireUnused(_ path: String) throws(StoreError) { try StoreLock.requireUnused(path) }

    /// Changes the replica state of a store that no process has open: its place in a log, or that it has one.
    ///
    /// - Parameter state: returns the new state from the store's newest position.
    /// - Throws: ``StoreError``: `inUse`, `noSuchStore`, and as opening and writing.
    package static func setReplicaState(at path: String, _ state: (Position) -> [UInt8]) throws {
        try requireUnused(path)
        var options = StoreOptions()
        options.createsIfMissing = false
        options.isJoining = true
        options.commitLog = JoiningLog()
        let store = try Store(at: path, records: [], options: options)
        defer { store.close() }
        let access = store.replicaAccess
        let state = state(try store.position)
        try access.perform { try access.apply([(LoggedEntry(changeSets: []), state)]) }
    }

    /// Makes a replica that no process has open a store without a log. It keeps its records and its feed, which begins a new
    /// epoch.
    ///
    /// - Throws: ``StoreError``: `inUse`, `noSuchStore`, and as opening and writing.
    package static func removeReplicaState(at path: String) throws {
        try requireUnused(path)
        var options = StoreOptions()
        options.createsIfMissing = false
        options.isLeaving = true
        try Store(at: path, records: [], options: options).close()
    }

    /// Returns the replica state and the newest position of a store, which processes may have open.
    ///
    /// - Throws: ``StoreError``: `noSuchStore`, and as opening for reading.
    package static func replicaState(at path: String) throws -> (state: [UInt8]?, position: Position) {
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try Store(at: path, records: [], options: options)
        defer { store.close() }
        return (try store.replicaAccess.state(), try store.position)
    }

    /// Counts the sum of a store's records, in one snapshot with its replica state and the sum that the log has given it.
    /// Processes may have the store open.
    ///
    /// - Throws: ``StoreError``: `noSuchStore`, `damaged`, and as opening for reading.
    /// - Complexity: linear in the size of the records.
    package static func countContent(
        at path: String
    ) throws -> (state: [UInt8]?, logged: ContentSum?, counted: ContentSum) {
        var options = StoreOptions()
        options.isReadOnly = true
        let store = try Store(at: path, records: [], options: options)
        defer { store.close() }
        let transaction = try store.beginRead()
        let reading = transaction._reading
        return (
            try StoreFormat.replica(reading.state.databases, reading.snapshot), try reading.storedContentSum(),
            try reading.contentSum()
        )
    }

    /// Gives the directory of a store that no process has open another name.
    ///
    /// - Throws: ``StoreError``: `inUse`, `noSuchStore`, `accessDenied`, `ioError`.
    package static func moveUnused(_ path: String, to other: String) throws {
        try requireUnused(path)
        guard StoreFile.move(path, toNew: other), StoreFile.syncDirectory(StoreDirectory.parent(of: path)) else {
            throw StoreError(failed: "\(path) cannot be renamed to \(other)")
        }
    }
}
