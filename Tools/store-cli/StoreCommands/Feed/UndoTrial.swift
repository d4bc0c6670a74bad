import StoreEngine
import StoreRuntime

/// A write of `undo` or `revert`. It is committed, or withdrawn once its changes are listed.
///
/// The changes are listed in a temporary file within the transaction and printed after it. So the command holds no lock while it
/// writes to standard output, and needs little memory.
struct UndoTrial: Sendable {
    /// The result of the write, or of the trial.
    struct Outcome: Sendable {
        /// The number of undone change sets.
        var undoneCount = 0
        /// The number of the change set that the command names.
        var sequence: UInt64 = 0
        var conflictCount = 0
        var changeCount = 0
        /// Whether conflicts prevent the write.
        var isRefused = false
        /// The conflicts and changes, in the form in which they are printed.
        let printed: TemporaryFile
    }

    /// The task of the write.
    enum Order: Sendable {
        case undo(PositionArgument, skipsConflicts: Bool)
        case revert(PositionArgument)
    }

    let order: Order
    let format: OutputFormat
    let isDry: Bool

    /// Runs the write.
    ///
    /// - Returns: the outcome, and the position of the write if it was committed.
    func run(in store: Store) throws -> (result: Outcome, position: Position?) {
        try store.trialWrite(committingIf: { [isDry] in !isDry && !$0.isRefused }) { try write(&$0) }
    }

    private func write(_ tx: inout WriteTransaction) throws -> Outcome {
        var outcome = Outcome(printed: try TemporaryFile())
        let output = StandardOutput(to: outcome.printed)
        var printer = try DifferencePrinter(format, to: output)
        switch order {
        case .undo(let position, let skipsConflicts):
            outcome.sequence = try position.changeSet(in: tx._reading)
            outcome.undoneCount = 1
            let conflicts: [ChangeConflict]
            if skipsConflicts {
                conflicts = try tx.undo(sequence: outcome.sequence, conflicts: .skip)
            } else {
                conflicts = try tx.conflicts(undoing: outcome.sequence)
                outcome.isRefused = !conflicts.isEmpty
                if !outcome.isRefused { try tx.undo(sequence: outcome.sequence) }
            }
            for conflict in conflicts { try printer.append(conflict) }
            outcome.conflictCount = conflicts.count
        case .revert(let position):
            let position = try position.position(in: tx._reading)
            outcome.sequence = position.sequence
            outcome.undoneCount = try tx.revert(to: position)
        }
        if !outcome.isRefused {
            try tx.forEachPendingChange { change in
                outcome.changeCount += 1
                try printer.append(change)
            }
        }
        try printer.finish()
        try output.flush()
        return outcome
    }
}

extension UndoTrial.Outcome {
    /// Prints the conflicts and changes.
    ///
    /// - Parameter position: the position of the write; nil if it was not committed.
    func print(committedAt position: Position?) throws {
        let output = StandardOutput()
        do {
            try printed.copy(to: output)
            try output.flush()
        } catch let failure as SystemFailure where position != nil {
            throw CommandFailure(.ioError, "\(failure); the change is committed nevertheless")
        }
    }

    /// Returns the number of changed records as text, with the change set of the write.
    func changesText(_ position: Position?) -> String {
        let records = Counted.text(changeCount, "record")
        guard let position else { return "\(records) would change" }
        return changeCount == 0 ? "no record changed" : "\(records) changed, as change set \(position.sequence)"
    }
}

extension PositionArgument {
    /// Returns the number of the change set that ends at this position.
    ///
    /// - Throws: ``StoreError`` if it is not in the feed.
    func changeSet(in scope: ReadContext) throws(StoreError) -> UInt64 {
        switch self {
        case .oldest: return try scope.oldestPosition().sequence
        case .newest: return try scope.feedPosition().sequence
        case .sequence(let number): return number
        case .token(let position):
            try scope.requireChangeSet(at: position)
            return position.sequence
        }
    }
}
