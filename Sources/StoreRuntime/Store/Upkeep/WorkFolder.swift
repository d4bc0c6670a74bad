import Foundation
import Glibc
import LMDB
import StoreEngine
import Synchronization

/// A hidden directory that lives no longer than its process: one inside a store's directory, in which a file is made before it
/// gets its place, or the directory of a store in memory.
///
/// Its process holds a lock on it. A directory without the lock is what a killed process has left. The next process that opens
/// the store for writing, or creates a store in memory, removes it.
final class WorkFolder: Sendable {
    private static let prefix = ".modelstore-work-"
    /// The name before the directory is locked.
    private static let unlockedPrefix = ".modelstore-new-"
    /// The age in seconds from which a directory that was never locked counts as a leftover.
    private static let unlockedAge = 60.0
    private static let mode: UInt32 = 0o700
    /// The mode of a directory that no sweep removes.
    private static let keptMode: UInt32 = 0o500

    let path: String
    private let lock: DirectoryLock?
    private let isKept = Atomic(false)

    /// Creates the directory.
    ///
    /// - Throws: ``StoreError``: `accessDenied`, `diskFull`, `ioError`.
    init(in directory: String) throws(StoreError) {
        let name = UUID().uuidString
        let unlocked = directory + "/" + Self.unlockedPrefix + name
        guard StoreFile.makeDirectory(unlocked, mode: Self.mode) else {
            throw StoreError(failed: "no file can be created in \(directory)")
        }
        lock = DirectoryLock(unlocked)
        let locked = directory + "/" + Self.prefix + name
        // A file system without such locks keeps the first name.
        path = unsafe lock != nil && rename(unlocked, locked) == 0 ? locked : unlocked
    }

    /// Where stores in memory have their directories: a memory file system if there is one, otherwise the temporary files.
    static let memory = {
        let shared = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
    }()
    /// Removes what killed processes have left in memory, at the first use in a process.
    private static let sweepMemory: Void = sweep(memory)

    /// Creates the directory of a store in memory.
    static func inMemory() throws(StoreError) -> WorkFolder {
        _ = sweepMemory
        return try WorkFolder(in: memory)
    }

    /// Removes the directory with its files, unless it is kept.
    func remove() { if !isKept.load(ordering: .relaxed) { StoreDirectory.remove(path) } }

    /// Keeps the directory for the user, under a name that is not hidden if possible, and returns its path.
    func keep() -> String {
        isKept.store(true, ordering: .relaxed)
        _ = unsafe chmod(path, Self.keptMode)
        let kept = URL(filePath: path).deletingLastPathComponent().path + "/kept-" + UUID().uuidString
        return StoreFile.move(path, toNew: kept) ? kept : path
    }

    /// Removes the work folders of processes that have ended. Failures are ignored: a leftover only takes space.
    ///
    /// A folder of another user is left alone. In a directory that all users write to, that user could put a link in its place at
    /// any moment.
    static func sweep(_ directory: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        where name.hasPrefix(prefix) || name.hasPrefix(unlockedPrefix) {
            let path = directory + "/" + name
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
                (attributes[.posixPermissions] as? NSNumber)?.uint32Value == mode,
                (attributes[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(),
                let changed = attributes[.modificationDate] as? Date,
                name.hasPrefix(prefix) || -changed.timeIntervalSinceNow > unlockedAge,
                let lock = DirectoryLock(path)
            else { continue }
            StoreDirectory.remove(path)
            withExtendedLifetime(lock) {}
        }
    }
}
