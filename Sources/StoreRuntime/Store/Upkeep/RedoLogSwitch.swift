import LMDB
package import StoreEngine

/// Turns the redo log of a store on and off, while no process has the store open.
///
/// With the log, the data file alone may lack commits after a crash of the system. So a store of format 1 or 2 first gets the
/// format that keeps out programs which do not know the log. Without the log, a store of format 3 has the earlier format again,
/// and each store has a mark that the log was turned off.
package enum RedoLogSwitch {
    /// The wanted form of a store.
    private enum Request {
        /// Completes a new store. An existing one keeps its format, unless `upgrades` raises it to the newest.
        case opening(usesLog: Bool, upgrades: Bool)
        case turn(isOn: Bool)
    }

    /// Makes the log of a store before its opening, where one is due: for a new store, for a copy without the log of its
    /// original, and for a store whose format the options raise. If that is not possible now, the store stays as it is.
    ///
    /// - Returns: the failure, if there was no data file before. An existing store opens without the change.
    static func settle(_ path: String, _ options: StoreOptions) -> StoreError? {
        guard !options.isReadOnly, !options.isTemporary, !options.leavesRedoLog, !RedoFiles.exist(in: path) else {
            return nil
        }
        let isNew = FileFacts(StoreDirectory.dataFile(path)) == nil
        guard hasRoomForLog(path, options) else { return nil }
        guard let lock = try? LockFile.take(in: path, beforeOpeningWith: options.environment) else { return nil }
        defer { lock.release() }
        do {
            let request = Request.opening(usesLog: options.usesRedoLog, upgrades: options.upgradesFormat)
            try settle(request, path, options)
            return nil
        } catch {
            return isNew ? error : nil
        }
    }

    /// Whether the log and the data file fit into the greatest size of the store. A store that was filled without a log goes on
    /// without one.
    private static func hasRoomForLog(_ path: String, _ options: StoreOptions) -> Bool {
        guard options.usesRedoLog != false, !RedoFiles.exist(in: path),
            let quota = Quota(options.environment, at: path, hasLog: true)
        else { return true }
        return quota.fitsDataFile(in: path)
    }

    /// Turns the log of a store on or off.
    ///
    /// - Throws: ``StoreError``: `inUse` when a process has the store open; `newerFormat`, `notAStore`, `damaged`;
    ///   `accessDenied`, `diskFull`, `ioError`.
    package static func turn(isOn: Bool, at path: String, options: StoreOptions) throws(StoreError) {
        let lock = try StoreLock.take(path)
        defer { lock.release() }
        try settle(.turn(isOn: isOn), path, options)
    }

    /// Turns the log of a store off, also if a file of the log is missing or damaged and the store is refused. The data file goes
    /// back to the last commit up to which it is whole.
    ///
    /// - Returns: how many commits are given up; nil if the files do not say.
    /// - Throws: ``StoreError`` as ``turn(isOn:at:options:)``; `damaged` if the data file is not whole either, and is left as it
    ///   is.
    package static func turnOffAcceptingLoss(at path: String, options: StoreOptions) throws(StoreError) -> Int? {
        let lock = try StoreLock.take(path)
        defer { lock.release() }
        let count = try mapLMDB { () throws(LMDBError) in try RedoFiles.giveUp(in: path) }
        try settle(.turn(isOn: false), path, options)
        return count
    }

    /// Raises a store to the newest format that it can have. The caller holds the store's lock.
    static func upgrade(_ path: String, usesLog: Bool, _ options: StoreOptions) throws(StoreError) {
        try settle(.opening(usesLog: usesLog, upgrades: true), path, options)
    }

    private static func settle(_ request: Request, _ path: String, _ options: StoreOptions) throws(StoreError) {
        if case .turn(isOn: false) = request {
            try mapLMDB { () throws(LMDBError) in try RedoFiles.remove(in: path) }
        } else if try mapLMDB({ () throws(LMDBError) in try RedoFiles.recover(in: path) }) {
            return
        }
        let marked = try mapLMDB { () throws(LMDBError) in
            try LMDBEnvironment.whileHeld(at: path, options: options.environment) { environment in
                Result { () throws(StoreError) in try mark(request, environment) }
            }
        }
        if try marked.get() { try mapLMDB { () throws(LMDBError) in try RedoFiles.create(in: path) } }
    }

    /// Gives the store the format, and the mark, of a store with or without a log.
    ///
    /// - Returns: whether it shall have a log.
    private static func mark(_ request: Request, _ environment: LMDBEnvironment) throws(StoreError) -> Bool {
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite() }
        raw.useReserve()
        let databases = try StoreOpening.openDatabases(&raw)
        let isUnborn = try StoreFormat.isUnborn(databases, raw.snapshot)
        let isOff = try StoreFormat.isLogOff(databases, raw.snapshot)
        let isEmpty = try mapLMDB { () throws(LMDBError) in
            try raw.snapshot.statistics(of: databases.metadata).entries == 0
        }
        let found = isEmpty ? nil : try StoreFormat.version(databases, raw.snapshot)
        guard let isLogged = isLogged(request, found: isUnborn ? nil : found, isOff: isOff) else { return false }
        let format = StoreFormat.newest(from: isUnborn ? nil : found, isLogged: isLogged)
        if found == format, isOff == !isLogged { return isLogged }
        try StoreFormat.writeVersion(format, databases, &raw)
        try StoreFormat.writeLogOff(!isLogged, databases, &raw)
        if !isUnborn {
            var head = try StoreFormat.head(databases, raw.snapshot)
            // Otherwise another program has written to the store, which the next writer shall find.
            let isOwn = head.transactionID == UInt64(raw.snapshot.transactionID) - 1
            if isOwn {
                try head.write(databases, in: &raw)
            } else {
                // Compacting has numbered the transactions again, so this one may have the number in the head.
                head.transactionID = 0
                try StoreFormat.writeHead(head, databases, &raw)
            }
        }
        if let failure = raw.commitFailure() { throw failure }
        return isLogged
    }

    /// Returns whether a store shall have a log; nil if it stays as it is and has none.
    ///
    /// - Parameters:
    ///   - found: the format of the store; nil for one that is not complete yet.
    ///   - isOff: whether a program has turned the log off.
    private static func isLogged(_ request: Request, found: UInt32?, isOff: Bool) -> Bool? {
        switch (request, found) {
        case (.turn(isOn: true), _): true
        // A store of format 1 has no log, and no mark for that: programs of this format report other entries as unknown.
        case (.turn(isOn: false), let found?) where found < StoreFormat.versionWithoutLog: nil
        case (.turn(isOn: false), _): false
        case (.opening(let usesLog, _), nil): usesLog
        // A copy of a store with a log.
        case (.opening, let found?) where found >= StoreFormat.versionWithLog: isOff ? nil : true
        case (.opening(let usesLog, upgrades: true), _): usesLog && !isOff
        case (.opening(_, upgrades: false), _): nil
        }
    }
}
