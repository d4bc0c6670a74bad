import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// Snapshots as files in a directory.
public struct DirectorySnapshots: SnapshotStore {
    private static let unfinishedPrefix = ".new-"

    private let directory: String

    /// Keeps snapshots in a directory, which must exist.
    public init(_ directory: String) { self.directory = directory }

    private func path(_ name: String) -> String { directory + "/" + name }

    /// Stores a file under a name. It has the name only once its content is on disk.
    ///
    /// - Throws: ``/ModelStore/StoreError``: `diskFull`, `accessDenied`, `ioError`.
    public func store(_ file: String, as name: String) async throws {
        try await BlockingWork.run {
            let unfinished = path(Self.unfinishedPrefix + UUID().uuidString)
            do {
                try mapLMDB { () throws(LMDBError) in try StoreFile.copy(file, to: unfinished) }
                guard StoreFile.sync(unfinished) else {
                    throw StoreError(failed: "\(unfinished) cannot be written to disk")
                }
                try? FileManager.default.removeItem(atPath: path(name))
                guard StoreFile.move(unfinished, toNew: path(name)), StoreFile.syncDirectory(directory) else {
                    throw StoreError(failed: "\(path(name)) cannot be written to disk")
                }
            } catch {
                try? FileManager.default.removeItem(atPath: unfinished)
                throw error
            }
        }
    }

    /// Copies a stored file to a new one.
    ///
    /// - Throws: ``/ModelStore/StoreError``: `noSuchStore` if nothing has the name; `diskFull`, `accessDenied`, `ioError`.
    public func fetch(_ name: String, to file: String) async throws {
        try await BlockingWork.run {
            try mapLMDB { () throws(LMDBError) in try StoreFile.copy(path(name), to: file) }
        }
    }

    /// Returns the names of the stored files.
    public func names() async throws -> [String] {
        try await BlockingWork.run {
            try FileManager.default.contentsOfDirectory(atPath: directory).filter {
                !$0.hasPrefix(Self.unfinishedPrefix)
            }
        }
    }

    /// Removes a stored file.
    public func remove(_ name: String) async throws {
        try await BlockingWork.run { try FileManager.default.removeItem(atPath: path(name)) }
    }
}
