import Foundation
import LMDB
package import StoreEngine

/// The directory of a store, before LMDB sees it.
package enum StoreDirectory {
    /// Makes sure that there is a directory to open.
    ///
    /// - Throws: ``StoreError``: `invalidValue` when an option is outside its range; `noSuchStore` when there is no store and the
    ///   options do not create one; `notAStore` when the directory holds other files.
    static func prepare(_ path: String, options: StoreOptions) throws(StoreError) {
        try options.check()
        try requireNamed(path, "of the store")
        var isDirectory: ObjCBool = false
        let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        guard !exists || isDirectory.boolValue else {
            throw StoreError(.notAStore, "\(path) is a file", remedy: "name the directory of a store")
        }
        if FileManager.default.fileExists(atPath: dataFile(path)) {
            if !options.isReadOnly { WorkFolder.sweep(path) }
            return
        }
        guard options.createsIfMissing, !options.isReadOnly else {
            throw StoreError(
                .noSuchStore, exists ? "\(path) holds no store" : "there is no directory \(path)",
                remedy: "check the path, or create a store first")
        }
        if exists { try requireVacant(path, opensNext: true) }
        try make(path)
    }

    /// Throws if a path names nothing: an empty or blank path is a variable that was not set, and not a place.
    ///
    /// - Parameter whose: what the path is for, such as `of the store`.
    /// - Throws: ``StoreError`` with the code `invalidValue`.
    package static func requireNamed(_ path: String, _ whose: String) throws(StoreError) {
        guard DisplayText.isBlank(path) else { return }
        throw StoreError(
            .invalidValue, "the path \(whose) is \(path.isEmpty ? "empty" : "blank")",
            remedy: "name a file or a directory")
    }

    /// Throws if a directory without a store holds other files: a new store among them is most likely a mistake in the path.
    /// Hidden files, `lost+found`, and the other files of a store that lost its data file are allowed. A file that only has the
    /// name of one of these is not: the store would overwrite it.
    ///
    /// - Parameter opensNext: whether the caller opens the store in this directory next, which looks at the lock file.
    /// - Throws: ``StoreError`` with the code `notAStore`, naming some of the files.
    static func requireVacant(_ path: String, opensNext: Bool) throws(StoreError) {
        let own = Set(["data.mdb", "lock.mdb", WakeFile.name, "lost+found"] + RedoFiles.names)
            .subtracting(opensNext ? ForeignFiles.names(in: path, readsLockFile: false) : foreignFiles(in: path))
        // If this process may not list the directory, LMDB reports that.
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
            .filter { !$0.hasPrefix(".") && !own.contains($0) }.sorted()
        try requireNone(names, path)
    }

    /// Throws if a directory without a data file holds files of other programs under the names of a store's files.
    ///
    /// - Throws: ``StoreError`` with the code `notAStore`.
    static func requireNoForeignFiles(_ path: String) throws(StoreError) {
        try requireNone(foreignFiles(in: path), path)
    }

    private static func foreignFiles(in path: String) -> [String] {
        // If the environment is open in this process, or is being opened, the lock file is its own.
        guard let reservation = try? EnvironmentReservation(of: path) else {
            return ForeignFiles.names(in: path, readsLockFile: false)
        }
        defer { _ = reservation }
        return ForeignFiles.names(in: path, readsLockFile: true)
    }

    private static func requireNone(_ names: [String], _ path: String) throws(StoreError) {
        guard !names.isEmpty else { return }
        let shown = names.prefix(namedFileCount).joined(separator: ", ")
        let more = names.count > namedFileCount ? " and \(names.count - namedFileCount) more" : ""
        throw StoreError(
            .notAStore, "\(path) holds no store, but other files: \(shown)\(more)",
            remedy: "choose an empty directory, or one that does not exist")
    }

    /// How many of the other files a message names.
    private static let namedFileCount = 3

    /// Creates a directory inside an existing one, and syncs the parent so that the new name is on disk. The code that creates
    /// files in the directory syncs their names. If the sync fails, the new directory is removed again.
    ///
    /// It creates no directories above it: a mistake in a path would leave a tree of them. If the directory already exists, it
    /// also syncs the parent, because another program may have created the directory a moment ago.
    ///
    /// - Returns: whether it created the directory.
    @discardableResult
    static func make(_ path: String, mode: UInt32 = 0o777) throws(StoreError) -> Bool {
        try requireNamed(path, "of the store")
        let isMade = StoreFile.makeDirectory(path, mode: mode)
        if !isMade {
            let failure = errno
            var isDirectory: ObjCBool = false
            let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
            guard exists, isDirectory.boolValue else { throw notMade(path, failure) }
        }
        // A directory that this process may not read cannot be synced. The system writes its names to disk.
        guard StoreFile.syncDirectory(parent(of: path)) || errno == EACCES else {
            let error = StoreError(failed: "the directory \(parent(of: path)) cannot be written to disk")
            if isMade { _ = unsafe rmdir(path) }
            throw error
        }
        return isMade
    }

    /// The error for a directory in which a store cannot be made, because it holds one.
    package static func occupied(_ path: String) -> StoreError {
        StoreError(.storeExists, "\(path) already holds a store", remedy: "choose an empty directory")
    }

    private static func notMade(_ path: String, _ failure: Int32) -> StoreError {
        if failure == EEXIST {
            return StoreError(.notAStore, "\(path) is a file", remedy: "choose another place")
        }
        var missing = parent(of: path)
        // The system also reports ENOENT for directories, such as /proc, in which no directory can be created.
        guard failure == ENOENT, !FileManager.default.fileExists(atPath: missing) else {
            let reason = unsafe String(cString: strerror(failure))
            return StoreError(
                .accessDenied, "the directory \(path) cannot be created: \(reason)",
                remedy: "create it, or choose another place")
        }
        while !FileManager.default.fileExists(atPath: parent(of: missing)) { missing = parent(of: missing) }
        return StoreError(
            .noSuchStore, "the directory \(path) cannot be created: there is no directory \(missing)",
            remedy: "check the path, or create its parent directories first")
    }

    static func parent(of path: String) -> String {
        URL(filePath: path).standardizedFileURL.deletingLastPathComponent().path
    }

    /// Returns the path of the data file.
    package static func dataFile(_ path: String) -> String { path + "/data.mdb" }

    /// Removes a directory with the files of a store, and with all others. If that fails, the rest stays.
    package static func remove(_ path: String) {
        // These calls first, because `removeItem` opens the directory and asks for the type of each file, and gives up if it gets
        // no answer.
        for name in ["data.mdb", "lock.mdb", WakeFile.name] + RedoFiles.names { _ = unsafe unlink(path + "/" + name) }
        guard unsafe rmdir(path) != 0 else { return }
        try? FileManager.default.removeItem(atPath: path)
    }
}
