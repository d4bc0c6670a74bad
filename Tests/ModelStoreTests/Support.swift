import Foundation
import ModelStore

/// A directory that is removed when the test ends.
final class TestDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "modelstore-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
