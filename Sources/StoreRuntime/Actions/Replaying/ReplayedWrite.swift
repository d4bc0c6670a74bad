package import Foundation
package import StoreEngine

/// One change set to be made again: when, by whom and of what inputs it was made, and what it did.
package struct ReplayedWrite: Sendable {
    /// What it did.
    package enum Content: Sendable {
        /// A write closure.
        case closure(@Sendable (inout WriteTransaction) throws -> Void)
        /// A change of a record type.
        case schema(RecordType)
        /// A program that is not ModelStore has written to records of the type with this number, or of all.
        case reset(type: UInt32)
    }

    package var time: Date
    package var originName: String
    package var processID: Int32
    package var epoch: UInt64
    /// The first state of the random stream.
    package var seed: UInt64
    package var content: Content

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

    /// The inputs of its transaction.
    var context: WriteContext {
        WriteContext(
            time: time, seed: seed, origin: Origin(name: originName, processID: processID), token: StoreCore.nextToken()
        )
    }
}

/// What came of change sets that were made again.
package struct ReplayedWrites: Sendable {
    /// The position after each that was made. One that changed nothing leaves it where it was.
    package var positions: [Position] = []
    /// Why the one after them could not be made.
    package var failure: (any Error)?
}

extension Store {
    /// Makes change sets again, in few commits and one step, and waits until models and live results show them. Blocks.
    ///
    /// - Parameter goesOn: whether others of the same step come next; nothing is shown then.
    /// - Throws: ``StoreError`` when none of them can be made whatever they are: `readOnly`, `closed`, `diskFull`, `nestedWrite`.
    package func replay(_ writes: [ReplayedWrite], goesOn: Bool = false) throws -> ReplayedWrites {
        try requireWritable()
        let core = core
        core.stepper.hold()
        let done: ReplayedWrites
        do {
            done = try core.perform { try ReplayRunner(core: core).run(writes) }
        } catch {
            core.stepper.resume()
            throw error
        }
        if !goesOn { showReplayed(to: done.positions.last?.sequence ?? 0) }
        return done
    }

    /// Has what ``replay(_:goesOn:)`` made shown, in one step, and waits for that. Blocks.
    package func showReplayed(to sequence: UInt64) {
        core.stepper.resume()
        guard core.stepper.isRunning else { return }
        let shown = Handover<Void>()
        core.stepper.afterShowing(sequence) { shown.give(()) }
        shown.wait()
    }
}
