import ModelStore
import ModelStoreReplication

/// A store that mirrors machines. Each program mirrors its own machine.
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
    /// The name of this machine.
    let host: String

    /// The most bytes that the feed keeps. Without a limit, the history of a machine that changes every second would fill the
    /// disk.
    private static let feedByteCount = 64 << 20

    private static var options: StoreOptions {
        var options = StoreOptions()
        options.limits.retainedFeedByteCount = feedByteCount
        return options
    }

    /// Opens the store in a directory, and creates it if it is missing. To read only, it must exist, and may be a replica.
    init(directory: String, host: String, isReadOnly: Bool = false) throws {
        var options = Self.options
        options.isReadOnly = isReadOnly
        store = try Store(
            at: directory, records: Package.self, HostProcess.self, Mount.self, NetworkInterface.self, Threshold.self,
            options: options)
        self.host = host
    }

    /// Opens the store in a directory as a replica, whose node has the name of this machine.
    init(directory: String, host: String, log: any SharedLog, snapshots: String?) async throws {
        let replication: Replication =
            if let snapshots {
                .shared(log, node: host, snapshots: .directory(snapshots))
            } else {
                .shared(log, node: host)
            }
        store = try await Store.open(
            at: directory, records: Package.self, HostProcess.self, Mount.self, NetworkInterface.self, Threshold.self,
            options: Self.options, replication: replication)
        self.host = host
    }

    /// Writes a snapshot as one change set, and blocks until that is committed.
    func apply(_ snapshot: HostSnapshot) throws -> Report {
        try store.write { try Self.apply(snapshot, of: host, in: &$0) }
    }

    /// Writes a snapshot as one change set. Unchanged records are not written.
    func update(_ snapshot: HostSnapshot) async throws -> Report {
        try await store.write { try Self.apply(snapshot, of: host, in: &$0) }
    }

    /// Adds the thresholds that the store does not have yet.
    func addThresholds(_ thresholds: [Threshold]) async throws {
        try await store.write { transaction in
            for threshold in thresholds where try transaction.get(Threshold.self, id: threshold.name) == nil {
                try transaction.insert(threshold)
            }
        }
    }

    private static func apply(
        _ snapshot: HostSnapshot, of host: String, in transaction: inout WriteTransaction
    ) throws -> Report {
        Report(
            packages: try Mirror.apply(
                snapshot.packages, of: host, to: Package.where { $0.host == host }, in: &transaction),
            processes: try Mirror.apply(
                snapshot.processes, of: host, to: HostProcess.where { $0.host == host }, in: &transaction
            ) { stored, read in
                // The kernel derives start times from the wall clock. They shift by a second without any meaning.
                var merged = read
                merged.started = stored.started
                return merged
            },
            mounts: try Mirror.apply(snapshot.mounts, of: host, to: Mount.where { $0.host == host }, in: &transaction),
            interfaces: try Mirror.apply(
                snapshot.interfaces, of: host, to: NetworkInterface.where { $0.host == host }, in: &transaction))
    }

    /// Returns a report on each machine from the mirror's current state, in the order of their names.
    func reports() throws -> [(host: String, report: HostReport)] {
        try store.read { transaction in
            // Every machine has processes.
            let hosts = try transaction.fetch(FetchRequest(HostProcess.self).fields { $0.host }.distinct())
            return try hosts.sorted().map { ($0, try HostReport(transaction, of: $0)) }
        }
    }

    /// Closes the store.
    func close() { store.close() }
}
