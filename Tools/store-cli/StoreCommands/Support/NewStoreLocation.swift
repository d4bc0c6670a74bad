import Foundation
import StoreRuntime

/// The path of a store that a command other than `create` is about to create. Its files get the owner of the directory. If the
/// command creates the directory too, both get the owner of the parent directory.
struct NewStoreLocation {
    private let path: String
    /// The files that exist before; nil if there is no directory.
    private let before: Set<String>?
    /// Whether anything exists at the path.
    private let isTaken: Bool

    /// - Throws: ``StoreError`` for an empty or blank path: ``remove()`` would look for the files in the root directory.
    init(_ path: String) throws {
        try StoreDirectory.requireNamed(path, "of the store")
        self.path = path
        isTaken = (try? FileManager.default.attributesOfItem(atPath: path)) != nil
        before = (try? FileManager.default.contentsOfDirectory(atPath: path)).map { Set($0) }
    }

    /// Gives the new files to their owner.
    func giveAway() {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: path),
            var owner = FileOwnership(of: before == nil ? FileLocation.parent(of: path) : path)
        else { return }
        if before == nil {
            owner.mode = 0o750
            owner.apply(to: path)
        }
        owner.mode = 0o640
        for file in files where before?.contains(file) != true { owner.apply(to: path + "/" + file) }
    }

    /// Removes the new files, and nothing that existed before.
    func remove() {
        if !isTaken { return StoreDirectory.remove(path) }
        guard let before, let files = try? FileManager.default.contentsOfDirectory(atPath: path) else { return }
        for file in files where !before.contains(file) {
            try? FileManager.default.removeItem(atPath: path + "/" + file)
        }
    }
}
