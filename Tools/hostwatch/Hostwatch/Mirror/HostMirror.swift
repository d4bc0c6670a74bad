import ModelStore

/// A store that mirrors this machine.
struct HostMirror {
    /// What one snapshot changed, by record type.
    struct Report: Equatable, Sendable {
        var packages: Mirror.Count
        var processes: Mirror.Count
        var mounts: Mirror.Count
        var interfaces: Mirror.Count
    }

    private let store: Store

    /// Opens the store in a directory, creating it when missing.
    init(directory: String) throws {
        store = try Store(
            at: directory, records: Package.self, HostProcess.self, Mount.self, NetworkInterface.self)
    }

    /// Writes a snapshot as one change set.
    func apply(_ snapshot: HostSnapshot) throws -> Committed<Report> {
        try store.write { transaction in
            Report(
                packages: try Mirror.apply(snapshot.packages, in: &transaction),
                processes: try Mirror.apply(snapshot.processes, in: &transaction) { stored, read in
                    // The kernel derives start times from the wall clock; they move by a second without a meaning.
                    var merged = read
                    merged.started = stored.started
                    return merged
                },
                mounts: try Mirror.apply(snapshot.mounts, in: &transaction),
                interfaces: try Mirror.apply(snapshot.interfaces, in: &transaction))
        }
    }

    /// What the mirror says of the host now.
    func report() throws -> HostReport { try store.read { try HostReport($0) } }

    /// Closes the store.
    func close() { store.close() }
}
