import Foundation
package import LMDB
public import StoreEngine

extension Store {
    /// The newest position, including commits of other processes.
    ///
    /// - Throws: ``StoreError``.
    public var position: Position {
        get throws {
            try read { transaction in
                Position(store: core.state.identity, head: try transaction._reading.feedHead())
            }
        }
    }

    /// Builds the indexes that the store lacks, after ``StoreOptions/buildsIndexes`` left that for later.
    ///
    /// Works in chunks, and other writes run between them. An interrupted build continues where it stopped, also in another
    /// process. Blocks until all indexes are ready, so call it from a thread that may wait.
    ///
    /// - Throws: ``StoreError``: `uniqueViolation`, naming two records with the same value in a unique index. The index then
    ///   stays unbuilt: change or delete one of the records, and call this again.
    public func buildIndexes() throws {
        try requireWritable()
        // Keeps an index that cannot be built: the programs that have the store open declare it and must be able to continue.
        try core.buildIndexes(dropsUnbuildable: false)
    }

    /// Writes a consistent copy of the store to a directory, while the store is in use.
    ///
    /// ```swift
    /// try store.backup(to: "/mnt/backup") { progress in
    ///     try Task.checkCancellation()
    ///     print("\(progress.byteCount) of \(progress.totalByteCount) bytes")
    /// }
    /// ```
    ///
    /// The copy contains the last commit, is a store of its own, and has the owner and the mode of this store's data file. A new
    /// directory has those of this store's directory. The copy's first writer starts a new epoch, so that positions of the two
    /// stores differ. The method waits for no writer, not even for a stopped process, and no writer waits for it. You can call it
    /// in a write closure, whose own changes are not in the copy.
    ///
    /// Blocks for as long as the copy takes. Until it is done, the store cannot reuse pages that writers free.
    ///
    /// When the method returns, the copy is on disk. After a failure, the directory holds no copy.
    ///
    /// - Parameters:
    ///   - directory: an empty directory, or a missing one in a directory that exists.
    ///   - compacting: whether to leave out free pages. The copy is then smaller and takes longer.
    ///   - onProgress: called after each part of about one mebibyte, on the thread of the caller. To cancel the backup, throw an
    ///     error: the method removes the unfinished copy and rethrows it. LMDB makes a compacting copy in one step, so it is
    ///     called at the end only.
    /// - Throws: ``StoreError``: `storeExists` when the directory holds a store; `notAStore` when it holds other files, apart
    ///   from hidden ones; `damaged` when the data file was cut;
    ///   `diskFull`, `ioError`, `accessDenied`. The errors of `onProgress`.
    /// - Complexity: O(*n*) in the bytes of the store.
    public func backup(
        to directory: String, compacting: Bool = false, onProgress: (CopyProgress) throws -> Void = { _ in }
    ) throws {
        try requireOpen()
        guard !FileManager.default.fileExists(atPath: StoreDirectory.dataFile(directory)) else {
            throw StoreDirectory.occupied(directory)
        }
        let file = try NewDataFile(in: directory)
        try file.make { work in
            try copyData(to: work, compacting: compacting, onProgress: onProgress)
        }
        file.giveAccess(ofDirectory: environmentPath)
    }

    /// Writes a consistent copy of the data file to an empty directory. The caller syncs it.
    package func copyData(
        to directory: String, compacting: Bool, onProgress: (CopyProgress) throws -> Void = { _ in }
    ) throws {
        try requireOpen()
        try core.copyData(to: directory, compacting: compacting, onProgress)
    }

    /// Returns the processes that read the store now, and the snapshots that they hold.
    package func readers() throws(StoreError) -> [LMDBReader] {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in try core.environment.readers() }
    }

    /// Returns the use of the redo log; nil for a store without one.
    package func redoLog(_ readers: [LMDBReader], _ info: LMDBInfo) throws(StoreError) -> RedoLogUsage? {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in try RedoLogUsage(core.environment, readers, info) }
    }

    /// Frees the reader slots of processes that have ended.
    ///
    /// - Returns: how many slots it freed.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func clearStaleReaders() throws(StoreError) -> Int {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in try core.environment.clearStaleReaders() }
    }

    /// The directory in which the environment was first opened. This store's path may be another path to it.
    package var environmentPath: String { core.environment.path }

    /// Returns the sizes of the environment.
    package func environmentInfo() throws(StoreError) -> LMDBInfo {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in try core.environment.info() }
    }
}

extension StoreCore {
    /// Writes a consistent copy of the data file to an empty directory. The caller syncs it.
    func copyData(
        to directory: String, compacting: Bool, _ onProgress: (CopyProgress) throws -> Void = { _ in }
    ) throws {
        guard compacting else {
            let copy = try mapLMDB { () throws(LMDBError) in try environment.beginCopy(to: directory) }
            return try copy.finish(onProgress)
        }
        try mapLMDB { () throws(LMDBError) in try environment.compact(to: directory) }
        try CompactedCopy(original: self, directory: directory).settle()
        let byteCount = FileFacts(StoreDirectory.dataFile(directory))?.byteCount ?? 0
        try onProgress(CopyProgress(byteCount: byteCount, totalByteCount: byteCount))
    }
}
