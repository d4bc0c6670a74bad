import Foundation
import StoreEngine
import StoreRuntime

/// Does again what a trace tells, in a store of its own, and compares what comes of it.
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
    ///   - directory: where the store is made and left; nil for one that goes afterwards.
    ///   - options: what is done again, and what counts as the same.
    /// - Throws: ``ReplayDivergence`` at the first thing that differs. Change sets are made up to 1,000 at a time, so up to 999 that come after
    ///   it are in the store too: ``ReplayOptions/until`` leaves the store as it was before or after a change set. ``StoreError``: `traceDamaged`
    ///   naming the line, `newerTrace`, `noSuchTrace`, `ioError`, `storeExists`, `unknownAction`, `unknownField`; what a closure of the catalog of actions throws.
    /// - Complexity: linear in the size of the trace, in constant memory (some tens of MiB of the trace, and its longest line) but for
    ///   actions' own and for live results.
    @discardableResult
    public static func replay(
        _ trace: String, into directory: String? = nil, options: ReplayOptions = ReplayOptions()
    ) async throws -> ReplaySummary {
        try await BlockingWork.run { try replayBlocking(trace, into: directory, options: options) }
    }

    /// Replays a trace, and blocks until it has ended: for programs without tasks.
    ///
    /// - Throws: as ``replay(_:into:options:)``.
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
