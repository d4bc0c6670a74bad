import LMDB
public import StoreEngine

extension Store {
    /// Opens the store in a directory without blocking the calling task, even while another process holds the write lock or the
    /// store is being created.
    ///
    /// - Throws: as ``init(at:records:options:)-55i2r``.
    public static func open<each R: Record>(
        at path: String, records: repeat (each R).Type, options: StoreOptions = StoreOptions()
    ) async throws -> Store {
        var types: [any Record.Type] = []
        repeat types.append((each records).self)
        return try await open(at: path, records: types, options: options)
    }

    /// Opens the store in a directory without blocking, with the record types in an array.
    public static func open(
        at path: String, records: [any Record.Type], options: StoreOptions = StoreOptions()
    ) async throws -> Store {
        try await BlockingWork.run { try Store(at: path, records: records, options: options) }
    }

    /// Creates a store that lives in memory until it is closed, if the system offers a memory file system.
    ///
    /// It works like any other store, with LMDB, indexes and feed, but syncs nothing. If the process is killed, the memory stays
    /// in use until the next process of the same user creates such a store.
    public static func temporary<each R: Record>(
        records: repeat (each R).Type, options: StoreOptions = StoreOptions()
    ) throws -> Store {
        var types: [any Record.Type] = []
        repeat types.append((each records).self)
        return try temporary(records: types, options: options)
    }

    /// Creates a store that lives in memory, with the record types in an array.
    public static func temporary(records: [any Record.Type], options: StoreOptions = StoreOptions()) throws -> Store {
        try options.check()
        let directory = try WorkFolder.inMemory()
        var own = options
        own.isTemporary = true
        do {
            return try Store(path: directory.path, records: records, options: own, temporary: directory)
        } catch {
            directory.remove()
            throw error
        }
    }

    /// Closes the store as ``close()`` does, without blocking the calling task.
    public func shutdown() async {
        // A forked child has no threads for the task to continue on.
        if core.environment.isForked { return close() }
        await BlockingWork.run { self.close() }
    }
}
