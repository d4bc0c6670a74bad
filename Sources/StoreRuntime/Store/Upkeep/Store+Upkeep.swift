import Foundation
package import LMDB
public import StoreEngine

extension Store {
    /// The newest position, as another process may have moved it.
    ///
    /// - Throws: ``StoreError``.
    public var position: Position {
        get throws {
            try read { transaction in
                Position(store: core.state.identity, head: try transaction._reading.feedHead())
            }
        }
    }

    /// Builds the indexes that the store lacks, where the option ``StoreOptions/buildsIndexes`` left that for later.
    ///
    /// Works in chunks, between which other writes come; what was interrupted goes on where it stopped, also in another
    /// process. Blocks until all are ready; call it from a thread that may wait.
    ///
    /// - Throws: ``StoreError``: `uniqueViolation` naming two records with one value in a unique index, which stays unbuilt then:
    ///   change or delete one of them, and call this again.
    public func buildIndexes() throws {
        try requireWritable()
        // The programs that have the store open declare these indexes: they must be able to go on as before.
        try core.buildIndexes(dropsUnbuildable: false)
    }

    /// Writes a consistent copy of the store to a directory, while it is in use.
    ///
    /// The copy is a store of its own: its first writer starts a new epoch, so that positions of the two are told apart.
    /// Blocks for as long as the copy takes; pages that writers free meanwhile are not used again until it is done.
    ///
    /// - Parameters:
    ///   - directory: an empty directory, or a missing one in a directory that exists.
    ///   - compacting: whether to leave out free pages, which makes the copy smaller and slower.
    /// - Throws: ``StoreError``: `storeExists` when the directory holds a store; `diskFull`, `ioError`, `accessDenied`.
    public func backup(to directory: String, compacting: Bool = false) throws {
        try requireOpen()
        guard !FileManager.default.fileExists(atPath: StoreDirectory.dataFile(directory)) else {
            throw StoreError(
                .storeExists, "\(directory) holds a store already", remedy: "choose an empty directory")
        }
        try StoreDirectory.make(directory)
        try mapLMDB { () throws(LMDBError) in try core.environment.copy(to: directory, compacting: compacting) }
        if compacting { try CompactedCopy(original: core, directory: directory).settle() }
    }

    /// The processes that read the store now, and the snapshots they hold.
    package func readers() throws(StoreError) -> [LMDBReader] {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in try core.environment.readers() }
    }

    /// Frees the reader slots of processes that are gone.
    ///
    /// - Returns: how many there were.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func clearStaleReaders() throws(StoreError) -> Int {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in try core.environment.clearStaleReaders() }
    }

    /// The directory that the environment was first opened in, which another path to it than this store's may have named.
    package var environmentPath: String { core.environment.path }

    /// Sizes of the environment.
    package func environmentInfo() throws(StoreError) -> LMDBInfo {
        try requireOpen()
        return try mapLMDB { () throws(LMDBError) in try core.environment.info() }
    }
}
