import Foundation

/// Where a store is about to be made by other than `create`. Its files belong to the owner of the directory; in a directory that is
/// made too, to whom the place belongs.
struct NewStoreLocation {
    private let path: String
    /// What is there already; nil where there is no directory.
    private let before: Set<String>?
    /// Whether there is anything already.
    private let isTaken: Bool

    init(_ path: String) {
        self.path = path
        isTaken = (try? FileManager.default.attributesOfItem(atPath: path)) != nil
        before = (try? FileManager.default.contentsOfDirectory(atPath: path)).map { Set($0) }
    }

    /// Gives what was made to its owner.
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

    /// Removes what was made, and nothing that was there before.
    func remove() {
        if !isTaken {
            try? FileManager.default.removeItem(atPath: path)
            return
        }
        guard let before, let files = try? FileManager.default.contentsOfDirectory(atPath: path) else { return }
        for file in files where !before.contains(file) {
            try? FileManager.default.removeItem(atPath: path + "/" + file)
        }
    }
}
