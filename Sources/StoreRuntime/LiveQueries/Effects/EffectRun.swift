import Observation
import StoreEngine

/// Runs an effect's closure repeatedly.
///
/// Observation begins to track only after the closure has returned, so it misses a commit before that. Each run therefore logs
/// which versions of models and live results it read. After tracking has begun, the run checks whether newer versions exist.
struct EffectRun {
    /// Nil for effects without a store.
    private let core: StoreCore?
    /// Notifies the effect when the store ends.
    private let dependent = LiveDependent()
    private let end = TrackingEnd()
    /// The line that created the effect.
    private let line: (file: StaticString, line: UInt)

    init(_ core: StoreCore?, _ file: StaticString, _ line: UInt) throws {
        self.core = core
        self.line = (file, line)
        if let core { try core.dispatcher.start() }
    }

    /// Runs `body` until the task is cancelled, `body` throws, or the store is closed.
    nonisolated(nonsending) func run(_ body: () throws -> Void) async throws {
        // Added here, where `defer` removes it in any case: a run that was created may never start.
        core?.dispatcher.add(dependent)
        defer {
            core?.dispatcher.remove(dependent)
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
                core?.ownership.notify(
                    OwnershipNotice(
                        .readFailed, "an effect waits until the store can be read: \(ErrorText.of(error))",
                        line: SourceLine(line.file, line.line), error: error))
                continue
            }
            if Task.isCancelled { return }
            let log = ReadLog()
            let signal = Signal()
            dependent.subscribe(signal)
            // Ends the tracking of the previous run, which still tracks values that have not changed.
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
    /// Runs a closure soon, and reruns it whenever a value that it read has changed. Such values are fields of models, results of
    /// live queries, and properties of any `Observable`.
    ///
    /// ```swift
    /// let effect = store.observe {
    ///     print(kitchen.celsius, try hot.results.count)
    /// }
    /// ```
    ///
    /// Each run reads at one position (``view(_:)``). A step causes one rerun, however many of the values it changed, and no
    /// change of the store is lost.
    ///
    /// Swift begins to observe when the closure has returned. If another thread changes an `Observable` object of the program
    /// while the closure runs, that change may cause no rerun. Use the form with an actor, and change such objects on that actor.
    ///
    /// If the closure throws, the effect ends (``Effect/waitUntilEnded()``). The closure must not block for long,
    /// and must not wait for writes.
    ///
    /// - Returns: the effect, which ends with its last reference.
    public func observe(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Void
    ) -> Effect {
        let core = core
        return Effect(Task { try await EffectRun(core, file, line).run(body) })
    }

    /// Runs a closure on an actor, and reruns it as the form without an actor does. The closure may use the state of the actor.
    ///
    /// The effect keeps the actor alive while it runs. An actor that stores its own effect has to end it with
    /// ``Effect/cancel()``.
    ///
    /// - Parameters:
    ///   - isolation: the actor: `self` in an actor, `MainActor.shared` on the main actor.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - body: the closure to run.
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
