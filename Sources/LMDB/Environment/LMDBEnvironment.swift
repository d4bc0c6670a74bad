internal import Dispatch
internal import Synchronization

/// An LMDB environment: a directory with `data.mdb` and `lock.mdb`, opened once in this process.
///
/// Cycle: `open` (later opens share the environment), transactions, and one `close` for each open. The last close rejects new
/// transactions, waits for running ones and closes the files. `gate` excludes operations that must not overlap. `databases` and
/// `defersMetaSync` have locks of their own, and no other lock is taken while one of them is held.
package final class LMDBEnvironment: Sendable {
    /// How to open an environment.
    package struct Options: Sendable, Equatable {
        /// The address space to reserve. If the process's limit does not allow it, less is reserved. The file is sparse: it grows
        /// as it is filled.
        package var mapSize: Int
        /// The greatest size of all files together, in bytes; nil for no limit.
        package var maximumByteCount: Int?
        package var maximumReaders: Int
        package var maximumDatabases: Int
        /// Whether the environment is opened for transactions. Otherwise it only lists and clears readers, and needs no free
        /// slot.
        package var readsPages = true
        package var isReadOnly: Bool
        /// False leaves syncing to the system. A crash of the machine may then damage the store, so use it for temporary stores
        /// only.
        package var syncs: Bool
        /// Whether the environment uses `lock.mdb`. Otherwise the caller makes sure that no other code has it open.
        var usesLockFile = true
        /// When the log makes a checkpoint.
        package var redoLimits = RedoLimits()
        /// How long an open waits for another process that recovers the store; no limit if nil.
        package var recoveryPatience: Duration?
        package var allowsNetworkFileSystem: Bool
        /// The mode of new files, whatever the process's umask.
        package var fileMode: UInt32
        /// How long exclusive operations (a drop of a database, or adopting another process's growth) wait for this process's
        /// transactions. Also how long an open waits for another process that creates or repairs the files.
        package var patienceSeconds: Double

        package init(
            mapSize: Int = 1 << 40, maximumReaders: Int = 1024, maximumDatabases: Int = 512, isReadOnly: Bool = false,
            syncs: Bool = true, allowsNetworkFileSystem: Bool = false, fileMode: UInt32 = 0o640,
            patienceSeconds: Double = 5
        ) {
            self.mapSize = mapSize
            self.maximumReaders = maximumReaders
            self.maximumDatabases = maximumDatabases
            self.isReadOnly = isReadOnly
            self.syncs = syncs
            self.allowsNetworkFileSystem = allowsNetworkFileSystem
            self.fileMode = fileMode
            self.patienceSeconds = patienceSeconds
        }
    }

    /// The directory, by the path of the first open.
    package let path: String
    package let options: Options
    package let fileIdentity: LMDBFileIdentity
    let handle: EnvironmentHandle
    let node: FileNode
    let lockNode: FileNode?
    let files: HeldFiles
    let gate = TransactionGate()
    /// The databases with open handles.
    let databases = HandoverMutex(OpenDatabases())
    /// The size of the file's pages, in bytes.
    let pageSize: Int
    /// The number of slots in `lock.mdb`.
    let readerSlotCount: Int
    /// The newest map for reading, and how many bytes the file had when it was last looked up.
    let fileMap = HandoverMutex<FileMap?>(nil)
    let fileBytes = Atomic(0)
    let pageChecks: PageChecks
    let appendGuesses: AppendGuesses
    let writerWatch: WriterWatch
    /// The lock file; nil if the environment has none, or it could not be mapped.
    let lockMap: LockFileMap?
    let writerLock: WriterLock?
    /// The last setting passed to LMDB. Only the holder of the writer seat changes it.
    let defersMetaSync = HandoverMutex(false)
    /// Whether the meta pages have to be written again before the next write transaction.
    let isUnsettled: Atomic<Bool>
    /// How the greatest size divides among the files; nil without a limit.
    let quota: Quota?
    /// The greatest length of the data file, in bytes. Set once, before the environment is used.
    let dataLimit = Atomic(Int.max)
    /// The pages that the last writes of this process left. Used by the holder of the writer seat.
    let knownRoom = HandoverMutex(KnownRoom())
    /// Whether LMDB has disabled this environment.
    let hasPanicked = Atomic(false)
    /// The redo log; nil if LMDB syncs each commit itself.
    let redo: RedoLog?
    /// Shows other processes that the store needs no recovery; nil without a redo log.
    private let useMark: UseMark?
    /// What the opening mended.
    package let openingNotice: String?
    let restTimer = HandoverMutex(RestTimer())
    private let forkGeneration: Int

    init(
        path: String, options: Options, handle: EnvironmentHandle, node: FileNode, info: LMDBInfo,
        lockMap: LockFileMap?, redo: RedoLog?, quota: Quota?, useMark: UseMark?,
        openingNotice: String?, forkGeneration: Int
    ) {
        self.path = path
        self.options = options
        self.handle = handle
        self.node = node
        pageSize = info.pageSize
        readerSlotCount = info.maximumReaders
        self.redo = redo
        self.quota = quota
        self.forkGeneration = forkGeneration
        isUnsettled = Atomic(redo == nil && Self.isUnsettled(node))
        pageChecks = PageChecks()
        appendGuesses = AppendGuesses()
        lockNode = lockMap?.node ?? SystemCalls.node(at: path + "/lock.mdb")
        self.lockMap = lockMap
        self.openingNotice = openingNotice
        self.useMark = useMark
        writerLock = lockMap.map(WriterLock.init)
        writerWatch = WriterWatch(writerLock)
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        files = HeldFiles(path: path, dataFile: node, others: redo == nil ? [] : RedoFiles.names)
        fileIdentity = LMDBFileIdentity(
            device: node.device, inode: node.inode,
            birthNanoseconds: SystemCalls.birthNanoseconds(of: descriptor))
    }

    /// Opens an environment, or shares the one that this process has already open. Each open needs its own `close`.
    ///
    /// The directory must exist. If it contains files that LMDB could not open, or that would crash it later, the method throws
    /// an error with the reason.
    ///
    /// - Parameters:
    ///   - sharesAnyOptions: whether an environment that is open with other options may be shared; otherwise that is an error.
    ///   - preparing: called before the files are opened, if this process does not have them open. It may take the
    ///     ``LockFile`` and change the files. Other opens in this process wait for it.
    ///   - waiting: called once if the open waits for longer than a second for another process that recovers the store.
    package static func open(
        at path: String, options: Options = Options(), sharesAnyOptions: Bool = false, preparing: () -> Void = {},
        waiting: (Duration) -> Void = { _ in }
    ) throws(LMDBError) -> LMDBEnvironment {
        try EnvironmentRegistry.open(
            at: path, options: options, sharesAnyOptions: sharesAnyOptions, preparing: preparing, waiting: waiting)
    }

    /// Ends one open. The last close rejects new transactions, waits for running ones, and closes the files.
    ///
    /// A caller that holds a transaction of the environment must not make the last close, because the close would wait for that
    /// transaction.
    package func close() {
        EnvironmentRegistry.close(self) {
            // In a forked child, LMDB's own close would operate on the parent's files.
            if isForked { return true }
            guard gate.closeForever() else {
                // A store that stays locked with an error is better than freeing memory to which LMDB's lock still points.
                hasPanicked.store(true, ordering: .relaxed)
                return false
            }
            for context in gate.takeIdle() { context.end() }
            redo?.end(self)
            closeFiles()
            return true
        }
    }

    /// Closes the files of an environment without transactions.
    func closeFiles() {
        redo?.closeFiles()
        unsafe Calls.close(handle.pointer)
        lockMap?.closeFile()
        useMark?.end()
        fileMap.withLock { $0 = nil }
        pageChecks.close()
        files.close()
    }

    /// Throws if a file of the environment was removed, renamed, replaced or cut. Two system calls.
    package func checkFiles() throws(LMDBError) { try requireWholeFiles("fstatat") }

    func requireWholeFiles(_ operation: StaticString) throws(LMDBError) {
        try files.requireWhole(operation, path: path, leastBytes: fileBytes.load(ordering: .relaxed))
    }

    /// Throws if ``checkFiles()``, or the check before a commit, has failed before. One atomic load otherwise.
    @inline(__always)
    package func requireFiles() throws(LMDBError) {
        try files.requireNotLost("fstatat", path: path, leastBytes: fileBytes.load(ordering: .relaxed))
    }

    /// Whether this process is a forked child of the one that opened the environment.
    @inline(__always)
    package var isForked: Bool {
        ForkGuard.generation != forkGeneration
    }

    /// Throws `forkedChild` in a forked child. Callers that hand work to a thread must ask first, because a child has only the
    /// thread that forked it.
    package func requireOwnProcess() throws(LMDBError) {
        if isForked { throw forkedChild("fork") }
    }
}

/// LMDB's environment. `@unchecked Sendable`: LMDB allows all threads to use it, and the gate excludes operations that must not
/// overlap.
@safe
struct EnvironmentHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
