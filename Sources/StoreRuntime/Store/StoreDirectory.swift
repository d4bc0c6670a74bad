import Foundation
import StoreEngine

/// The directory of a store, before LMDB sees it.
enum StoreDirectory {
    /// Makes sure that there is a directory to open.
    ///
    /// - Returns: whether a store has to be made in it.
    /// - Throws: ``StoreError``: `noSuchStore` when there is no store and none is to be made.
    static func prepare(_ path: String, options: StoreOptions) throws(StoreError) -> Bool {
        var isDirectory: ObjCBool = false
        let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        guard !exists || isDirectory.boolValue else {
            throw StoreError(.notAStore, "\(path) is a file", remedy: "name the directory of a store")
        }
        let hasData = FileManager.default.fileExists(atPath: dataFile(path))
        if hasData { return false }
        guard options.createsIfMissing, !options.isReadOnly else {
            throw StoreError(
                .noSuchStore, exists ? "\(path) holds no store" : "there is no directory \(path)",
                remedy: "check the path, or create a store first")
        }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StoreError(
                .accessDenied, "the directory \(path) cannot be made: \(error.localizedDescription)",
                remedy: "make it, or choose another place", cause: error)
        }
        return true
    }

    /// Makes the names of a new store's files, and of its directory, survive the loss of power.
    static func sync(_ path: String) throws(StoreError) {
        for directory in [path, path + "/.."] {
            let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0, fsync(descriptor) == 0 else {
                let reason = unsafe String(cString: strerror(errno))
                if descriptor >= 0 { close(descriptor) }
                throw StoreError(.inputOutput, "the directory \(directory) cannot be synced: \(reason)")
            }
            close(descriptor)
        }
    }

    /// The file with the data.
    static func dataFile(_ path: String) -> String { path + "/data.mdb" }
}

/// A directory that goes with its store.
struct TemporaryDirectory: Sendable {
    let path: String

    /// Makes a directory in memory where the system offers that, else among temporary files.
    init() throws(StoreError) {
        let shared = "/dev/shm"
        let base = FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
        path = base + "/modelstore-" + UUID().uuidString
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        } catch {
            throw StoreError(
                .inputOutput, "a temporary directory cannot be made in \(base): \(error.localizedDescription)",
                remedy: "set TMPDIR to a writable directory", cause: error)
        }
    }

    /// Removes the directory; what is left of it after a failure is for the system's cleaning of temporary files.
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
