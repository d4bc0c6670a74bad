import ModelStore

/// Describes the changes of packages for the user.
enum PackageNews {
    /// Returns a line for each package that was installed, removed or changed.
    ///
    /// - Parameter known: the packages before the update.
    static func lines(from known: LiveRecords<Package>, _ update: LiveUpdate<Package>) -> [String] {
        // A reset lists no changes: there would be more changes than packages.
        update.changes.isReset ? lines(from: known, to: update.results) : lines(update.changes)
    }

    private static func lines(_ changes: LiveChanges<Package>) -> [String] {
        changes.deletes.map { removed($0.record) } + changes.inserts.map { installed($0.record) }
            + changes.updates.map { changed($0.old, $0.new) }
    }

    private static func lines(from known: LiveRecords<Package>, to results: LiveRecords<Package>) -> [String] {
        let old = Dictionary(uniqueKeysWithValues: known.map { ($0.recordID, $0) })
        let newIDs = Set(results.map(\.recordID))
        return known.filter { !newIDs.contains($0.recordID) }.map(removed)
            + results.filter { old[$0.recordID] == nil }.map(installed)
            + results.compactMap { new in
                guard let before = old[new.recordID], before != new else { return nil }
                return changed(before, new)
            }
    }

    private static func removed(_ package: Package) -> String { "package \(name(package)) removed" }

    private static func installed(_ package: Package) -> String {
        "package \(name(package)) \(package.version) installed"
    }

    private static func changed(_ old: Package, _ new: Package) -> String {
        if old.version != new.version { return "package \(name(new)) \(old.version) -> \(new.version)" }
        return "package \(name(new)) changed"
    }

    private static func name(_ package: Package) -> String { "\(package.name):\(package.architecture)" }
}
