import Foundation
import Glibc
import LMDB
package import StoreEngine

/// The making of a store's data file in a directory that has none. Afterwards the whole file is on disk, or none is there.
///
/// The file is made in a work directory inside the store's directory. It gets its place when its content is on disk, in one step.
package struct NewDataFile {
    /// The store's directory.
    private let directory: String
    /// Whether this process created the directory. It is then removed if no file is made.
    package let isDirectoryMade: Bool

    /// Creates the directory if it is missing.
    ///
    /// - Throws: ``StoreError``: `noSuchStore` when its parent is missing; `notAStore` when it holds other files; `accessDenied`,
    ///   `diskFull`, `ioError`.
    package init(in directory: String) throws(StoreError) {
        self.directory = directory
        try StoreDirectory.requireVacant(directory, opensNext: false)
        isDirectoryMade = try StoreDirectory.make(directory, mode: 0o750)
    }

    /// Makes the file. After a failure, the directory is as it was before `init`.
    ///
    /// - Parameter body: makes `data.mdb` in the work directory whose path it receives, and closes it.
    /// - Throws: ``StoreError``: `storeExists` when the directory holds a data file; `accessDenied`, `diskFull`, `ioError`. The
    ///   errors of `body`.
    package func make<T>(_ body: (_ work: String) throws -> T) throws -> T {
        do {
            return try makeAside(body)
        } catch {
            if isDirectoryMade { _ = unsafe rmdir(directory) }
            throw error
        }
    }

    /// Gives a directory that this process created the owner and the mode of another directory, after the file is made.
    package func giveAccess(ofDirectory model: String) {
        guard isDirectoryMade, let facts = FileFacts(model) else { return }
        // Only root may give directories away. Those of other users already belong to them.
        if geteuid() == 0 { _ = unsafe chown(directory, facts.owner, facts.group) }
        _ = unsafe chmod(directory, facts.mode | 0o700)
    }

    private func makeAside<T>(_ body: (_ work: String) throws -> T) throws -> T {
        let work = try WorkFolder(in: directory)
        defer { work.remove() }
        let result = try body(work.path)
        let made = StoreDirectory.dataFile(work.path)
        guard StoreFile.sync(made) else { throw StoreError(failed: "\(made) cannot be written to disk") }
        try place(made)
        return result
    }

    private func place(_ made: String) throws(StoreError) {
        let place = StoreDirectory.dataFile(directory)
        guard StoreFile.move(made, toNew: place) else {
            if errno == EEXIST { throw StoreDirectory.occupied(directory) }
            throw StoreError(failed: "the store cannot be moved to \(directory)")
        }
        guard StoreFile.syncDirectory(directory) else {
            let error = StoreError(failed: "the directory \(directory) cannot be written to disk")
            _ = unsafe unlink(place)
            throw error
        }
    }
}
