import Foundation
import StoreEngine
import StoreRuntime

/// Looks at a log and its nodes, and does to them what no node does by itself.
public struct LogAdministration: Sendable {
    private let log: any SharedLog
    private let snapshots: (any SnapshotStore)?

    /// Administers a log.
    ///
    /// - Parameters:
    ///   - log: the log.
    ///   - snapshots: the place of the nodes' snapshots; nil if they have none.
    public init(_ log: any SharedLog, snapshots: (any SnapshotStore)? = nil) {
        self.log = log
        self.snapshots = snapshots
    }

    private func upkeep(_ node: String) -> LogUpkeep {
        Replication(log: log, node: node, snapshots: snapshots).upkeep
    }

    // MARK: Looking

    /// Returns the log's positions, its newest snapshot, and its nodes.
    ///
    /// - Throws: ``/ModelStore/StoreError``: `logUnavailable`, `accessDenied`.
    public func status() async throws -> LogStatus {
        try await asking {
            let head = try await log.head()
            let batch = try await log.entries(after: head, maximumByteCount: 1)
            let manifest = try await upkeep("").manifest()?.manifest
            let members = try await log.registers(prefix: LogMember.keyPrefix).compactMap { register in
                LogMember(register.value).map { member in
                    LogStatus.Member(
                        node: String(register.key.dropFirst(LogMember.keyPrefix.count)), applied: member.applied,
                        recordSum: member.contentSum?.description)
                }
            }
            return LogStatus(
                head: batch.head, floor: batch.floor, snapshot: manifest?.position, snapshotTime: manifest?.mark.time,
                usage: try await log.usage(), members: members)
        }
    }

    /// Returns the place of a replica in the log. Processes may have the replica open.
    ///
    /// - Throws: ``/ModelStore/StoreError``: `invalidValue` for a store that is no replica, or one of another log;
    ///   `logUnavailable`, and as opening a store.
    public func status(ofReplicaAt path: String) async throws -> ReplicaStatus {
        let applied = try await BlockingWork.run { try Self.state(at: path).applied }
        do {
            let batch = try await log.entries(after: applied, maximumByteCount: 1)
            return ReplicaStatus(applied: applied, head: batch.head, stop: nil)
        } catch {
            switch error.code {
            case .trimmed, .diverged, .otherGeneration:
                try await requireOwnLog(path)
                let head = try await asking { try await log.head() }
                return ReplicaStatus(applied: applied, head: head, stop: error)
            default: throw Self.failure(error)
            }
        }
    }

    /// Throws if the log is known to be that of other replicas. The newest snapshot says it, or the first entry.
    private func requireOwnLog(_ path: String) async throws {
        let feed = try await BlockingWork.run { try Store.replicaState(at: path).position }
        let isOther = try await asking {
            if let manifest = try await upkeep("").manifest()?.manifest { return !manifest.isOfReplicas(with: feed) }
            let start = LogPosition.start(generation: try await log.head().generation)
            // Without a snapshot, no entry was removed.
            let first = try? await log.entries(after: start, maximumByteCount: 1).entries.first
            return first?.origin.map { $0 != LogOrigin(identity: feed.store, epoch: feed.epoch) } ?? false
        }
        guard isOther else { return }
        throw StoreError(
            .invalidValue, "the log is that of another store", remedy: "check the name of the log and the directory")
    }

    private static func state(at path: String) throws -> ReplicaState {
        guard let bytes = try Store.replicaState(at: path).state else { throw noReplica }
        return try ReplicaState(bytes)
    }

    private static let noReplica = StoreError(
        .invalidValue, "the store is no replica of a log", remedy: "name the directory of a node")

    /// Reads all records of a replica, and compares their sum with the sum in the log and with those of the other nodes.
    /// Processes may have the replica open.
    ///
    /// - Throws: ``/ModelStore/StoreError``: `invalidValue` for a store that is no replica; `damaged`, `logUnavailable`, and as
    ///   opening a store.
    /// - Complexity: linear in the size of the records.
    public func verify(replicaAt path: String) async throws -> ReplicaVerification {
        let content = try await BlockingWork.run { try Store.countContent(at: path) }
        guard let state = content.state else { throw Self.noReplica }
        let applied = try ReplicaState(state).applied
        let stop = try await self.status(ofReplicaAt: path).stop
        let members = try await status().members.filter { $0.applied == applied && $0.recordSum != nil }
        let sum = content.counted.description
        return ReplicaVerification(
            applied: applied, recordSum: sum, loggedSum: content.logged?.description,
            equalNodes: members.filter { $0.recordSum == sum }.map(\.node),
            otherNodes: members.filter { $0.recordSum != sum }.map(\.node), stop: stop)
    }

    /// Removes the entries that no node needs. Nodes do this by themselves, if they have a place for snapshots.
    ///
    /// - Returns: the newest removed entry; nil if none was removed.
    /// - Throws: ``/ModelStore/StoreError``: `logUnavailable`, `accessDenied`.
    @discardableResult
    public func trim() async throws -> LogPosition? {
        try await asking { try await upkeep("").trim(try await log.usage(), now: Date()) }
    }

    // MARK: Beginning

    /// Makes a store without replicas the first node of an empty log, and takes the snapshot with which other nodes join.
    ///
    /// No process may have the store open. After an interruption, call it again.
    ///
    /// - Parameters:
    ///   - path: the directory of the store.
    ///   - node: the name of the node that it becomes.
    /// - Returns: the position from which the log goes on.
    /// - Throws: ``/ModelStore/StoreError``: `inUse`, `logUnavailable`; `invalidValue` if the store is a replica, the log is in
    ///   use, or there is no place for snapshots; and as opening a store and taking a snapshot.
    public func initialize(fromStoreAt path: String, node: String) async throws -> LogPosition {
        try requireSnapshots()
        try await BlockingWork.run { try Store.requireUnused(path) }
        let (state, position) = try await BlockingWork.run { try Store.replicaState(at: path) }
        let hash = LogHash(Array("\(position)".utf8), after: .zero)
        let head = try await asking { try await log.head() }
        if let state {
            guard try ReplicaState(state).applied == head, head.hash == hash else {
                throw StoreError(
                    .invalidValue, "the store is a replica already",
                    remedy: "see its state with store-cli replication status")
            }
            // An earlier call was interrupted before the snapshot.
            try await takeSnapshot(ofReplicaAt: path, node: node)
            return head
        }
        let start: LogPosition
        if head.index == 1, head.hash == hash {
            // An earlier call was interrupted.
            start = head
        } else {
            guard head.index == 0 else {
                throw StoreError(
                    .invalidValue, "the log is in use: it has \(head.index) entries",
                    remedy: "choose another name for the log, or join with an empty directory")
            }
            start = LogPosition(generation: head.generation + 1, index: 1, hash: hash)
            try await begin(start, after: head)
        }
        try await move(path, to: start)
        try await takeSnapshot(ofReplicaAt: path, node: node)
        return start
    }

    /// Begins a new generation of a log that no longer continues its nodes, as after the restore of an old backup. The log goes
    /// on from one node, and the others join it again.
    ///
    /// No process may have the node's store open. After an interruption, call it again.
    ///
    /// - Parameters:
    ///   - path: the directory of the node that has the most entries. Entries that only other nodes have are lost.
    ///   - node: the name of the node.
    ///   - allowsLoss: whether the node may have fewer entries than another node has told the log.
    /// - Returns: the position from which the log goes on.
    /// - Throws: ``/ModelStore/StoreError``: `invalidValue` if the log continues the node, or another node has more entries;
    ///   `inUse`, `logUnavailable`, and as opening a store and taking a snapshot.
    public func beginGeneration(
        fromReplicaAt path: String, node: String, allowsLoss: Bool = false
    ) async throws -> LogPosition {
        try requireSnapshots()
        try await BlockingWork.run { try Store.requireUnused(path) }
        let applied = try await BlockingWork.run { try Self.state(at: path).applied }
        let head = try await asking { try await log.head() }
        let start: LogPosition
        if head == applied, try await status().isWithoutSnapshot {
            // An earlier call was interrupted before the snapshot.
            start = head
        } else if head.generation > applied.generation, head.index == applied.index, head.hash == applied.hash {
            // An earlier call was interrupted.
            start = head
        } else {
            try await requireStopped(path)
            if !allowsLoss { try await requireFurthest(applied, node) }
            start = LogPosition(
                generation: max(head.generation, applied.generation) + 1, index: applied.index, hash: applied.hash)
            try await begin(start, after: head)
        }
        try await move(path, to: start)
        try await takeSnapshot(ofReplicaAt: path, node: node)
        return start
    }

    private func requireStopped(_ path: String) async throws {
        guard try await status(ofReplicaAt: path).stop == nil else { return }
        throw StoreError(
            .invalidValue, "the log continues this node, so that a new generation would lose its newest entries",
            remedy: "start the node; if another node has stopped, let it rejoin")
    }

    private func requireFurthest(_ applied: LogPosition, _ node: String) async throws {
        let other = try await status().members
            .filter { $0.node != node && $0.applied.generation == applied.generation }
            .max { $0.applied.index < $1.applied.index }
        guard let other, other.applied.index > applied.index else { return }
        throw StoreError(
            .invalidValue,
            "the node \(other.node) had entry \(other.applied.index), and this one ends with \(applied.index)",
            remedy: "begin the generation from \(other.node), or allow the loss")
    }

    private func begin(_ start: LogPosition, after head: LogPosition) async throws {
        do {
            guard try await !log.beginGeneration(at: start, after: head) else { return }
        } catch {
            throw StoreError(
                .logUnavailable, error.message, remedy: "try again; the command continues where it was interrupted",
                cause: error)
        }
        throw StoreError(
            .logUnavailable, "the log has a new entry since it was looked at",
            remedy: "end all programs that write to the log, and try again")
    }

    /// Writes a replica's new place in the log.
    private func move(_ path: String, to start: LogPosition) async throws {
        try await BlockingWork.run {
            try Store.setReplicaState(at: path) { position in
                ReplicaState(applied: start, sequence: position.sequence).bytes
            }
        }
    }

    // MARK: Nodes

    /// Takes a snapshot of a replica, for nodes that join.
    ///
    /// - Throws: ``/ModelStore/StoreError``: as `takeReplicaSnapshot()` of the store, and opening a replica.
    @discardableResult
    public func takeSnapshot(ofReplicaAt path: String, node: String) async throws -> LogPosition {
        try requireSnapshots()
        var replication = Replication(log: log, node: node, snapshots: snapshots)
        replication.followsByItself = false
        let store = try await Store.open(at: path, replication: replication)
        defer { store.close() }
        return try await store.takeReplicaSnapshot()
    }

    /// Replaces a node that has stopped by the newest snapshot. Its old directory is kept under another name.
    ///
    /// No process may have the store open. After an interruption, call it again.
    ///
    /// - Returns: the path of the old directory.
    /// - Throws: ``/ModelStore/StoreError``: `inUse`, `logUnavailable`; `storeExists` if an old directory is kept already;
    ///   `invalidValue` without a snapshot, for a store that is no replica, and for one of another log; and as copying. The
    ///   node's directory is then as it was, unless another program has made a store there meanwhile.
    public func rejoin(at path: String, node: String) async throws -> String {
        try requireSnapshots()
        do {
            if FileManager.default.fileExists(atPath: StoreDirectory.dataFile(path)) {
                _ = try await status(ofReplicaAt: path)
            }
        } catch let error as StoreError where [.damaged, .notAStore].contains(error.code) {
            // Such a node has stopped too.
        }
        let kept = path + ".before-rejoin"
        if !FileManager.default.fileExists(atPath: kept) {
            try await BlockingWork.run { try Store.moveUnused(path, to: kept) }
        } else if FileManager.default.fileExists(atPath: StoreDirectory.dataFile(path)) {
            throw StoreError(
                .storeExists, "\(kept) exists already", remedy: "move or remove the directory of an earlier rejoin")
        }
        do {
            let isJoined = try await asking { try await upkeep(node).join(at: path) }
            guard isJoined else {
                throw StoreError(
                    .invalidValue, "the log has no snapshot",
                    remedy: "take one on a node that goes on: store-cli replication snapshot")
            }
            return kept
        } catch {
            try await BlockingWork.run {
                // The snapshot is put in its place in one step, so this store is another program's.
                if FileManager.default.fileExists(atPath: StoreDirectory.dataFile(path)) { return }
                try? FileManager.default.removeItem(atPath: path)
                try Store.moveUnused(kept, to: path)
            }
            throw error
        }
    }

    /// Makes a replica a store without a log, also one that was restored from a backup. It keeps its records and its feed, and
    /// accepts the positions up to here. It does not accept later positions of the other replicas.
    ///
    /// No process may have the store open. The log is not asked, and may be lost. While it has the node among its members, which
    /// is at most a day, it keeps entries for the node.
    ///
    /// - Throws: ``/ModelStore/StoreError``: `invalidValue` for a store that is no replica; `inUse`, and as opening a store.
    public static func leave(replicaAt path: String) async throws {
        try await BlockingWork.run {
            _ = try state(at: path)
            try Store.removeReplicaState(at: path)
        }
    }

    /// Removes a node that does not come back, so that the log keeps no entries for it. Without this, it goes away after a day.
    ///
    /// If it comes back after all, it joins again with a snapshot.
    ///
    /// - Parameter node: the name of the node.
    /// - Throws: ``/ModelStore/StoreError``: `inUse` if its program runs, or ended less than 20 seconds ago; `invalidValue` if
    ///   the log has not heard of such a node within a day; `logUnavailable`, `accessDenied`.
    public func remove(node: String) async throws {
        let key = LogMember.keyPrefix + node
        try await asking {
            let members = try await log.registers(prefix: LogMember.keyPrefix)
            guard let member = members.first(where: { $0.key == key }) else {
                let names = members.map { $0.key.dropFirst(LogMember.keyPrefix.count) }.joined(separator: ", ")
                throw StoreError(
                    .invalidValue, "the log has not heard of a node \(node) within a day",
                    remedy: names.isEmpty ? "check the name of the log" : "choose one of these: \(names)")
            }
            let isRunning = try await log.registers(prefix: RunningProgram.keyPrefix(node: node))
                .contains { RunningProgram.node(ofKey: $0.key) == node }
            if !isRunning, case .set = try await log.setRegister(key, to: nil, from: member.version, lifetime: nil) {
                return
            }
            throw StoreError(
                .inUse, "the program of the node \(node) runs, or has just ended",
                remedy: "end it, and try again 20 seconds later")
        }
    }

    private func requireSnapshots() throws(StoreError) {
        guard snapshots == nil else { return }
        throw StoreError(
            .invalidValue, "no place for snapshots is named, with which the other nodes join",
            remedy: "name a directory that all nodes can reach")
    }

    // MARK: Errors

    private func asking<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as SharedLogError { throw Self.failure(error) }
    }

    private static func failure(_ error: SharedLogError) -> StoreError {
        StoreError(
            error.code == .refused ? .accessDenied : .logUnavailable, error.message,
            remedy: "check the log's options, and try again once it can be reached", cause: error)
    }
}
