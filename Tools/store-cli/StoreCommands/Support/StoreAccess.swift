import Glibc
import StoreEngine
import StoreRuntime

/// Opens stores with the options that the commands need.
enum StoreAccess {
    /// Commands that write have larger limits than services, because one import is one change set.
    static let changeSetByteCount = 1 << 40

    /// Opens a store for reading. Takes no write lock and works on read-only media.
    ///
    /// - Parameter timeout: the longest wait for another process that recovers the store; nil for no limit.
    static func openForReading(_ path: String, timeout: Duration? = nil) throws -> Store {
        var options = options(path)
        options.isReadOnly = true
        options.writeTimeout = timeout
        return try open(path, options)
    }

    /// Opens a store for writing. A missing store is an error.
    ///
    /// - Parameter timeout: the longest wait for another process that writes; nil for no limit.
    static func openForWriting(_ path: String, timeout: Duration?) throws -> Store {
        var options = options(path)
        options.limits.changeSetByteCount = changeSetByteCount
        options.writeTimeout = timeout
        return try open(path, options)
    }

    /// Returns the options of a store that no program has opened yet.
    static func optionsOfNewStore() -> StoreOptions {
        var options = StoreOptions()
        options.originName = "store-cli"
        // The tool must open any store, whatever limits its programs set.
        options.maximumDatabases = StoreOptions.databasesOfAnyStore
        return options
    }

    /// Returns the default options, with the mode of the store's own files.
    static func options(_ path: String) -> StoreOptions {
        var options = optionsOfNewStore()
        options.createsIfMissing = false
        // A program that has begun to build indexes should complete them. In a command, that would take unexpectedly long.
        options.buildsIndexes = false
        options.onEvent = { event in
            switch event {
            case .writerBlocked(let processID, _):
                StandardError.writeLine(
                    "\(WriterHolder(processID)) holds the store's writer; waiting for it (--timeout SECONDS limits that)"
                )
            case .recoveryAwaited:
                StandardError.writeLine(
                    "another process is recovering the store; waiting for it (--timeout SECONDS limits that)")
            case .filesMended(let what): StandardError.writeLine(what)
            default: return
            }
        }
        if let mode = FileOwnership(of: path + "/data.mdb")?.mode { options.fileMode = mode }
        return options
    }

    /// Fails if the data file cannot be examined or is empty, and names the file. A missing file passes: opening the store
    /// reports it.
    static func requireReachable(_ path: String) throws {
        let file = path + "/data.mdb"
        var status = stat()
        guard unsafe stat(file, &status) == 0 else {
            let failure = SystemFailure("\(file) cannot be examined")
            if failure.isMissingFile { return }
            throw failure
        }
        // LMDB would treat it as a store that is yet to be created.
        guard status.st_mode & S_IFMT != S_IFREG || status.st_size > 0 else {
            throw StoreError(
                .damaged, "\(file) is empty: the creation of the store was interrupted, or its content is lost",
                remedy: "restore a backup, or remove the file and create the store again")
        }
    }

    // A store that was moved without its lock file gets a new one here, which must not lock out the store's owner.
    private static func open(_ path: String, _ options: StoreOptions) throws -> Store {
        try requireReachable(path)
        let lock = path + "/lock.mdb"
        let isNew = unsafe access(lock, F_OK) != 0
        defer { if isNew { FileOwnership(of: path + "/data.mdb")?.apply(to: lock) } }
        return try Store(at: path, records: [], options: options)
    }
}
