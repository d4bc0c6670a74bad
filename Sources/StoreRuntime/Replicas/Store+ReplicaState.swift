import LMDB
package import StoreEngine

extension Store {
    /// Throws if a process has a store open.
    ///
    /// - Throws: ``StoreError``: `inUse`, `accessDenied`, `ioError`.
    package static func requireUnused(_ path: String) throws(StoreError) { try StoreLock.requireUnused(path) }

    /// Changes the replica state of a store that no process has open: its place in a log, or that it has one.
    ///
    /// - Parameter change: receives the old state, nil for a store without replicas, and the newest position; returns the new state.
    /// - Throws: ``StoreError``: `inUse`, `noSuchStore`, and as opening and writing. The errors of `change`.
    package static func setReplicaState(
        at path: String, _ change: (_ state: [UInt8]?, _ position: Position) throws -> [UInt8]
    ) throws {
        try requireUnused(path)
        var options = StoreOptions()
        options.createsIfMissing = false
        options.isJoining = true
        options.commitLog = JoiningLog()
        let store = try Store(at: path, records: [], options: options)
        defer { store.close() }
        let access = store.replicaAccess
        let state = try change(try access.state(), try store.position)
        try access.perform { try access.apply([(LoggedEntry(changeSets: []), state)]) }
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
