import Observation
import StoreEngine

/// Runs an effect's closure, again and again.
///
/// Observation begins to watch only after the closure has returned; what is committed before that would be lost. So each run
/// notes what it read of models and live results, and looks after it has begun to watch whether that is old by now.
struct EffectRun {
    /// Nil for effects that know no store.
    private let core: StoreCore?
    /// Tells of the store's end.
    private let dependent = LiveDependent()
    private let end = TrackingEnd()
    /// Where the effect was made.
    private let line: (file: StaticString, line: UInt)

    init(_ core: StoreCore?, _ file: StaticString, _ line: UInt) throws {
        self.core = core
        self.line = (file, line)
        if let core { try core.stepper.start() }
    }

    /// Runs `body` until the task is cancelled, it throws, or the store is closed.
    nonisolated(nonsending) func run(_ body: () throws -> Void) async throws {
        // Here, where it is removed in any case: not each run that is made begins.
        core?.stepper.add(dependent)
        defer {
            core?.stepper.remove(dependent)
            end.come()
        }
        var kept = EffectKeeping(line.file, line.line)
        defer { kept.end(core) }
        while !Task.isCancelled {
            let view: SteadyView
            do {
                view = try await SteadyView(core)
            } catch {
                try await SteadyView.pause(after: error)
                core?.ownership.tell(
                    OwnershipNotice(
                        .readFailed, "an effect waits until the store can be read: \(ErrorText.of(error))",
                        line: SourceLine(line.file, line.line), error: error))
                continue
            }
            if Task.isCancelled { return }
            let log = ReadLog()
            let signal = Signal()
            dependent.subscribe(signal)
            // What the run before has read and has not changed is not watched any more.
            end.come()
            try withObservationTracking {
                end.note()
                return Result { try view.enter { try log.noting(body) } }
            } onChange: {
                signal.raise()
            }.get()
            kept.become(log.kept, core)
            if log.isStale { continue }
            switch await signal.wait() {
            case .raised: continue
            case .cancelled: return
            case .ended: throw WriteQueue.closed
            }
        }
    }
}

extension Store {
    /// Runs a closure soon, and again whenever something that it read has changed: fields of models, results of live queries,
    /// properties of any `Observable`.
    ///
    /// ```swift
    /// let effect = store.observe {
    ///     print(kitchen.celsius, try hot.results.count)
    /// }
    /// ```
    ///
    /// Each run reads at one position (``view(_:)``). It runs once for all that a step changed, and no change is lost. A closure
    /// that throws ends the effect (``Effect/waitUntilEnded()``). The closure must not wait for long, and not for writes.
    ///
    /// - Returns: what keeps it running.
    public func observe(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Void
    ) -> Effect {
        let core = core
        return Effect(Task { try await EffectRun(core, file, line).run(body) })
    }

    /// The same with a closure that runs on an actor, and may use what belongs to it.
    ///
    /// The effect keeps the actor for as long as it runs, so an actor that keeps its effect ends it by ``Effect/cancel()``.
    ///
    /// - Parameter isolation: the actor: `self` in an actor, `MainActor.shared` on the main actor.
    public func observe(
        isolation: isolated any Actor, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping () throws -> Void
    ) -> Effect {
        let core = core
        // The task runs where this function does, on the actor.
        nonisolated(unsafe) let body = body
        return Effect(
            Task {
                _ = isolation
                try await EffectRun(core, file, line).run(unsafe body)
            })
    }
}
