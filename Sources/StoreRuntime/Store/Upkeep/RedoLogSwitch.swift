import LMDB
package import StoreEngine

/// Turns the redo log of a store on and off, while no process has the store open.
///
/// With the log, the data file alone may lack commits after a crash of the system. So the store first gets the format that keeps out
/// programs which do not know the log. Without the log, the store has the earlier format again, and a mark that it was turned off.
package enum RedoLogSwitch {
    /// Lets a store that is about to be opened gain or lose its log, as the options want. If that is not possible now, the store stays
    /// as it is.
    ///
    /// - Returns: the failure, if there was no data file before. An existing store opens without the change.
    static func settle(_ path: String, _ options: StoreOptions) -> StoreError? {
        guard !options.isReadOnly, !options.isTemporary, !options.leavesRedoLog else { return nil }
        if RedoFiles.exist(in: path), options.usesRedoLog ?? true { return nil }
        let isNew = FileFacts(StoreDirectory.dataFile(path)) == nil
        guard let lock = try? LockFile.take(in: path, beforeOpeningWith: options.environment) else { return nil }
        defer { lock.release() }
        do {
            try turn(options.usesRedoLog, path, options)
            return nil
        } catch {
            return isNew ? error : nil
        }
    }

    /// Turns the log of a store on or off.
    ///
    /// - Throws: ``StoreError``: `inUse` when a process has the store open; `newerFormat`, `notAStore`, `damaged`; `accessDenied`,
    ///   `diskFull`, `ioError`.
    package static func turn(isOn: Bool, at path: String, options: StoreOptions) throws(StoreError) {
        let lock = try StoreLock.take(path)
        defer { lock.release() }
        try turn(isOn, path, options)
    }

    /// - Parameter isOn: whether the store shall have a log; nil for yes unless it was turned off.
    private static func turn(_ isOn: Bool?, _ path: String, _ options: StoreOptions) throws(StoreError) {
        if isOn == false {
            try mapLMDB { () throws(LMDBError) in try RedoFiles.remove(in: path) }
        } else if RedoFiles.exist(in: path) {
            return
        }
        let marked = try mapLMDB { () throws(LMDBError) in
            try LMDBEnvironment.whileHeld(at: path, options: options.environment) { environment in
                Result { () throws(StoreError) in try mark(isOn, environment) }
            }
        }
        if try marked.get() { try mapLMDB { () throws(LMDBError) in try RedoFiles.create(in: path) } }
    }

    /// Gives the store the format, and the mark, of a store with or without a log.
    ///
    /// - Returns: whether it shall have a log.
    private static func mark(_ isOn: Bool?, _ environment: LMDBEnvironment) throws(StoreError) -> Bool {
        var raw = try mapLMDB { () throws(LMDBError) in try environment.beginWrite() }
        let databases = try StoreOpening.openDatabases(&raw)
        let isUnborn = try StoreFormat.isUnborn(databases, raw.snapshot)
        let isOff = try StoreFormat.isLogOff(databases, raw.snapshot)
        let isLogged = isOn ?? !isOff
        let format = StoreFormat.version(isLogged: isLogged)
        let isEmpty = try mapLMDB { () throws(LMDBError) in
            try raw.snapshot.statistics(of: databases.metadata).entries == 0
        }
        if !isEmpty, try StoreFormat.version(databases, raw.snapshot) == format, isOff == !isLogged { return isLogged }
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
}
