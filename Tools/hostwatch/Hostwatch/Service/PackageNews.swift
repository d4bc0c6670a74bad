import ModelStore

/// What changed among the packages, for people.
enum PackageNews {
    /// A line for each package that came, went, or changed.
    static func lines(_ changes: LiveChanges<Package>) -> [String] {
        changes.deletes.map { "package \(name($0.record)) removed" }
            + changes.inserts.map { "package \(name($0.record)) \($0.record.version) installed" }
            + changes.updates.map { update in
                let (old, new) = (update.old, update.new)
                if old.version != new.version { return "package \(name(new)) \(old.version) -> \(new.version)" }
                return "package \(name(new)) changed"
            }
    }

    private static func name(_ package: Package) -> String { "\(package.name):\(package.architecture)" }
}
