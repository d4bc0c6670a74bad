import Foundation
import Glibc
import LMDB
import StoreEngine

extension Store {
    /// Replaces a store that no process has open with a copy, such as ``backup(to:compacting:onProgress:)`` makes.
    ///
    /// `restore` first reads the whole copy and checks that it is a store. Then it exchanges the files in one step: a crash at
    /// any moment leaves either the old store or the new one. The files keep the owner and the mode of those that they replace.
    /// If the directory has no store, they have the mode of the copy's data file.
    /// The first writer of the restored store starts a new epoch in the feed, so that the store does not accept positions of the
    /// replaced one.
    ///
    /// LMDB's own locks make sure that no process has the store open. Every process with an open environment holds a lock on its
    /// lock file, and `restore` takes that lock alone during the exchange. A program that opens the store at that moment waits
    /// until the exchange has ended.
    ///
    /// - Parameters:
    ///   - source: the directory of the copy. It may be in use; `restore` takes its last commit, and waits for no writer.
    ///   - path: the store's directory, which is created if it is missing.
    ///   - onProgress: called after each part of about one mebibyte of the copy, on the thread of the caller. To cancel the
    ///     restore, throw an error. After the last part, `restore` checks the copy and exchanges the files.
    /// - Throws: ``StoreError``: `noSuchStore`, `notAStore`, `newerFormat` or `damaged` for the copy. `notAStore` when the
    ///   directory has no store, but other files with the names of a store's. `inUse` when a process has the store open;
    ///   `accessDenied`, `diskFull`, `ioError`. The errors of `onProgress`. The store is then unchanged.
    public static func restore(
        from source: String, to path: String, onProgress: (CopyProgress) throws -> Void = { _ in }
    ) throws {
        try restore(from: source, to: path, reading: StoreOptions(), onProgress: onProgress)
    }

    /// Replaces a store as ``restore(from:to:onProgress:)`` does.
    ///
    /// - Parameter options: the longest wait for another process that opens or recovers the copy (`writeTimeout`), and the
    ///   receiver of events (`onEvent`).
    package static func restore(
        from source: String, to path: String, reading options: StoreOptions, onProgress: (CopyProgress) throws -> Void
    ) throws {
        var restoration = Restoration(source: source, target: path, isReplica: false)
        restoration.options = options
        try restoration.run(onProgress)
    }

    /// Replaces a replica that no process has open with a copy of another replica, which goes on with the same feed.
    ///
    /// - Throws: ``StoreError``: as ``restore(from:to:onProgress:)``; `replicaDiverged` if the copy is of no replica.
    package static func installReplica(from source: String, to path: String) throws {
        try Restoration(source: source, target: path, isReplica: true).run { _ in }
    }

    /// Makes a hidden folder in the directory of a replica, in which `body` makes a file, and removes it afterwards. If the
    /// process is killed, the next one that opens the store removes the folder.
    ///
    /// - Parameters:
    ///   - path: the store's directory, which is created if it is missing. Without a store in the end, it is removed again.
    ///   - body: receives the path of the folder.
    /// - Throws: ``StoreError``: `accessDenied`, `diskFull`, `ioError`. The errors of `body`.
    package static func withWorkFolder(in path: String, _ body: (String) async throws -> Void) async throws {
        let isMade = try Restoration.makeTarget(path)
        // This fails if the directory has a store.
        defer { if isMade { _ = unsafe rmdir(path) } }
        let work = try WorkFolder(in: path)
        defer { work.remove() }
        try await body(work.path)
    }
}

/// The steps of a restore.
private struct Restoration {
    let source: String
    let target: String
    let isReplica: Bool
    /// The options for reading the copy.
    var options = StoreOptions()

    private var data: String { target + "/data.mdb" }

    func run(_ onProgress: (CopyProgress) throws -> Void) throws {
        try StoreDirectory.requireNamed(source, "of the backup")
        guard FileManager.default.fileExists(atPath: source + "/data.mdb") else {
            throw StoreError(.noSuchStore, "\(source) holds no store", remedy: "name the directory of a backup")
        }
        let isTargetMade = try Self.makeTarget(target)
        do {
            try replace(isTargetMade, onProgress)
        } catch {
            if isTargetMade { _ = unsafe rmdir(target) }
            throw error
        }
    }

    /// The permission bits of a data file that replaces no other. A copy may lack the owner's right to write.
    private var newFileMode: UInt32 {
        // The file of a replica comes from a log, and has no mode of its own.
        let model = isReplica ? nil : FileFacts(source + "/data.mdb")
        return model.map { $0.mode & 0o666 | 0o600 } ?? 0o640
    }

    private func replace(_ isTargetMade: Bool, _ onProgress: (CopyProgress) throws -> Void) throws {
        guard !isSameLocation else {
            throw StoreError(.inUse, "\(source) and \(target) are the same store", remedy: "name another directory")
        }
        try StoreDirectory.requireNoForeignFiles(target)
        // A first check, so that a long copy is not made in vain.
        try StoreLock.requireUnused(target)
        let work = try WorkFolder(in: target)
        defer { work.remove() }
        try copy(to: work.path, onProgress)
        try check(work.path)
        _ = unsafe unlink(work.path + "/lock.mdb")
        let made = StoreDirectory.dataFile(work.path)
        keepOwnership(of: made)
        guard StoreFile.sync(made) else { throw StoreError(failed: "\(made) cannot be written to disk") }
        let lock = try StoreLock.take(target, likeFileAt: made)
        defer { lock.release() }
        let aside = try removeLog(work)
        do {
            try exchange(work)
        } catch {
            for name in aside { _ = unsafe rename(work.path + "/" + name, target + "/" + name) }
            if isTargetMade { removeTarget(work) }
            throw error
        }
        WorkFolder.sweep(target)
    }

    /// Removes the redo log of the store that goes, which must not be run on the new data file. The old data file first gets what
    /// the log has, so a crash before the exchange leaves the old store whole. A log that is damaged is put aside as it is.
    ///
    /// - Returns: the names of the files that were put aside.
    private func removeLog(_ work: WorkFolder) throws(StoreError) -> [String] {
        do {
            try RedoFiles.remove(in: target)
            return []
        } catch {
            // Errors of LMDB have negative codes.
            guard error.systemCode <= 0 else { throw StoreError(error) }
        }
        let aside = RedoFiles.names.filter { unsafe rename(target + "/" + $0, work.path + "/" + $0) == 0 }
        guard StoreFile.syncDirectory(target) else {
            let error = StoreError(failed: "the directory \(target) cannot be written to disk")
            for name in aside { _ = unsafe rename(work.path + "/" + name, target + "/" + name) }
            throw error
        }
        return aside
    }

    /// Creates the target if it is missing, and returns whether it did.
    static func makeTarget(_ target: String) throws(StoreError) -> Bool {
        if FileManager.default.fileExists(atPath: target) { return false }
        let isMade = try StoreDirectory.make(target, mode: 0o750)
        // If root creates the directory, it gets the owner of its parent.
        let parent = URL(filePath: target).deletingLastPathComponent().path
        if geteuid() == 0, let owner = FileFacts(parent) { _ = unsafe chown(target, owner.owner, owner.group) }
        return isMade
    }

    private var isSameLocation: Bool {
        guard let first = FileFacts(source + "/data.mdb"), let second = FileFacts(data) else { return false }
        return first.isSameFile(as: second)
    }

    private func copy(to work: String, _ onProgress: (CopyProgress) throws -> Void) throws {
        // If there is a lock file, a program may be writing, and a copy is consistent only within a read transaction. A redo log
        // may have to be run.
        if FileManager.default.fileExists(atPath: source + "/lock.mdb") || RedoFiles.exist(in: source) {
            var options = options
            options.isReadOnly = true
            let store = try Store(at: source, records: [], options: options)
            defer { store.close() }
            return try store.copyData(to: work, compacting: false, onProgress: onProgress)
        }
        let copy = try mapLMDB { () throws(LMDBError) in
            try StoreFile.beginCopy(source + "/data.mdb", to: work + "/data.mdb")
        }
        try copy.finish(onProgress)
    }

    /// Opens the copy, which checks the meta pages, the size, the format and the catalog. A copy of a replica learns its new
    /// place.
    private func check(_ work: String) throws {
        var options = StoreOptions()
        options.isReadOnly = !isReplica
        if isReplica {
            options.isJoining = true
            options.leavesRedoLog = true
            options.commitLog = JoiningLog()
        }
        let store = try Store(at: work, records: [], options: options)
        defer { store.close() }
        if isReplica, try store.replicaAccess.state() == nil {
            throw StoreError(
                .replicaDiverged, "\(source) holds a store that is no replica", remedy: "name a copy of a replica")
        }
    }

    private func keepOwnership(of file: String) {
        let model = FileFacts(data)
        guard let owner = model ?? FileFacts(target) else { return }
        // Only root may give files away. Files of other users already belong to them.
        if geteuid() == 0 { _ = unsafe chown(file, owner.owner, owner.group) }
        _ = unsafe chmod(file, model?.mode ?? newFileMode)
    }

    /// Exchanges the files in one step: the new file takes the name, and the old one keeps the other name until that is on disk.
    private func exchange(_ work: WorkFolder) throws(StoreError) {
        let made = StoreDirectory.dataFile(work.path)
        let hadData = StoreFile.exchange(made, data)
        guard hadData || errno == ENOENT && StoreFile.move(made, toNew: data) else {
            throw StoreError(failed: "\(data) cannot be replaced")
        }
        if StoreFile.syncDirectory(target) { return }
        var error = StoreError(failed: "the directory \(target) cannot be written to disk")
        if !hadData {
            _ = unsafe unlink(data)
        } else if !StoreFile.exchange(made, data) {
            let earlier = StoreDirectory.dataFile(work.keep())
            error = StoreError(
                error.code, "\(error.message). The restored store is in place, and the earlier one is \(earlier)",
                remedy: "move the earlier file back, or restore again")
        }
        throw error
    }

    /// Removes the directory that this restore created, while the lock is held, if it still holds only the lock file.
    ///
    /// The directory loses its name first. A process that waits for the lock then finds no directory, and does not use a lock
    /// file that has no name any more.
    private func removeTarget(_ work: WorkFolder) {
        work.remove()
        guard (try? FileManager.default.contentsOfDirectory(atPath: target)) == ["lock.mdb"] else { return }
        let aside = target + ".removed-" + UUID().uuidString
        guard StoreFile.move(target, toNew: aside) else { return }
        try? FileManager.default.removeItem(atPath: aside)
    }
}
