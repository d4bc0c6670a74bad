import Foundation
import LMDB
import StoreEngine
import StoreRuntime

/// The upkeep of a log, to which every node contributes: snapshots for the nodes that join, and the removal of old entries.
struct LogUpkeep: Sendable {
    /// The key of the register that the node has that takes a snapshot.
    private static let turnKey = "snapshot"
    /// If the node ends, another node takes a snapshot after this time. Two at once cost only time.
    private static let turnLifetime = Duration.seconds(600)
    private static let maximumAttempts = 3
    /// The longest time between two snapshots of a log that grows, in seconds.
    private static let longestPause = 86_400.0

    let log: any SharedLog
    let node: String
    let snapshots: (any SnapshotStore)?
    /// A snapshot is due this many entries after the last one.
    let entriesPerSnapshot: UInt64
    let trimRule: TrimRule

    /// Returns the newest snapshot, and the version of its register; nil before the first snapshot.
    func manifest() async throws(SharedLogError) -> (manifest: SnapshotManifest, version: UInt64)? {
        let found = try await log.registers(prefix: SnapshotManifest.key).first { $0.key == SnapshotManifest.key }
        guard let found else { return nil }
        return (try SnapshotManifest(found.value), found.version)
    }

    /// Whether to take a snapshot now. While the engine has little room, one is due each time after which entries can be removed.
    func isSnapshotDue(_ applied: LogPosition, _ manifest: SnapshotManifest?, _ usage: LogUsage, now: Date) -> Bool {
        guard snapshots != nil else { return false }
        guard let manifest, manifest.position.generation == applied.generation else {
            return applied.index >= entriesPerSnapshot || applied.index > 0 && usage.level > .low
        }
        guard applied.index > manifest.position.index else { return false }
        let age = now.timeIntervalSince(manifest.mark.time)
        return applied.index >= manifest.position.index + entriesPerSnapshot
            || age >= (usage.level > .low ? trimRule.retainedSeconds : Self.longestPause)
    }

    /// Tells the other nodes how far this one has applied the log.
    func publish(_ member: LogMember) async throws(SharedLogError) {
        try await set(LogMember.keyPrefix + node, to: member.bytes, lifetime: LogMember.lifetime)
    }

    /// Tells the other nodes about a running program of this one.
    ///
    /// - Parameter process: an id of the process.
    /// - Returns: the versions of the registers of programs in other directories that use the name of this node, by their keys.
    func publish(_ program: RunningProgram, of process: UUID) async throws -> [String: UInt64] {
        try await set(
            RunningProgram.key(node: node, process: process), to: program.bytes, lifetime: RunningProgram.lifetime)
        let programs = try await log.registers(prefix: RunningProgram.keyPrefix(node: node))
        let elsewhere = programs.filter { register in
            guard RunningProgram.node(ofKey: register.key) == node else { return false }
            return RunningProgram(register.value).map { $0.place != program.place } ?? false
        }
        return Dictionary(uniqueKeysWithValues: elsewhere.map { ($0.key, $0.version) })
    }

    /// Sets a register that only this node sets.
    private func set(_ key: String, to bytes: [UInt8], lifetime: Duration) async throws(SharedLogError) {
        var found = try await log.registers(prefix: key).first { $0.key == key }
        for _ in 0..<Self.maximumAttempts {
            let outcome = try await log.setRegister(key, to: bytes, from: found?.version ?? 0, lifetime: lifetime)
            guard case .conflict(let other) = outcome else { return }
            found = other
        }
    }

    /// Removes the entries that no node needs. While the engine has little room, only nodes whose program runs need any.
    ///
    /// - Returns: the newest removed entry; nil if none was removed.
    @discardableResult
    func trim(_ usage: LogUsage, now: Date) async throws(SharedLogError) -> LogPosition? {
        guard let (manifest, _) = try await manifest() else { return nil }
        var registers = try await log.registers(prefix: LogMember.keyPrefix)
        if usage.level == .high {
            let running = try await log.registers(prefix: RunningProgram.keyPrefix)
            let nodes = Set(running.map { RunningProgram.node(ofKey: $0.key) })
            registers = registers.filter { nodes.contains(String($0.key.dropFirst(LogMember.keyPrefix.count))) }
        }
        let members = registers.compactMap { LogMember($0.value) }
        guard let position = trimRule.position(manifest, members, now: now) else { return nil }
        try await log.trim(through: position)
        return position
    }

    // MARK: Taking a snapshot

    /// Copies a replica to the place for snapshots, and makes the copy the newest snapshot.
    ///
    /// - Throws: ``StoreError``: `inUse` while another node takes one; `logUnavailable`; the errors of copying.
    func takeSnapshot(of store: ReplicaAccess) async throws -> SnapshotManifest {
        guard let snapshots else {
            throw StoreError(
                .invalidValue, "the replica has no place for snapshots",
                remedy: "name one where the store is opened: Replication.shared(_:node:snapshots:)")
        }
        do {
            let turn = try await log.setRegister(
                Self.turnKey, to: Array(node.utf8), from: 0, lifetime: Self.turnLifetime)
            guard case .set(let version) = turn else {
                throw StoreError(.inUse, "another node takes a snapshot of the log", remedy: "wait until it has ended")
            }
            let taken: Result<SnapshotManifest, any Error>
            do { taken = .success(try await take(of: store, to: snapshots)) } catch { taken = .failure(error) }
            // Otherwise it ends by itself.
            _ = try? await log.setRegister(Self.turnKey, to: nil, from: version, lifetime: nil)
            return try taken.get()
        } catch let error as SharedLogError {
            throw StoreError(
                .logUnavailable, error.message, remedy: "take the snapshot once the log can be reached", cause: error)
        }
    }

    private func take(of store: ReplicaAccess, to snapshots: any SnapshotStore) async throws -> SnapshotManifest {
        try await store.withCopy { file, replica in
            let position = try ReplicaState(replica).applied
            let checksum = try await BlockingWork.run { try FileChecksum(of: file) }
            let feed = try store.position()
            let name = SnapshotManifest.fileName(feed, position, checksum.hash)
            try await snapshots.store(file, as: name)
            let readBack = file + ".stored"
            try await snapshots.fetch(name, to: readBack)
            guard try await BlockingWork.run({ try FileChecksum(of: readBack) }) == checksum else {
                throw StoreError(
                    .damaged, "the snapshot \(name) was stored with another content",
                    remedy: "check the disk of the snapshots, and take a new snapshot")
            }
            return try await announce(position, feed, checksum, name, in: snapshots, at: store.now)
        }
    }

    /// Makes a stored snapshot the newest one, unless there is a newer one.
    private func announce(
        _ position: LogPosition, _ feed: Position, _ checksum: FileChecksum, _ name: String,
        in snapshots: any SnapshotStore, at now: Date
    ) async throws -> SnapshotManifest {
        while true {
            let found = try await manifest()
            if let newest = found?.manifest, newest.position.generation == position.generation,
                newest.position.index >= position.index
            {
                if newest.file != name { try? await snapshots.remove(name) }
                return newest
            }
            let manifest = SnapshotManifest(
                SnapshotManifest.Mark(position: position, time: now), byteCount: checksum.byteCount,
                checksum: checksum.hash, file: name, replacing: found?.manifest)
            let outcome = try await log.setRegister(
                SnapshotManifest.key, to: manifest.bytes, from: found?.version ?? 0, lifetime: nil)
            guard case .set = outcome else { continue }
            // A node that joins may still fetch the snapshot before.
            let kept = [name, found?.manifest.file]
            let prefix = SnapshotManifest.filePrefix(feed)
            for other in try await snapshots.names() where other.hasPrefix(prefix) && !kept.contains(other) {
                try? await snapshots.remove(other)
            }
            return manifest
        }
    }

    // MARK: Joining

    /// Fetches the newest snapshot, and puts it in the place of a store that no process has open.
    ///
    /// - Returns: false if the log has no snapshot, or this node no place for them.
    /// - Throws: ``StoreError``: `damaged`, `inUse`, and as copying; ``SharedLogError``.
    func join(at path: String) async throws -> Bool {
        guard let snapshots else { return false }
        var attempts = Self.maximumAttempts
        while let (manifest, _) = try await manifest() {
            // The log keeps the entries after the snapshot from here on.
            try await publish(LogMember(applied: manifest.position))
            do {
                try await fetch(manifest, from: snapshots, to: path)
                return true
            } catch {
                attempts -= 1
                // Another node may have replaced the snapshot in the meantime.
                guard attempts > 0, try await self.manifest()?.manifest != manifest else { throw error }
            }
        }
        return false
    }

    private func fetch(_ manifest: SnapshotManifest, from snapshots: any SnapshotStore, to path: String) async throws {
        try await Store.withWorkFolder(in: path) { folder in
            let file = StoreDirectory.dataFile(folder)
            try await snapshots.fetch(manifest.file, to: file)
            try await BlockingWork.run {
                let checksum = try FileChecksum(of: file)
                guard checksum.hash == manifest.checksum, checksum.byteCount == manifest.byteCount else {
                    throw StoreError(
                        .damaged, "the snapshot \(manifest.file) has another content than the log says",
                        remedy: "take another snapshot on a node that has the store")
                }
                try Store.installReplica(from: folder, to: path)
            }
        }
    }
}
