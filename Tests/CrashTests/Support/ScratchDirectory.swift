import Foundation

/// A fresh directory that goes away with this value.
final class ScratchDirectory: Sendable {
    let path: String

    /// A directory among temporary files; or in memory where the system offers that, for what is written thousands of
    /// times and whose durability is not the point.
    init(inMemory: Bool = false) throws {
        let shared = "/dev/shm"
        let base = inMemory && FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
        path = base + "/crash-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of something in the directory.
    func path(_ name: String) -> String { path + "/" + name }
}
