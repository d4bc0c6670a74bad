import StoreEngine
public import StoreRuntime

/// A write of a replica whose outcome the node could not learn. It is the ``/ModelStore/StoreError/cause`` of an error with the
/// code `outcomeUnknown`, and `outcome(of:)` of the store finds out what became of it.
///
/// A service that keeps it, for example in the answer to a client, can ask later and on another node.
public struct UnknownWrite: Error, Sendable, Hashable {
    /// The identity of the write's entry.
    public let id: WriteID
    /// The newest entry before the write's own.
    public let previous: LogPosition

    /// Creates the name of a write from its parts, which a program has kept.
    public init(id: WriteID, previous: LogPosition) {
        self.id = id
        self.previous = previous
    }
}

/// The outcome of a write whose answer was lost.
public enum WriteOutcome: Sendable, Hashable {
    /// The log has the write, and this replica shows it.
    case committed
    /// The log does not have the write, and never will.
    case notCommitted
}

extension Store {
    /// Finds out what became of a write whose answer was lost.
    ///
    /// If the log has no entry in the write's place, an empty entry takes the place. So a request that is still on its way can no
    /// longer arrive.
    ///
    /// ```swift
    /// do {
    ///     try await store.write { tx in … }
    /// } catch let error as StoreError where error.code == .outcomeUnknown {
    ///     guard let write = error.cause as? UnknownWrite else { throw error }
    ///     if try await store.outcome(of: write) == .notCommitted { … }
    /// }
    /// ```
    ///
    /// - Throws: ``/ModelStore/StoreError``: `outcomeUnknown` if the log has removed the write's place; `logUnavailable`,
    ///   `replicaDiverged`; `invalidValue` for a store without replicas. `CancellationError`.
    public func outcome(of write: UnknownWrite) async throws -> WriteOutcome {
        guard let replicator else {
            throw StoreError(
                .invalidValue, "the store has no log", remedy: "ask a replica of the store in which the write was made")
        }
        return try await replicator.outcome(of: write)
    }
}

extension Replicator {
    private static let maximumAttempts = 10

    fileprivate func outcome(of write: UnknownWrite) async throws -> WriteOutcome {
        do {
            for _ in 0..<Self.maximumAttempts {
                let batch = try await log.entries(after: write.previous, maximumByteCount: 1)
                if let entry = batch.entries.first {
                    guard entry.writeID == write.id else { return .notCommitted }
                    try await reach(entry.position.index)
                    return .committed
                }
                do throws(SharedLogError) {
                    _ = try await log.append(LogEntry(after: write.previous, node: node, LoggedEntry(changeSets: [])))
                } catch {
                    // The next look shows which entry has the place.
                    guard error.code == .unknown else { throw error }
                }
            }
            throw SharedLogError(.unavailable, "the log did not answer \(Self.maximumAttempts) times")
        } catch let error as SharedLogError {
            // The position comes from the caller, so a contradiction says nothing about this replica.
            guard [.trimmed, .otherGeneration, .diverged].contains(error.code) else { throw failed(error) }
            throw StoreError(
                .outcomeUnknown, "the log does not have the place of the write \(write.id), or no longer",
                remedy: "look for the write's changes in the store", cause: error)
        }
    }
}
