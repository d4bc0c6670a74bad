import Foundation

/// Where a store is about to be made by other than `create`. Its files belong to the owner of the directory; in a directory that is
/// made too, to whom the place belongs.
struct NewStorePlace {
    private let path: String
    /// What is there already; nil where there is no directory.
    private let before: Set<String>?

    init(_ path: String) {
        self.path = path
        before = (try? FileManager.default.contentsOfDirectory(atPath: path)).map { Set($0) }
    }

    /// Gives what was made to its owner.
    func giveAway() {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: path),
            var owner = FileOwnership(of: before == nil ? FilePlace.parent(of: path) : path)
        else { return }
        if before == nil {
            owner.mode = 0o750
            owner.apply(to: path)
        }
        owner.mode = 0o640
        for file in files where before?.contains(file) != true { owner.apply(to: path + "/" + file) }
    }
}
