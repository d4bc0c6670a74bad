package import Foundation
package import StoreEngine

/// A change set to replay: its time, its origin, its other inputs, and its content.
package struct ReplayedWrite: Sendable {
    /// The content of the change set.
    package enum Content: Sendable {
        /// A write closure.
        case closure(@Sendable (inout WriteTransaction) throws -> Void)
        /// A change of a record type.
        case schema(RecordType)
        /// A program that is not ModelStore has written records of the type with this number, or of all types.
        case reset(type: UInt32)
        /// No change set: what an entry of a log has beside them, and the replica state after it.
        case state(LoggedEntry, replica: [UInt8])

        /// The write closure; nil if there is none.
        var body: (@Sendable (inout WriteTransaction) throws -> Void)? {
            switch self {
            case .closure(let body): body
            case .state(let entry, _):
                { transaction in
                    for (type, id) in entry.assigned {
                        guard let typeIndex = transaction._reading.catalog.typeIndex(ofID: type) else { continue }
                        try transaction.keepAssignedIDs(above: id, typeIndex: typeIndex)
                    }
                    for consumer in entry.consumers { try transaction.put(consumer) }
                }
            case .schema, .reset: nil
            }
        }
    }

    /// The change set that a write from a log must give. A store that has it already leaves the write out.
    package struct Expected: Sendable {
        package var sequence: UInt64
        package var hash: UInt64

        /// Returns whether a feed has the change set already.
        ///
        /// - Throws: ``StoreError`` with the code `replicaDiverged` if its change set with this number differs, or if it lacks
        ///   one before.
        func isThere(at newest: UInt64, hash newestHash: UInt64) throws(StoreError) -> Bool {
            guard newest >= sequence else {
                if newest + 1 == sequence { return false }
                throw Self.diverged("its feed ends with change set \(newest), but the log goes on with \(sequence)")
            }
            if newest == sequence { try require(at: newest, hash: newestHash) }
            return true
        }

        /// Throws unless the newest change set of a feed is this one.
        ///
        /// - Throws: ``StoreError`` with the code `replicaDiverged`.
        func require(at newest: UInt64, hash newestHash: UInt64) throws(StoreError) {
            guard newest == sequence, newestHash == hash else {
                throw Self.diverged("change set \(sequence) has another content here than in the log")
            }
        }

        fileprivate static func diverged(_ reason: String) -> StoreError {
            StoreError(
                .replicaDiverged, "this replica and the log contradict each other: \(reason)",
                remedy: "keep this directory to find the cause, and let the replica join again in an empty directory")
        }
    }

    package var time: Date
    package var originName: String
    package var processID: Int32
    package var epoch: UInt64
    /// The first state of the random stream.
    package var seed: UInt64
    package var content: Content
    /// Nil for a write that may give any change set.
    package var expected: Expected?

    package init(
        time: Date, originName: String, processID: Int32, epoch: UInt64, seed: UInt64 = 0, _ content: Content
    ) {
        self.time = time
        self.originName = originName
        self.processID = processID
        self.epoch = epoch
        self.seed = seed
        self.content = content
    }

    /// Whether this and another write are schema changes of one transaction.
    func changesSchema(togetherWith other: ReplayedWrite) -> Bool {
        guard case .schema = content, case .schema = other.content else { return false }
        return (time, originName, processID, epoch) == (other.time, other.originName, other.processID, other.epoch)
    }

    /// Returns the write of an entry of a log without its change sets.
    static func keep(_ entry: LoggedEntry, _ replica: [UInt8]) -> ReplayedWrite {
        ReplayedWrite(
            time: Date(timeIntervalSinceReferenceDate: 0), originName: "", processID: 0, epoch: 0,
            .state(entry, replica: replica))
    }

    /// The error of a replica whose records are not those of the node that has written an entry.
    static func otherContent(_ found: ContentSum, _ expected: ContentSum) -> StoreError {
        Expected.diverged("after the entry the records have the sum \(found) here, and \(expected) in the log")
    }

    /// The inputs of the write transaction.
    var context: WriteContext {
        WriteContext(
            time: time, seed: seed, origin: Origin(name: originName, processID: processID), token: StoreCore.nextToken()
        )
    }
}

/// The result of replaying change sets.
package struct ReplayedWrites: Sendable {
    /// The position after each replayed change set. A change set without changes keeps the previous position.
    package var positions: [Position] = []
    /// Why the next change set could not be replayed.
    package var failure: (any Error)?
}

extension Store {
    /// Replays change sets, in few commits and one step. Blocks until models and live results have them.
    ///
    /// - Parameter goesOn: whether more change sets of the same step follow. Nothing is published then.
    /// - Throws: ``StoreError`` if no change set can be replayed, whatever its content: `readOnly`, `closed`, `diskFull`,
    ///   `nestedWrite`.
    package func replay(_ writes: [ReplayedWrite], goesOn: Bool = false) throws -> ReplayedWrites {
        try requireWritable()
        let core = core
        try core.requireNoLog("a replay")
        core.dispatcher.hold()
        let done: ReplayedWrites
        do {
            done = try core.perform { try ReplayRunner(core: core).run(writes) }
        } catch {
            core.dispatcher.resume()
            throw error
        }
        if !goesOn { publishReplayed(to: done.positions.last?.sequence ?? 0) }
        return done
    }

    /// Publishes in one step the changes that ``replay(_:goesOn:)`` made. Blocks until then.
    package func publishReplayed(to sequence: UInt64) {
        core.dispatcher.resume()
        guard core.dispatcher.isRunning else { return }
        let published = Handover<Void>()
        core.dispatcher.afterPublishing(sequence) { published.give(()) }
        published.wait()
    }
}
