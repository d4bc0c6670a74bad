internal import CLMDB
internal import Dispatch
internal import Glibc

extension LMDBEnvironment {
    /// A smaller map is not useful.
    private static let smallestMap = 1 << 20

    /// The pause before an open retries, while another process creates the files or discards an unfinished file.
    private static let millisecondsBetweenLooks: UInt32 = 10

    /// Opens the files. Called by the registry, when this process does not have them open.
    ///
    /// If the creation of the data file was interrupted, the remains are discarded and the file is created again.
    static func openAlone(
        at path: String, options: Options, waiting: (Duration) -> Void = { _ in }
    ) throws(LMDBError) -> LMDBEnvironment {
        // Counted from the first failure, because LMDB may have waited for the lock for any time before it.
        var deadline: DispatchTime?
        while true {
            do throws(LMDBError) {
                if let environment = try openOnce(at: path, options: options, waiting) { return environment }
                continue
            } catch {
                let end = deadline ?? .now() + options.patienceSeconds
                deadline = end
                if error.code == .unfinished, !options.isReadOnly {
                    if try UnfinishedDataFile.empty(in: path, fileMode: options.fileMode) { continue }
                    if DispatchTime.now() > end { throw UnfinishedDataFile.busy(path) }
                } else if error.systemCode != MDB_INVALID || DispatchTime.now() > end {
                    throw error
                }
            }
            SystemCalls.pause(milliseconds: millisecondsBetweenLooks)
        }
    }

    /// Returns nil if it has to be tried again, because the redo log has come or gone meanwhile.
    private static func openOnce(
        at path: String, options: Options, _ waiting: (Duration) -> Void
    ) throws(LMDBError) -> LMDBEnvironment? {
        try LMDBLibrary.running.requireLayout(of: .compiled, path: path)
        let forkGeneration = ForkGuard.startWatching()
        try checkFileSystem(at: path, options: options)
        try FileEntry.requireOwnFiles(of: path)
        if options.usesLockFile, !options.isReadOnly { try ForeignFiles.requireNone(in: path) }
        // Before anything looks at the data file, which is what the log says it is.
        let found: RedoRecovery.Outcome
        do {
            found =
                try options.usesLockFile
                ? RedoRecovery.prepare(path, options, waiting: waiting) : RedoRecovery.recoverHeld(path, options)
        } catch {
            throw DeniedFile.naming(error, in: path, isReadOnly: options.isReadOnly)
        }
        let hasLog = found.hasLog
        let inspection = try DataFileInspection.inspect(storeAt: path)
        let needed = inspection?.newest.neededByteCount ?? 0
        let quota = options.isReadOnly ? nil : Quota(options, at: path, hasLog: hasLog)
        let largest = quota.map { min(options.mapSize, max($0.dataByteCount, needed, smallestMap)) } ?? options.mapSize
        var request = Calls.OpenRequest(
            path: path, mapSize: try mapSize(atMost: largest, needed: needed, path: path),
            maximumReaders: UInt32(clamping: options.maximumReaders),
            maximumDatabases: UInt32(clamping: options.maximumDatabases),
            isReadOnly: options.isReadOnly, syncs: options.syncs && !hasLog, fileMode: options.fileMode,
            locks: options.usesLockFile)
        let newFiles = ["/data.mdb", "/lock.mdb"].map { path + $0 }.filter { SystemCalls.node(at: $0) == nil }
        // A reader must not create the lock file of a store that does not exist.
        if options.usesLockFile, !options.isReadOnly || inspection != nil {
            try SpaceReservation.reserveLockFile(
                in: path, maximumReaders: options.maximumReaders, fileMode: options.fileMode)
        }
        // LMDB waits for a process that is opening the files, for ever if that was stopped.
        var wait = OpeningWait(path, options)
        while options.usesLockFile, (try? LockFile.isTakenExclusively(in: path)) == true { try wait.pause(waiting) }
        var pointer: OpaquePointer?
        var code = unsafe Calls.open(request, into: &pointer)
        // Other threads and processes may have taken the address space that was free a moment ago.
        while code == ENOMEM, request.mapSize / 2 >= max(smallestMap, needed) {
            request.mapSize = try mapSize(atMost: request.mapSize / 2, needed: needed, path: path)
            code = unsafe Calls.open(request, into: &pointer)
        }
        guard code == 0, let pointer = unsafe pointer else { throw openFailure(code, path: path, options: options) }
        for file in newFiles { SystemCalls.setMode(file, options.fileMode) }
        let handle = unsafe EnvironmentHandle(pointer: pointer)
        var redo: RedoLog?
        var lockMap: LockFileMap?
        do throws(LMDBError) {
            // A file that liblmdb has just created must have a format that this layer can read.
            if inspection == nil { _ = try DataFileInspection.inspect(storeAt: path) }
            guard let node = unsafe SystemCalls.node(of: Calls.fileDescriptor(of: pointer)) else {
                throw LMDBError(code: SystemCalls.lastCode, operation: "fstat", path: path)
            }
            // A link that was put in place meanwhile was opened too.
            try FileEntry.requireOwnFiles(of: path)
            // From here on the log neither comes nor goes: that needs a moment in which no process has the store open.
            let isShared = hasLog && options.usesLockFile
            let mustLookAgain = isShared && !found.keepsMismatch ? try RedoRecovery.isLeftOpen(path) : false
            guard RedoFiles.exist(in: path) == hasLog, !mustLookAgain else {
                unsafe Calls.close(pointer)
                return nil
            }
            let useMark = isShared ? try UseMark(in: path) : nil
            if options.usesLockFile { lockMap = LockFileMap(of: path) }
            if hasLog, !options.isReadOnly {
                guard lockMap != nil else {
                    throw LMDBError(code: SystemCalls.lastCode, operation: "mmap", path: path + "/lock.mdb")
                }
                redo = try RedoLog(in: path, limits: options.redoLimits)
            }
            if let lockMap,
                !ReaderTable(lockMap, slotCount: try info(of: handle, path: path).maximumReaders).clearLeftovers()
            {
                throw processNumberInUse(path)
            }
            // With a log, both were flushed before it was made.
            let isNew = !hasLog && inspection?.newest.isInitial ?? true
            if isNew, options.syncs, !options.isReadOnly { try makeDurable(handle, path: path) }
            let environment = LMDBEnvironment(
                path: path, options: options, handle: handle, node: node,
                info: try info(of: handle, path: path), lockMap: lockMap, redo: redo, quota: quota,
                useMark: useMark,
                openingNotice: found.notice,
                forkGeneration: forkGeneration)
            try environment.clearStaleReaders()
            if options.readsPages { try environment.openExistingDatabases() }
            try environment.applyQuota()
            return environment
        } catch {
            redo?.closeFiles()
            unsafe Calls.close(pointer)
            lockMap?.closeFile()
            throw DeniedFile.naming(error, in: path, isReadOnly: options.isReadOnly)
        }
    }

    /// Flushes a new data file and its name to the disk before the first commit. An opener that finds no commit in the file does
    /// this too, because its creator may not have reached this point. A commit therefore proves to every later opener that both
    /// are on the disk.
    ///
    /// Each attempt writes the meta pages again first, within LMDB's write lock, as an earlier attempt may have failed.
    private static func makeDurable(_ handle: EnvironmentHandle, path: String) throws(LMDBError) {
        var transaction: OpaquePointer?
        let code = unsafe Calls.begin(handle.pointer, parent: nil, isReadOnly: false, into: &transaction)
        guard code == 0, let transaction = unsafe transaction else {
            throw LMDBError(code: code, operation: "mdb_txn_begin", path: path)
        }
        defer { unsafe Calls.abort(transaction) }
        try syncMetaPages(handle, pageSize: try info(of: handle, path: path).pageSize, path: path)
        guard StoreFile.syncDirectory(path) else {
            throw LMDBError(code: SystemCalls.lastCode, operation: "fsync", path: path)
        }
    }

    /// Returns the sizes of an environment, without that of its file.
    static func info(of handle: EnvironmentHandle, path: String) throws(LMDBError) -> LMDBInfo {
        var info: LMDBInfo?
        let code = unsafe Calls.info(handle.pointer, fileBytes: 0, into: &info)
        guard let info else { throw LMDBError(code: code, operation: "mdb_env_info", path: path) }
        return info
    }

    private static func checkFileSystem(at path: String, options: Options) throws(LMDBError) {
        guard let magic = SystemCalls.fileSystemMagic(at: path) else {
            let code = SystemCalls.lastCode
            guard code == ENOENT else { throw LMDBError(code: code, operation: "statfs", path: path) }
            throw LMDBError(
                .noSuchFile, operation: "open", path: path, systemCode: code, detail: "the directory does not exist",
                remedy: "create the directory first")
        }
        guard let name = FileSystemKind.networkName(magic: magic), !options.allowsNetworkFileSystem else { return }
        throw LMDBError(
            .networkFileSystem, operation: "open", path: path,
            detail: "the directory is on \(name), where LMDB's locks and shared map do not work across machines",
            remedy: "put the store on a local disk, or allow network file systems if only one machine ever uses it")
    }

    /// Returns the requested map size, or the largest size that the limit on address space leaves, in steps of one half. A
    /// reduced size takes at most half of the free address space, because the program needs some too.
    static func mapSize(atMost largest: Int, needed: Int, path: String) throws(LMDBError) -> Int {
        guard !SystemCalls.canMap(byteCount: max(largest, needed)) else { return largest }
        var size = largest / 2
        while size >= max(smallestMap, needed) {
            if SystemCalls.canMap(byteCount: 2 * size) { return size }
            size /= 2
        }
        throw LMDBError(
            .addressSpace, operation: "mmap", path: path, systemCode: ENOMEM,
            detail: "the address space has no room for a map of \(max(smallestMap, needed)) bytes",
            remedy: "raise the process's limit on address space (ulimit -v)")
    }

    private static func processNumberInUse(_ path: String) -> LMDBError {
        LMDBError(
            .foreignProcessNamespace, operation: "open", path: path,
            detail: "a process of another pid namespace has the store open, and has the number of this process",
            remedy: "let all processes that use the store share one pid namespace")
    }

    static func overwrittenLockFile(of path: String, _ operation: StaticString) -> LMDBError {
        LMDBError(
            .notAStore, operation: "\(operation)", path: path, systemCode: MDB_INVALID,
            detail: "lock.mdb is not an LMDB lock file, or another program overwrote it",
            remedy: "retry, or stop every program that uses the store and remove lock.mdb")
    }

    private static func openFailure(_ code: Int32, path: String, options: Options) -> LMDBError {
        if code == MDB_INVALID { return overwrittenLockFile(of: path, "mdb_env_open") }
        if code == EACCES || code == EPERM {
            return DeniedFile.error(
                in: path, isReadOnly: options.isReadOnly, operation: "mdb_env_open", systemCode: code)
        }
        guard code == EROFS, !options.isReadOnly, SystemCalls.node(at: path + "/data.mdb") != nil else {
            return LMDBError(code: code, operation: "mdb_env_open", path: path)
        }
        return LMDBError(
            .readOnly, operation: "mdb_env_open", path: path, systemCode: code,
            detail: "\(path) is on a read-only file system", remedy: "open the store read-only")
    }
}
