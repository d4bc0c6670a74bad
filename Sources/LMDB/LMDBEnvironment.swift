internal import Dispatch
internal import Synchronization

/// An LMDB environment: a directory with `data.mdb` and `lock.mdb`, opened once in this process.
package final class LMDBEnvironment: Sendable {
    /// How to open an environment.
    package struct Options: Sendable, Equatable {
        /// Address space to reserve. The file is sparse: it grows as it is filled.
        package var mapSize: Int
        package var maximumReaders: Int
        package var maximumDatabases: Int
        package var isReadOnly: Bool
        /// False leaves syncing to the system: a crash of the machine may damage the store. Temporary stores only.
        package var syncs: Bool
        package var allowsNetworkFileSystem: Bool
        /// The mode of files that are made.
        package var fileMode: UInt32

        package init(
            mapSize: Int = 1 << 40, maximumReaders: Int = 1024, maximumDatabases: Int = 512, isReadOnly: Bool = false,
            syncs: Bool = true, allowsNetworkFileSystem: Bool = false, fileMode: UInt32 = 0o640
        ) {
            self.mapSize = mapSize
            self.maximumReaders = maximumReaders
            self.maximumDatabases = maximumDatabases
            self.isReadOnly = isReadOnly
            self.syncs = syncs
            self.allowsNetworkFileSystem = allowsNetworkFileSystem
            self.fileMode = fileMode
        }
    }

    /// The directory, by the path of the first open.
    package let path: String
    package let options: Options
    package let fileIdentity: LMDBFileIdentity
    let handle: EnvironmentHandle
    let node: FileNode
    let gate = TransactionGate()
    /// Databases that the environment has handles for, by name.
    let databases = Mutex<[String: LMDBDatabase]>([:])
    /// What LMDB was last told; changed by the holder of the writer's seat only.
    let defersMetaSync = Mutex(false)

    private init(path: String, options: Options, handle: EnvironmentHandle, node: FileNode) {
        self.path = path
        self.options = options
        self.handle = handle
        self.node = node
        let descriptor = unsafe Calls.fileDescriptor(of: handle.pointer)
        fileIdentity = LMDBFileIdentity(
            device: node.device, inode: node.inode,
            birthNanoseconds: SystemCalls.birthNanoseconds(of: descriptor))
    }

    /// Opens an environment, or shares the one that this process has open already. Each open wants its `close`.
    package static func open(at path: String, options: Options = Options()) throws(LMDBError) -> LMDBEnvironment {
        try EnvironmentRegistry.open(at: path, options: options)
    }

    /// Balances one open. The last one refuses new transactions, waits for those that run, and closes.
    package func close() {
        EnvironmentRegistry.close(self) {
            gate.closeForever()
            for context in gate.takeIdle() {
                if let handle = unsafe context.handle { unsafe Calls.abort(handle) }
            }
            unsafe Calls.close(handle.pointer)
        }
    }

    /// For the registry: opens the files, which nobody in this process has open.
    static func openAlone(at path: String, options: Options) throws(LMDBError) -> LMDBEnvironment {
        var pointer: OpaquePointer?
        let request = Calls.OpenRequest(
            path: path, mapSize: options.mapSize, maximumReaders: UInt32(options.maximumReaders),
            maximumDatabases: UInt32(options.maximumDatabases), isReadOnly: options.isReadOnly, syncs: options.syncs,
            fileMode: options.fileMode)
        let code = unsafe Calls.open(request, into: &pointer)
        guard code == 0, let pointer = unsafe pointer else {
            throw LMDBError(code: code, operation: "mdb_env_open", path: path)
        }
        let handle = unsafe EnvironmentHandle(pointer: pointer)
        let node = unsafe SystemCalls.node(of: Calls.fileDescriptor(of: pointer)) ?? FileNode(device: 0, inode: 0)
        let environment = LMDBEnvironment(path: path, options: options, handle: handle, node: node)
        try environment.openExistingDatabases()
        return environment
    }
}

/// LMDB's environment. `@unchecked Sendable`: LMDB lets all threads use it; what may not overlap goes through the gate.
@safe
struct EnvironmentHandle: @unchecked Sendable {
    let pointer: OpaquePointer
}
