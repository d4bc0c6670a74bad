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
    static func openForWriting(_ path: String) throws -> Store {
        var options = options(path)
        options.limits.changeSetByteCount = changeSetByteCount
        return try open(path, options)
    }

    /// The standard options, with the mode that the store's own files have.
    static func options(_ path: String) -> StoreOptions {
        var options = StoreOptions()
        options.originName = "store-cli"
        options.createsIfMissing = false
        if let mode = FileOwnership(of: path + "/data.mdb")?.mode { options.fileMode = mode }
        return options
    }

    // A store that was moved without its lock file gets a new one here, which must not shut its owner out.
    private static func open(_ path: String, _ options: StoreOptions) throws -> Store {
        let lock = path + "/lock.mdb"
        let isNew = unsafe access(lock, F_OK) != 0
        defer { if isNew { FileOwnership(of: path + "/data.mdb")?.apply(to: lock) } }
        return try Store(at: path, records: [], options: options)
    }
}
