import Glibc
import StoreEngine
import StoreRuntime

/// Opens stores as the commands want them.
enum StoreAccess {
    /// Commands that write have larger limits than services, since one import is one change set.
    static let changeSetByteCount = 1 << 40

    /// Opens a store to look at it. Takes no write lock and works on read-only media.
    static func openForReading(_ path: String) throws -> Store {
        var options = options(path)
        options.isReadOnly = true
        return try open(path, options)
    }

    /// Opens a store to change it; a missing one is an error.
    ///
    /// - Parameter timeout: the longest wait for another process that writes; no limit when nil.
    static func openForWriting(_ path: String, timeout: Duration?) throws -> Store {
        var options = options(path)
        options.limits.changeSetByteCount = changeSetByteCount
        options.writeTimeout = timeout
        return try open(path, options)
    }

    /// The standard options, with the mode that the store's own files have.
    static func options(_ path: String) -> StoreOptions {
        var options = StoreOptions()
        options.originName = "store-cli"
        options.createsIfMissing = false
        // Indexes that a program has begun to build are for it to finish; a command would take unexpectedly long.
        options.buildsIndexes = false
        options.onEvent = { event in
            guard case .writerBlocked(let processID, _) = event else { return }
            StandardError.writeLine(
                "\(WriterHolder(processID)) writes to the store; waiting for it (--timeout SECONDS limits that)")
        }
        // The tool works on any store, whatever its programs allow themselves.
        options.maximumDatabases = 16_384
        if let mode = FileOwnership(of: path + "/data.mdb")?.mode { options.fileMode = mode }
        return options
    }

    /// Fails where the data file cannot be looked at, or is empty, and names it; otherwise that there may be none is for
    /// the opening to tell.
    static func requireReachable(_ path: String) throws {
        let file = path + "/data.mdb"
        var status = stat()
        guard unsafe stat(file, &status) == 0 else {
            let failure = SystemFailure("\(file) cannot be looked at")
            if failure.isMissingFile { return }
            throw failure
        }
        // LMDB would take it for a store that is yet to be made.
        guard status.st_mode & S_IFMT != S_IFREG || status.st_size > 0 else {
            throw StoreError(
                .damaged, "\(file) is empty: the making of the store was cut short, or its content is lost",
                remedy: "restore a backup, or remove the file and create the store again")
        }
    }

    // A store that was moved without its lock file gets a new one here, which must not shut its owner out.
    private static func open(_ path: String, _ options: StoreOptions) throws -> Store {
        try requireReachable(path)
        let lock = path + "/lock.mdb"
        let isNew = unsafe access(lock, F_OK) != 0
        defer { if isNew { FileOwnership(of: path + "/data.mdb")?.apply(to: lock) } }
        return try Store(at: path, records: [], options: options)
    }
}
