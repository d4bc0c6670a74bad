import ModelStore

/// A store that mirrors this machine.
struct HostMirror {
    /// The changes of one snapshot, by record type.
    struct Report: Equatable, Sendable {
        var packages: Mirror.Count
        var processes: Mirror.Count
        var mounts: Mirror.Count
        var interfaces: Mirror.Count

        /// The number of records of the machine.
        var recordCount: Int {
            [packages, processes, mounts, interfaces].reduce(0) { $0 + $1.inserted + $1.updated + $1.unchanged }
        }
    }

    let store: Store

    /// The most bytes that the feed keeps. Without a limit, the history of a machine that changes every second would fill the
    /// disk.
    private static let feedByteCount = 64 << 20

    /// Opens the store in a directory, and creates it if it is missing.
    init(directory: String) throws {
        var options = StoreOptions()
        options.limits.retainedFeedByteCount = Self.feedByteCount
        store = try Store(
            at: directory, records: Package.self, HostProcess.self, Mount.self, NetworkInterface.self, Threshold.self,
            options: options)
    }

    /// Writes a snapshot as one change set, and blocks until that is committed.
    func apply(_ snapshot: HostSnapshot) throws -> Report {
        try store.write { try Self.apply(snapshot, in: &$0) }
    }

    /// Writes a snapshot as one change set. Unchanged records are not written.
    func update(_ snapshot: HostSnapshot) async throws -> Report {
        try await store.write { try Self.apply(snapshot, in: &$0) }
    }

    /// Adds the thresholds that the store does not have yet.
    func addThresholds(_ thresholds: [Threshold]) async throws {
        try await store.write { transaction in
            for threshold in thresholds where try transaction.get(Threshold.self, id: threshold.name) == nil {
                try transaction.insert(threshold)
            }
        }
    }

    private static func apply(_ snapshot: HostSnapshot, in transaction: inout WriteTransaction) throws -> Report {
        Report(
            packages: try Mirror.apply(snapshot.packages, in: &transaction),
            processes: try Mirror.apply(snapshot.processes, in: &transaction) { stored, read in
                // The kernel derives start times from the wall clock. They shift by a second without any meaning.
                var merged = read
                merged.started = stored.started
                return merged
            },
            mounts: try Mirror.apply(snapshot.mounts, in: &transaction),
            interfaces: try Mirror.apply(snapshot.interfaces, in: &transaction))
    }

    /// Returns a report on the host from the mirror's current state.
    func report() throws -> HostReport { try store.read { try HostReport($0) } }

    /// Closes the store.
    func close() { store.close() }
}
