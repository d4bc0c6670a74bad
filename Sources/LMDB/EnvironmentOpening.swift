internal import Glibc

extension LMDBEnvironment {
    /// Below this a map is not worth having.
    private static let smallestMap = 1 << 20

    /// For the registry: opens the files, which nobody in this process has open.
    static func openAlone(at path: String, options: Options) throws(LMDBError) -> LMDBEnvironment {
        let forkGeneration = ForkGuard.startWatching()
        try checkFileSystem(at: path, options: options)
        let inspection = try DataFileInspection.inspect(storeAt: path)
        let request = Calls.OpenRequest(
            path: path,
            mapSize: try mapSize(for: options, needed: inspection?.newest.neededByteCount ?? 0, path: path),
            maximumReaders: UInt32(clamping: options.maximumReaders),
            maximumDatabases: UInt32(clamping: options.maximumDatabases),
            isReadOnly: options.isReadOnly, syncs: options.syncs, fileMode: options.fileMode)
        let newFiles = ["/data.mdb", "/lock.mdb"].map { path + $0 }.filter { SystemCalls.node(at: $0) == nil }
        var pointer: OpaquePointer?
        let code = unsafe Calls.open(request, into: &pointer)
        guard code == 0, let pointer = unsafe pointer else { throw openFailure(code, path: path, options: options) }
        for file in newFiles { SystemCalls.setMode(file, options.fileMode) }
        let handle = unsafe EnvironmentHandle(pointer: pointer)
        do throws(LMDBError) {
            guard let node = unsafe SystemCalls.node(of: Calls.fileDescriptor(of: pointer)) else {
                throw LMDBError(code: SystemCalls.lastCode, operation: "fstat", path: path)
            }
            let environment = LMDBEnvironment(
                path: path, options: options, handle: handle, node: node, forkGeneration: forkGeneration)
            try environment.clearStaleReaders()
            try environment.openExistingDatabases()
            return environment
        } catch {
            unsafe Calls.close(pointer)
            throw error
        }
    }

    private static func checkFileSystem(at path: String, options: Options) throws(LMDBError) {
        guard let magic = SystemCalls.fileSystemMagic(at: path) else {
            let code = SystemCalls.lastCode
            guard code == ENOENT else { throw LMDBError(code: code, operation: "statfs", path: path) }
            throw LMDBError(
                .noSuchFile, operation: "open", path: path, systemCode: code, detail: "there is no such directory",
                remedy: "Make the directory first")
        }
        guard let name = FileSystemKind.networkName(magic: magic), !options.allowsNetworkFileSystem else { return }
        throw LMDBError(
            .networkFileSystem, operation: "open", path: path,
            detail: "the directory is on \(name), where LMDB's locks and its shared map do not hold between machines",
            remedy: "Put the store on a local disk; if only one machine ever uses it, allow network file systems")
    }

    /// The map size asked for, or the largest that the limit on address space leaves, down by halves. A smaller one
    /// takes at most half of what is left: the program needs room too.
    static func mapSize(for options: Options, needed: Int, path: String) throws(LMDBError) -> Int {
        guard !SystemCalls.canMap(byteCount: max(options.mapSize, needed)) else { return options.mapSize }
        var size = options.mapSize / 2
        while size >= max(smallestMap, needed) {
            if SystemCalls.canMap(byteCount: 2 * size) { return size }
            size /= 2
        }
        throw LMDBError(
            .addressSpace, operation: "mmap", path: path, systemCode: ENOMEM,
            detail: "the address space has no room for a map of \(max(smallestMap, needed)) bytes",
            remedy: "Raise the process's limit on address space (ulimit -v)")
    }

    private static func openFailure(_ code: Int32, path: String, options: Options) -> LMDBError {
        guard code == EROFS || code == EACCES, !options.isReadOnly, SystemCalls.node(at: path + "/data.mdb") != nil
        else {
            return LMDBError(code: code, operation: "mdb_env_open", path: path)
        }
        let why = code == EROFS ? "the file system is read-only" : "this process's user may not write to the store"
        return LMDBError(
            code == EROFS ? .readOnly : .accessDenied, operation: "mdb_env_open", path: path, systemCode: code,
            detail: why, remedy: "Open the store read-only, or give access")
    }
}
