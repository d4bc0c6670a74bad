import StoreEngine

/// One subscription to a live query, with its records in their Swift type. It belongs to one task at a time.
final class LiveWatch<R: Record> {
    private let steps: LiveSteps
    /// Whether what was given last was decoded as a whole: not so before the first update, which may go on from rows that another
    /// subscription had.
    private var hasDecoded = false

    /// - Parameter position: where the subscriber stands, if he had the results before.
    /// - Throws: ``StoreError``: `closed`; `damaged`.
    init(_ query: LiveQuery<R>, _ signal: Signal = Signal(), since position: Position? = nil) throws {
        steps = try query.steps(signal, since: position)
    }

    /// The next update; nil when the task is cancelled.
    func next() async throws -> LiveUpdate<R>? {
        guard let step = try await steps.next() else { return nil }
        return try update(step)
    }

    /// The update to what is shown now, without waiting for one; nil where that is what was given last.
    ///
    /// - Throws: why no more updates come, once there is none left.
    func poll() throws -> LiveUpdate<R>? {
        if let step = steps.poll() { return try update(step) }
        if let failure { throw failure }
        return nil
    }

    /// Turns to what is asked for now, and waits until that is shown.
    func settle() async { await steps.settle() }

    /// What is shown at a position; nil where that is not known any more.
    func shown(at sequence: UInt64) -> LiveShown? { steps.shown(at: sequence) }

    /// Why there are no updates any more; nil while there are.
    var failure: StoreError? { steps.failure }

    /// What leads from what was given last to `shown`, which is given by that.
    ///
    /// - Parameter state: the witness, who is told.
    func given(_ shown: LiveShown, _ state: inout WitnessStand.State) -> LiveStep { steps.given(shown, &state) }

    /// The typed form of a step that was given.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`. What comes next is not told as a difference then, as the subscriber has nothing
    ///   that it would lead from.
    func update(_ step: LiveStep) throws(StoreError) -> LiveUpdate<R> {
        do {
            let update = try LiveUpdate<R>(step, decodesAll: !hasDecoded)
            hasDecoded = true
            return update
        } catch {
            forget()
            throw error
        }
    }

    /// Begins anew: the subscriber could not be given the last step.
    func forget() { steps.forget() }
}

extension LiveUpdate {
    /// The typed form of a step.
    ///
    /// - Parameter decodesAll: whether not all rows of the step before were decoded.
    /// - Throws: ``StoreError`` with the code `damaged`.
    fileprivate init(_ step: LiveStep, decodesAll: Bool) throws(StoreError) {
        position = step.new.position
        guard let old = step.old, let difference = step.difference else {
            results = try LiveRecords(step.new.rows, step.new.catalog)
            changes = .reset
            return
        }
        // Also those whose changes are not told: the results show them.
        results = try LiveRecords(
            step.new.rows, step.new.catalog, undecoded: decodesAll ? nil : difference.renewed)
        changes = try LiveChanges(difference, from: old, to: step.new)
    }
}
