import Foundation

/// A fresh directory that is removed with this value.
final class ScratchDirectory: Sendable {
    let path: String

    /// Creates a directory among temporary files, or in memory if the system offers it. Memory is for files that are written
    /// thousands of times and whose durability does not matter.
    init(inMemory: Bool = false) throws {
        let shared = "/dev/shm"
        let base = inMemory && FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
        path = base + "/crash-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the path of a file in the directory.
    func path(_ name: String) -> String { path + "/" + name }
}
