import StoreEngine

/// One subscription to a live query, with its records in their Swift type. It belongs to one task at a time.
final class LiveWatch<R: Record> {
    private let steps: LiveSteps
    /// Whether all rows of the last delivered result were decoded. They were not before the first update, which may continue from
    /// the rows of another subscription.
    private var hasDecoded = false

    /// - Parameter position: the position at which the subscriber had the results before; nil for a new subscriber.
    /// - Throws: ``StoreError``: `closed`; `damaged`.
    init(_ query: LiveQuery<R>, _ signal: Signal = Signal(), since position: Position? = nil) throws {
        steps = try query.steps(signal, since: position) { $0.narrowed(to: R.self) }
    }

    /// Waits for the next update, and returns it; nil when the task is cancelled.
    func next() async throws -> LiveUpdate<R>? {
        guard let step = try await steps.next() else { return nil }
        return try update(step)
    }

    /// Returns the update to the current results without waiting for a new one; nil if they were delivered last.
    ///
    /// - Throws: the reason why no more updates come, once all updates are delivered.
    func poll() throws -> LiveUpdate<R>? {
        if let step = steps.poll() { return try update(step) }
        if let failure { throw failure }
        return nil
    }

    /// Follows the current request, and waits until its result is published.
    func settle() async { await steps.settle() }

    /// Returns the state at a position; nil if it is not known any more.
    func version(at sequence: UInt64) -> LiveVersion? { steps.version(at: sequence) }

    /// Why no more updates come; nil while they do.
    var failure: StoreError? { steps.failure }

    /// Delivers a version, and returns the step to it from the last delivered result.
    ///
    /// - Parameter state: the state of the witness, which receives the step.
    func given(_ version: LiveVersion, _ state: inout WitnessStand.State) -> LiveStep { steps.given(version, &state) }

    /// Returns the typed form of a delivered step.
    ///
    /// - Throws: ``StoreError`` with the code `damaged`. The next update is a reset then, because the subscriber lacks the
    ///   results that a difference would start from.
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

    /// Starts over, because the subscriber could not receive the last step.
    func forget() { steps.forget() }
}

extension LiveUpdate {
    /// Creates the typed form of a step.
    ///
    /// - Parameter decodesAll: whether to decode all rows, because some rows of the previous step were not decoded.
    /// - Throws: ``StoreError`` with the code `damaged`.
    fileprivate init(_ step: LiveStep, decodesAll: Bool) throws(StoreError) {
        position = step.new.position
        guard let old = step.old, let difference = step.difference else {
            results = try LiveRecords(step.new.rows, step.new.catalog)
            changes = .reset
            return
        }
        // Also decodes changed rows that `changes` does not list, because the results contain them.
        results = try LiveRecords(
            step.new.rows, step.new.catalog, undecoded: decodesAll ? nil : difference.renewed)
        changes = try LiveChanges(difference, from: old, to: step.new)
    }
}
