import Foundation
import Glibc
import LMDB
import StoreEngine

/// A hidden directory inside a store's directory, in which a file is made before it gets its place.
///
/// Its process holds a lock on it. A directory without the lock is what a killed process has left, and the next process that opens
/// the store for writing removes it.
struct WorkFolder {
    private static let prefix = ".modelstore-work-"
    /// A younger directory may belong to a process that has not locked it yet, in seconds.
    private static let youngestSweptAge = 60.0

    let path: String
    // Ends with the last copy of this value.
    private let lock: DirectoryLock?

    /// Creates the directory.
    ///
    /// - Throws: ``StoreError``: `accessDenied`, `diskFull`, `ioError`.
    init(in directory: String) throws(StoreError) {
        path = directory + "/" + Self.prefix + UUID().uuidString
        guard StoreFile.makeDirectory(path, mode: 0o700) else {
            throw StoreError(failed: "no file can be created in \(directory)")
        }
        // Without a lock (few file systems have none), a sweep could take the directory for a leftover after a minute.
        lock = DirectoryLock(path)
    }

    /// Removes the directory with its files.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Gives the directory a name that no sweep removes, and returns its path.
    func keep() -> String {
        let kept = path.replacing(Self.prefix, with: "kept-")
        return StoreFile.move(path, toNew: kept) ? kept : path
    }

    /// Removes the work folders of processes that have ended. Failures are ignored: a leftover only takes space.
    static func sweep(_ directory: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        where name.hasPrefix(prefix) {
            let path = directory + "/" + name
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let changed = attributes?[.modificationDate] as? Date,
                -changed.timeIntervalSinceNow > youngestSweptAge, let lock = DirectoryLock(path)
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
            withExtendedLifetime(lock) {}
        }
    }
}
