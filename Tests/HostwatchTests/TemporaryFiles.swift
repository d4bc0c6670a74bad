import Foundation

/// A directory of fixtures that is removed with this value.
struct TemporaryFiles: ~Copyable {
    let path: String

    /// Creates a directory with these files, by their path within it.
    init(_ files: [String: String]) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "hostwatch-\(UUID().uuidString)")
        path = root.path
        for (name, content) in files {
            let file = root.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
