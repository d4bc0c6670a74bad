internal import Dispatch
internal import Synchronization

/// An LMDB environment: a directory with `data.mdb` and `lock.mdb`, opened once in this process.
///
/// Cycle: `open` (a later one shares it), transactions, one `close` for each open; the last refuses new transactions,
/// waits for those that run and closes the files. What may not overlap goes through `gate`; `databases` and
/// `defersMetaSync` have a lock of their own, which is never held while another is taken.
package final class LMDBEnvironment: Sendable {
    /// How to open an environment.
    package struct Options: Sendable, Equatable {
        /// Address space to reserve; less is taken where the process's limit forbids. The file is sparse: it grows as
        /// it is filled.
        package var mapSize: Int
        package var maximumReaders: Int
        package var maximumDatabases: Int
        package var isReadOnly: Bool
        /// False leaves syncing to the system: a crash of the machine may damage the store. Temporary stores only.
        package var syncs: Bool
        package var allowsNetworkFileSystem: Bool
        /// The mode of files that are made, whatever the process's umask.
        package var fileMode: UInt32
        /// How long what needs to be alone (dropping a database, taking over another process's growth) waits for this
        /// process's transactions, and an open for another process that makes or mends the files.
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
    /// Databases that the environment has handles for, by name.
    let databases = HandoverMutex<[String: LMDBDatabase]>([:])
    let appendGuesses: AppendGuesses
    let writerWatch: WriterWatch
    let writerLock: FoundWriterLock
    /// What LMDB was last told; changed by the holder of the writer's seat only.
    let defersMetaSync = HandoverMutex(false)
    /// How often the map was exchanged for a larger one, while nobody read.
    let mapNumber = Atomic(0)
    /// Whether LMDB has given this environment up.
    let hasPanicked = Atomic(false)
    private let forkGeneration: Int

    init(path: String, options: Options, handle: EnvironmentHandle, node: FileNode, forkGeneration: Int) {
        self.path = path
        self.options = options
        self.handle = handle
        self.node = node
        self.forkGeneration = forkGeneration
        appendGuesses = AppendGuesses(maximumDatabases: options.maximumDatabases)
        lockNode = SystemCalls.node(at: path + "/lock.mdb")
        writerLock = FoundWriterLock(in: lockNode)
        writerWatch = WriterWatch(writerLock)
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        files = HeldFiles(path: path, dataFile: descriptor)
        fileIdentity = LMDBFileIdentity(
            device: node.device, inode: node.inode,
            birthNanoseconds: SystemCalls.birthNanoseconds(of: descriptor))
    }

    /// Opens an environment, or shares the one that this process has open already. Each open wants its `close`.
    ///
    /// The directory must exist. Files in it that LMDB could not open, or that would crash it later, are refused with
    /// an error that says why.
    ///
    /// - Parameter sharesAnyOptions: whether one that is open already is shared although its options are others; else
    ///   that is an error.
    package static func open(
        at path: String, options: Options = Options(), sharesAnyOptions: Bool = false
    ) throws(LMDBError) -> LMDBEnvironment {
        try EnvironmentRegistry.open(at: path, options: options, sharesAnyOptions: sharesAnyOptions)
    }

    /// Balances one open. The last one refuses new transactions, waits for those that run, and closes.
    ///
    /// So nobody who holds a transaction of the environment may call it for the last time.
    package func close() {
        EnvironmentRegistry.close(self) {
            // In a forked child, LMDB's own close would go on in the parent's files.
            if isForked { return true }
            guard gate.closeForever() else {
                // Better a store that stays locked with an error than memory that its lock still points into.
                hasPanicked.store(true, ordering: .relaxed)
                return false
            }
            for context in gate.takeIdle() { context.end() }
            unsafe Calls.close(handle.pointer)
            files.close()
            return true
        }
    }

    /// Whether this process is a child of the one that opened the environment.
    @inline(__always)
    var isForked: Bool {
        ForkGuard.generation != forkGeneration
    }
}

/// LMDB's environment. `@unchecked Sendable`: LMDB lets all threads use it; what may not overlap goes through the gate.
@safe
struct EnvironmentHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
