import Foundation
import StoreEngine
import StoreRuntime

/// Replays a trace into a store of its own, and compares the results with the recording.
///
/// ```swift
/// try await Replayer.replay("day.trace")                                   // the recorded changes
/// let options = ReplayOptions(actions: ActionCatalog(MoveSensor.self), records: Sensor.self)
/// try await Replayer.replay("day.trace", options: options)                 // the actions, by the code of today
/// ```
public enum Replayer {
    /// Replays a trace.
    ///
    /// - Parameters:
    ///   - trace: the file.
    ///   - directory: where the store is created and left; nil for a temporary store.
    ///   - options: how to replay, and how to compare.
    /// - Throws: ``ReplayDivergence`` at the first difference. Up to 1,000 change sets are replayed in one commit, so the store
    ///   may contain up to 999 change sets after the difference. To end the replay exactly at a change set, set
    ///   ``ReplayOptions/until``. ``/ModelStore/StoreError``: `traceDamaged`, with the line; `newerTrace`; `noSuchTrace`;
    ///   `ioError`; `storeExists`; `unknownAction`; `unknownField`. Errors of a closure of the action catalog.
    /// - Complexity: linear in the size of the trace. The memory is constant (some tens of MiB of the trace, and its longest
    ///   line), except for the memory of actions and live results.
    @discardableResult
    public static func replay(
        _ trace: String, into directory: String? = nil, options: ReplayOptions = ReplayOptions()
    ) async throws -> ReplaySummary {
        try await BlockingWork.run { try replayBlocking(trace, into: directory, options: options) }
    }

    /// Replays a trace, and blocks until the replay has ended. For programs without tasks.
    ///
    /// - Throws: the errors of ``replay(_:into:options:)``.
    @available(*, noasync, message: "use the asynchronous form in tasks")
    @discardableResult
    public static func replay(
        _ trace: String, into directory: String? = nil, options: ReplayOptions = ReplayOptions()
    ) throws -> ReplaySummary {
        try replayBlocking(trace, into: directory, options: options)
    }

    private static func replayBlocking(
        _ trace: String, into directory: String?, options: ReplayOptions
    ) throws -> ReplaySummary {
        let reader = try TraceReader(path: trace, mayBeUnfinished: options.acceptsUnfinished)
        let path = directory ?? NSTemporaryDirectory() + "/modelstore-replay-\(UUID().uuidString)"
        defer {
            if directory == nil { try? FileManager.default.removeItem(atPath: path) }
        }
        let run = try ReplayRun(reader, at: path, options)
        defer { run.store.close() }
        try run.run()
        return run.summary
    }
}
