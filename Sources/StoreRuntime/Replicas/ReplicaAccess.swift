package import Foundation
import LMDB
package import StoreEngine

/// The operations of a log of replicas on an open store. It does not keep the store open.
package struct ReplicaAccess: Sendable {
    private weak let core: StoreCore?

    init(_ core: StoreCore) { self.core = core }

    /// Returns the replica state as of the newest commit; nil before the first entry.
    ///
    /// - Throws: ``StoreError``: `closed`, and as reading.
    package func state() throws -> [UInt8]? {
        let core = try requireOpen()
        let transaction = try core.beginRead()
        return try StoreFormat.replica(core.state.databases, transaction._reading.snapshot)
    }

    /// Returns the replica state as of the newest commit, and the sum of the records that the log has given the store; nil where
    /// there is none.
    ///
    /// - Throws: ``StoreError``: `closed`, and as reading.
    package func stateAndContentSum() throws -> (state: [UInt8]?, sum: ContentSum?) {
        let core = try requireOpen()
        let transaction = try core.beginRead()
        let reading = transaction._reading
        return (try StoreFormat.replica(core.state.databases, reading.snapshot), try reading.storedContentSum())
    }

    /// Returns the newest position of the feed.
    ///
    /// - Throws: ``StoreError``: `closed`, and as reading.
    package func position() throws -> Position {
        let core = try requireOpen()
        let transaction = try core.beginRead()
        return Position(store: core.state.identity, head: try transaction._reading.feedHead())
    }

    /// Applies entries of the log to the store. A change set that the store has already is left out.
    ///
    /// Runs on the writer thread, within ``CommitLog/catchUp()`` or ``perform(_:)``.
    ///
    /// - Parameter entries: in the order of the log, each with the replica state after it.
    /// - Throws: ``StoreError``: `replicaDiverged` if a change set does not give the feed that the log has. The store then has
    ///   the entries before it.
    package func apply(_ entries: [(entry: LoggedEntry, replica: [UInt8])]) throws {
        var writes: [ReplayedWrite] = []
        for (entry, replica) in entries { writes += try ReplayedWrite.all(of: entry, keeping: replica) }
        let done = try ReplayRunner(core: requireOpen()).run(writes)
        if let failure = done.failure { throw failure }
    }

    /// Runs `body` on the writer thread, between commits, and waits for its result.
    package func perform<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
        try requireOpen().perform(body)
    }

    /// Adds record types to the store, in the order of the log.
    package func adopt(_ records: [any Record.Type]) throws { try requireOpen().add(records, plan: nil) }

    /// The record types that this program has declared for the store, each as a new store would have it.
    package func declaredTypes() throws -> [RecordType] {
        let declared = try requireOpen().catalog.declared
        return try declared.enumerated().map { try RecordType(id: UInt32($0.offset), declared: $0.element) }
    }

    /// Returns a text that identifies this directory. All processes of a machine that have it open get the same text. Another
    /// directory has another text, even on a copied disk of another machine. A restart of the machine changes the text.
    package func place() throws(StoreError) -> String {
        let file = try requireOpen().environment.fileIdentity
        return "\(BootIdentity.current) \(file.device) \(file.inode) \(file.birthNanoseconds ?? 0)"
    }

    /// Reports an event of which a program must hear even if it handles none.
    package func report(_ event: StoreEvent) { core?.options.warn(event) }

    /// The time by the store's clock.
    package var now: Date { core?.options.clock() ?? Date() }

    /// Makes a compact copy of the store in a folder inside its directory, and removes it after `body`.
    ///
    /// - Parameter body: receives the path of the copied data file, and the replica state in it.
    /// - Throws: ``StoreError``: `closed`, `diskFull`, `accessDenied`, `ioError`. The errors of `body`.
    package func withCopy<T: Sendable>(
        _ body: (_ file: String, _ replica: [UInt8]) async throws -> T
    ) async throws -> T {
        let work = try WorkFolder(in: requireOpen().environment.path)
        defer { work.remove() }
        let replica = try await BlockingWork.run { [path = work.path] in try copy(to: path) }
        return try await body(StoreDirectory.dataFile(work.path), replica)
    }

    /// Copies the store to an empty directory, and returns the replica state of the copy.
    private func copy(to directory: String) throws -> [UInt8] {
        try requireOpen().copyData(to: directory, compacting: true)
        var options = StoreOptions()
        options.isReadOnly = true
        let copy = try Store(at: directory, records: [], options: options)
        defer { copy.close() }
        guard let replica = try copy.replicaAccess.state() else {
            throw StoreError(.other, "the copy of a replica has no replica state")
        }
        return replica
    }

    private func requireOpen() throws(StoreError) -> StoreCore {
        guard let core else { throw WriteQueue.closed }
        return core
    }
}

extension Store {
    /// The log that orders this store's commits; nil for a store without replicas.
    package var commitLog: (any CommitLog)? { core.options.commitLog }

    /// The operations of a log on this store.
    package var replicaAccess: ReplicaAccess { ReplicaAccess(core) }
}
