import Foundation

/// A directory that is removed when the test ends; in memory if the system offers that.
final class TestDirectory: Sendable {
    let path: String

    init() throws {
        let memory = "/dev/shm"
        let base = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = base + "/modelstore-testing-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
