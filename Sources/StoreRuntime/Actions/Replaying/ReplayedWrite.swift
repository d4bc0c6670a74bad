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
