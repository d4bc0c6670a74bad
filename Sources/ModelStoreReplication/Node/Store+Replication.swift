import Foundation
import LMDB
public import StoreEngine
public import StoreRuntime

extension Store {
    /// Opens a replica of the store that a log orders, without blocking the calling task. The first replica of a log creates it.
    ///
    /// In a directory without a store, the replica applies the whole log before this returns. Later opens need the log only for
    /// writes, and for record types that the store lacks.
    ///
    /// - Parameters:
    ///   - path: the directory of this replica.
    ///   - records: the record types that this program uses.
    ///   - options: the options for the first open of the directory in this process. Migration plans are not possible.
    ///   - replication: the log, and the node's name.
    /// - Throws: ``StoreError``: `logUnavailable`, `replicaDiverged`, and as opening a store.
    public static func open<each R: Record>(
        at path: String, records: repeat (each R).Type, options: StoreOptions = StoreOptions(), replication: Replication
    ) async throws -> Store {
        var types: [any Record.Type] = []
        repeat types.append((each records).self)
        return try await ReplicaOpening(path: path, records: types, options: options, replication).open()
    }

    /// The progress and the state of this replica; nil for a store without replicas.
    public var replication: ReplicationStatus? { replicator?.status }

    /// The progress and the state of this replica, now and after each change; nil for a store without replicas.
    ///
    /// A slow reader misses all but the newest status. While the log can be reached, there is one each second. The sequence ends
    /// when the store is closed.
    ///
    /// ```swift
    /// guard let updates = store.replicationUpdates else { return }
    /// for await status in updates {
    ///     if case .stopped(let error) = status.state { … }
    /// }
    /// ```
    public var replicationUpdates: AsyncStream<ReplicationStatus>? { replicator?.statusUpdates() }

    /// The newest entry of its log that a replica has applied, also if it is open without the log; nil for a store without
    /// replicas.
    ///
    /// - Throws: ``StoreError``: `closed`, `damaged`, and as reading.
    public var logPosition: LogPosition? {
        get throws { try replicaAccess.state().map { try ReplicaState($0).applied } }
    }

    package var replicator: Replicator? { commitLog as? Replicator }

    /// Takes a snapshot of this replica now, for nodes that join. Replicas also take snapshots by themselves.
    ///
    /// The snapshot is a compact copy of the store. While it is made, the store's directory needs room for it twice.
    ///
    /// - Returns: the entry up to which the newest snapshot has the log.
    /// - Throws: ``StoreError``: `inUse` while another node takes one; `invalidValue` for a store without a place for snapshots;
    ///   `logUnavailable`, `diskFull`, `accessDenied`, `ioError`.
    @discardableResult
    public func takeReplicaSnapshot() async throws -> LogPosition {
        guard let replicator else {
            throw StoreError(
                .invalidValue, "the store has no log", remedy: "use backup(to:compacting:) for a store without replicas"
            )
        }
        return try await replicator.takeSnapshot()
    }

    /// Reads in one snapshot that is as fresh as asked for.
    ///
    /// - Throws: ``StoreError``: `logUnavailable`, `replicaStale`, and as reading. Any error that `body` throws.
    public func read<T: Sendable>(
        _ freshness: ReadFreshness, _ body: (inout ReadTransaction) throws -> T
    ) async throws -> T {
        switch freshness.kind {
        case .atLeast(let position):
            try replicator?.requireGoing()
            try await wait(for: position)
        case .linearizable: try await replicator?.waitForHead()
        case .noOlderThan(let age): try replicator?.require(age: age)
        }
        return try read(body)
    }
}

/// How fresh the snapshot of a read is.
public struct ReadFreshness: Sendable {
    enum Kind: Sendable {
        case atLeast(Position)
        case linearizable
        case noOlderThan(Duration)
    }

    let kind: Kind

    /// Waits until this replica has a position, which may come from another node.
    public static func atLeast(_ position: Position) -> ReadFreshness { ReadFreshness(kind: .atLeast(position)) }
    /// Asks the log for its newest entry, and waits for it. The read sees every write that returned before it, on any node.
    public static let linearizable = ReadFreshness(kind: .linearizable)
    /// Throws `replicaStale` if the log has not confirmed within this time that the replica has its newest entry.
    public static func noOlderThan(_ age: Duration) -> ReadFreshness { ReadFreshness(kind: .noOlderThan(age)) }
}

extension Replicator {
    /// Waits until the store has the newest entry of the log.
    func waitForHead() async throws {
        let head: LogPosition
        do {
            head = try await log.head()
        } catch {
            throw StoreError(
                .logUnavailable, error.message, remedy: "read without asking the log, or once it can be reached",
                cause: error)
        }
        try await reach(head.index)
    }

    /// Throws if the replica was last known to be current longer ago than `age`.
    func require(age: Duration) throws(StoreError) {
        let status = status
        if status.lag == 0, let confirmed = status.confirmed, .now - confirmed <= age { return }
        throw StoreError(
            .replicaStale, "the log has not confirmed in \(age) that this replica is current",
            remedy: "allow a greater age, or see Store.replication for the cause")
    }
}

/// Opens a replica.
private struct ReplicaOpening {
    let path: String
    let records: [any Record.Type]
    let options: StoreOptions
    let replication: Replication

    init(path: String, records: [any Record.Type], options: StoreOptions, _ replication: Replication) {
        self.path = path
        self.records = records
        self.options = options
        self.replication = replication
    }

    func open() async throws -> Store {
        try check()
        let replicator = Replicator(replication)
        var options = options
        options.commitLog = replicator
        let store = try await replica(options)
        do {
            // This process may have the replica open already, with a replicator of its own.
            let isShared = store.commitLog !== replicator
            try await join(store, isShared ? store.replicator ?? replicator : replicator)
            if replication.followsByItself, !isShared { replicator.start() }
        } catch {
            store.close()
            throw error
        }
        return store
    }

    private static let maximumAttempts = 10

    private func check() throws(StoreError) {
        guard !options.isReadOnly else {
            throw StoreError(
                .invalidValue, "a replica that is open for reading only cannot follow its log",
                remedy: "open it without StoreOptions.isReadOnly, or without the log")
        }
        guard 1...255 ~= replication.node.utf8.count else {
            throw StoreError(
                .invalidValue, "the name of the node has \(replication.node.utf8.count) bytes",
                remedy: "use a name of 1 to 255 bytes")
        }
        guard options.migrations == nil else {
            throw StoreError(
                .invalidValue, "a replica cannot run a migration plan",
                remedy: "open it without StoreOptions.migrations")
        }
    }

    /// Opens the store that is there, or creates one with the identity that the log gives.
    private func replica(_ options: StoreOptions) async throws -> Store {
        if FileManager.default.fileExists(atPath: StoreDirectory.dataFile(path)) {
            let store = try await existing(options)
            guard await isLeftBehind(store, options) else { return store }
            store.close()
            _ = try await joinBySnapshot()
            return try await existing(options)
        }
        if try await joinBySnapshot() { return try await existing(options) }
        let first = try await firstEntry()
        guard let origin = first.origin else { throw Self.noFirstEntry }
        return try await BlockingWork.run { [path] in
            let start = Position(store: origin.identity, epoch: origin.epoch, sequence: 0, hash: 0)
            return try Store(
                replicaAt: path, from: ReplicaStart(identity: origin.identity, position: start, types: []),
                options: options)
        }
    }

    private func existing(_ options: StoreOptions) async throws -> Store {
        try await BlockingWork.run { [path] in try Store(at: path, records: [], options: options) }
    }

    /// Returns whether the log has removed entries that the replica lacks.
    private func isLeftBehind(_ store: Store, _ options: StoreOptions) async -> Bool {
        guard replication.snapshots != nil, store.commitLog === options.commitLog,
            let state = try? store.replicaAccess.state(), let replica = try? ReplicaState(state)
        else { return false }
        do {
            _ = try await replication.log.entries(after: replica.applied, maximumByteCount: 1)
            return false
        } catch {
            return error.code == .trimmed
        }
    }

    /// Joins by the newest snapshot, and returns false if there is none.
    private func joinBySnapshot() async throws -> Bool {
        do {
            return try await replication.upkeep.join(at: path)
        } catch let error as SharedLogError {
            throw StoreError(
                .logUnavailable, error.message, remedy: "open the replica once its log can be reached", cause: error)
        }
    }

    private static let noFirstEntry = StoreError(
        .logUnavailable, "the log no longer has its first entry",
        remedy:
            "name the place of the log's snapshots (Replication.shared(_:node:snapshots:), --snapshots); if the log has none, "
            + "take one on another node: store-cli replication snapshot")

    /// Returns the first entry of the log, and makes it if the log is empty.
    private func firstEntry() async throws(StoreError) -> LogEntry {
        do throws(SharedLogError) {
            for _ in 0..<Self.maximumAttempts {
                let head = try await replication.log.head()
                let start = LogPosition.start(generation: head.generation)
                if head.index > 0 {
                    let batch = try await replication.log.entries(after: start, maximumByteCount: 1)
                    if let first = batch.entries.first { return first }
                }
                var random = SystemRandomNumberGenerator()
                let origin = LogOrigin(identity: UUID(), epoch: random.next())
                let entry = LogEntry(
                    after: start, node: replication.node, origin: origin, LoggedEntry(changeSets: []))
                do throws(SharedLogError) {
                    if try await replication.log.append(entry) == .appended { return entry }
                } catch {
                    // The next look at the log shows whether the entry is there.
                    guard error.code == .unknown else { throw error }
                }
            }
            throw SharedLogError(.unavailable, "the log did not answer \(Self.maximumAttempts) times")
        } catch {
            if error.code == .trimmed { throw Self.noFirstEntry }
            throw StoreError(
                .logUnavailable, error.message, remedy: "open the replica once its log can be reached", cause: error)
        }
    }

    private func join(_ store: Store, _ replicator: Replicator) async throws {
        let access = store.replicaAccess
        if try access.state() == nil {
            let first = try await firstEntry()
            let position = try store.position
            guard position.store == first.origin?.identity, position.sequence == 0 else {
                throw StoreError(
                    .storeExists, "\(path) holds a store that is no replica of this log",
                    remedy:
                        "choose an empty directory, or make the store the first node of another log: store-cli replication init"
                )
            }
            try await BlockingWork.run {
                try access.perform {
                    try access.apply([(first.content, ReplicaState(applied: first.position, sequence: 0).bytes)])
                }
            }
        }
        try replicator.attach(access)
        let isConnected = await replicator.follow()
        if case .stopped(let error) = replicator.status.state { throw error }
        guard isConnected else { return }
        let records = records
        try await BlockingWork.run { try access.adopt(records) }
    }
}
